"""Puts into a replay what had been called and told inside a call that it serves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oloproof.recording.events import Event, Said

if TYPE_CHECKING:
    from collections.abc import Sequence

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
