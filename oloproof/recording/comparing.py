"""Compares what a replay did with what was recorded, of calls that it serves too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oloproof.canonical import JsonValue, decode, encode, equal
from oloproof.recording.events import Event, Said
from oloproof.recording.trajectory import terminal_status
from oloproof.records.evidence import Divergence

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oloproof.recording.session import Session


def copy_contents(session: Session, served: Event, contents: Sequence[Event | Said]) -> None:
    """Keep the recorded `contents` of a served call as its own: its body does not run."""
    assert served.source is not None
    copies: dict[int | None, Event] = {served.source.index: served}
    for _, begins, one in _moments(contents):
        if isinstance(one, Said):
            within = copies[one.within].index
            session.keep(Said(session.tick(), within, one.what, one.content))
        elif begins:
            copy = Event.from_json(len(session.events), one.to_json())
            copy.started, copy.ended = session.tick(), None
            copy.parent, copy.source = copies[one.parent].index, one
            copy.after = copy.checkpoint = None  # they name places of the recording
            copies[one.index] = copy
            session.events.append(copy)
            session.timeline.begin(copy)
        else:
            copies[one.index].ended = session.tick()
            session.timeline.end(copies[one.index])


def _moments(contents: Sequence[Event | Said]) -> list[tuple[int, bool, Event | Said]]:
    """Each beginning (True) and end (False), in order."""
    moments: list[tuple[int, bool, Event | Said]] = []
    for one in contents:
        if isinstance(one, Said):
            moments.append((one.at, True, one))
            continue
        moments.append((one.started, True, one))
        if one.ended is not None:
            moments.append((one.ended, False, one))
    return sorted(moments, key=lambda moment: moment[0])


def differs(
    recorded: Event,
    replayed: Event,
    clean: Callable[[str], str],
    clean_text: Callable[[str], str],
) -> bool:
    """Whether a call that ran again gave something else.

    What a call would have given that nobody waited for to its end is not known.
    """
    if recorded.ending in ("unfinished", "cancelled") or replayed.ending == "unfinished":
        return False
    if recorded.ending != replayed.ending:
        return True
    was, now = recorded.failure, replayed.failure
    if was is not None and now is not None:
        same = (was.module, was.name, was.message) == (
            now.module,
            now.name,
            clean_text(now.message),
        )
        if not same:
            return True
    return _text_differs(recorded.result, replayed.result, clean) or _text_differs(
        recorded.returned, replayed.returned, clean
    )


def differs_in_told(
    recorded: tuple[Sequence[Said], bool],
    replayed: tuple[Sequence[Said], bool],
    clean: Callable[[str], str],
) -> Divergence | None:
    """The first difference in what the agent told of itself, in whatever order it did."""
    was, now = (terminal_status(said, failed=failed) for said, failed in (recorded, replayed))
    if was != now:
        return Divergence("changed_outcome", "terminal status", was, now)
    told = _told(recorded[0], str)
    again = _told(replayed[0], clean)
    lacking = next((text for text in told if text not in again), None)
    added = next((text for text in again if text not in told), None)
    if lacking is None and added is None and len(told) == len(again):
        return None
    return Divergence("changed_result", "what the agent recorded", lacking, added)


def shown_call(event: Event) -> JsonValue:
    """A call as a difference shows it."""
    return {"kind": event.kind, "name": event.name, "arguments": _value(event.arguments)}


def shown_outcome(event: Event) -> JsonValue:
    """What a call gave, as a difference shows it."""
    if event.failure is not None:
        return {"error": event.failure.line}
    if event.ending in ("cancelled", "abandoned"):
        return {event.ending: True, "result": None if not event.result else _value(event.result)}
    return None if event.result is None else _value(event.result)


def _value(text: str) -> JsonValue:
    """The value of JSON text; the text itself where taking out a secret broke it."""
    try:
        return decode(text.encode())
    except ValueError:
        return text


def _told(said: Sequence[Said], clean: Callable[[str], str]) -> list[str]:
    return sorted(clean(encode(one.content).decode()) for one in said if one.what != "finish")


def _text_differs(was: str | None, now: str | None, clean: Callable[[str], str]) -> bool:
    if was is None or now is None:
        return was is not now
    cleaned = clean(now)
    return was != cleaned and not equal(_value(was), _value(cleaned))
