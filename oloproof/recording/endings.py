"""How a replay ends, and what its session has to say of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from oloproof.patches import difference
from oloproof.paths import Absent, from_pointer, same
from oloproof.records.evidence import Divergence

if TYPE_CHECKING:
    from oloproof.canonical import JsonValue


class ReplayStop(BaseException):
    """Raised in the agent's code to end a replay that cannot count any more.

    It is no `Exception`, so that an agent's own handling does not take it for a failing tool.
    An agent that swallows it all the same changes nothing: the session has it already.
    """


OBSTACLES: Final = frozenset(
    {
        "effect_outside_recorder",
        "stream_was_sent_values",
    }
)
"""Notes of a recording under which nothing can be replayed; all others are remarks."""


class Note(NamedTuple):
    """One remark: what it is, and where or why."""

    kind: str
    detail: str

    def to_json(self) -> dict[str, JsonValue]:
        """The JSON form."""
        return {"kind": self.kind, "detail": self.detail}


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
