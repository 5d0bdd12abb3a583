"""Whether a replay ended as its recording did."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oloproof.patches import difference
from oloproof.paths import Absent, from_pointer, same
from oloproof.records.evidence import Divergence

if TYPE_CHECKING:
    from oloproof.canonical import JsonValue


def compare_states(was: JsonValue | Absent, now: JsonValue | Absent) -> Divergence | None:
    """The first difference between two worlds, or None."""
    if same(was, now):
        return None
    if isinstance(was, Absent) or isinstance(now, Absent):
        where = "final state (recorded on one side only)"
        return Divergence("changed_state", where, shown(was), shown(now))
    for change in difference(was, now):
        path = from_pointer(change["path"], was)
        if not same(path.get(was), path.get(now)):
            before, after = shown(path.get(was)), shown(path.get(now))
            where = f"final state at {path}"
            return Divergence("changed_state", where, before, after, str(path))
    return Divergence("changed_state", "final state", was, now)


def shown(value: JsonValue | Absent) -> JsonValue:
    """A value as a divergence shows it: null where there is none."""
    return None if isinstance(value, Absent) else value
