"""What a session has to say of itself, beside what was called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from oloproof.canonical import JsonValue

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
