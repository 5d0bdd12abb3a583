"""Where a value that was replaced comes up again: in arguments, artefacts and messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import orjson

from oloproof.evaluation.parts import wanted
from oloproof.paths import Path, children

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from oloproof.canonical import JsonValue
    from oloproof.evaluation.parts import Wanted
    from oloproof.evaluation.replacements import Replacement


class Recurrence(NamedTuple):
    """An old value at a place, as all of what stands there or as a part of a `text`.

    Where it is `unclear` why it is there, that says why.
    """

    place: Path
    text: str | None = None
    unclear: str | None = None


def recurrences(
    values: Iterable[tuple[Path, JsonValue]], change: Replacement, current: Iterable[str]
) -> list[Recurrence]:
    """Where the old value of a change comes up in some values and in all that is in them.

    What is part of the new value, or of one of the `current` texts, is no old value.
    """
    old, new = wanted(change.old), wanted(change.new)
    candidates = [one for start, value in values for one in _candidates(start, value, old)]
    if all(one.text is None for one in candidates):
        return candidates
    others = [wanted(text) for text in current if old.spans(text)]
    return [found for one in candidates if (found := _judged(one, old, new, others)) is not None]


def within(path: Path, value: JsonValue) -> Iterator[tuple[Path, JsonValue]]:
    """A value and everything in it, each with its path; also what a text of JSON holds."""
    waiting = [(path, value)]
    while waiting:
        path, value = waiting.pop()
        yield path, value
        held = [(Path((*path.segments, key)), item) for key, item in children(_read(value))]
        waiting += reversed(held)


def _read(value: JsonValue) -> JsonValue:
    """What a text of JSON holds; any other value itself."""
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[")):
        return value
    try:
        read: JsonValue = orjson.loads(value)
    except (orjson.JSONDecodeError, UnicodeEncodeError):
        return value
    return read


def _candidates(start: Path, value: JsonValue, old: Wanted) -> Iterator[Recurrence]:
    for place, item in within(start, value):
        held = _read(item)
        for key in held if isinstance(held, dict) else ():
            found = _at_key(Path((*place.segments, key)), key, old)
            if found is not None:
                yield found
        if old.is_whole(item) or old.is_whole(held):
            yield Recurrence(place)
        elif isinstance(item, str) and held is item and old.spans(item):
            yield Recurrence(place, item)


def _at_key(place: Path, key: str, old: Wanted) -> Recurrence | None:
    """The old value in a key; the name of an argument is none, and that of a field may be."""
    if not key.isidentifier():
        return Recurrence(place, key) if old.spans(key) else None
    if len(place.segments) == 1 or not old.is_whole(key):
        return None
    return Recurrence(place, key, "it may be the name of a field")


def _judged(
    one: Recurrence, old: Wanted, new: Wanted, others: Iterable[Wanted]
) -> Recurrence | None:
    """A recurrence in a text with what is unclear of it; None where something current is meant."""
    if one.text is None or one.unclear is not None:
        return one
    renewed = new.spans(one.text)
    masks = [*renewed, *(span for other in others for span in other.spans(one.text))]
    spans = [span for span in old.spans(one.text) if not span.within(masks)]
    if not spans:
        return None
    if any(not span.within(spans) for span in renewed):
        return one._replace(unclear="what replaced it stands beside it")
    if not any(span.certain for span in spans):
        return one._replace(unclear="it may as well be read otherwise")
    return one
