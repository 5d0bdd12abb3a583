"""How a case ended, and whether a replay ended alike."""

from __future__ import annotations

from dataclasses import dataclass

from oloproof.canonical import JsonValue, equal
from oloproof.patches import difference
from oloproof.paths import MISSING, Absent, from_pointer
from oloproof.records.evidence import Divergence


@dataclass(frozen=True, slots=True)
class Ending:
    """The status of the call's outcome, the output and the final world, `MISSING` without one."""

    status: str = "completed"
    output: JsonValue | Absent = MISSING
    state: JsonValue | Absent = MISSING


def compare_endings(recorded: Ending, replayed: Ending) -> Divergence | None:
    """The first difference between two endings, or None."""
    if recorded.status != replayed.status:
        return Divergence("changed_outcome", "outcome", recorded.status, replayed.status)
    if not same(recorded.output, replayed.output):
        was, now = shown(recorded.output), shown(replayed.output)
        return Divergence("changed_output", "output", was, now)
    return compare_states(recorded.state, replayed.state)


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
            return Divergence("changed_state", f"final state at {path}", before, after)
    return Divergence("changed_state", "final state", was, now)


def same(left: JsonValue | Absent, right: JsonValue | Absent) -> bool:
    """Whether both are there and equal, or neither is there."""
    if isinstance(left, Absent) or isinstance(right, Absent):
        return left is right
    return equal(left, right)


def shown(value: JsonValue | Absent) -> JsonValue:
    """A value as a divergence shows it: null where there is none."""
    return None if isinstance(value, Absent) else value
