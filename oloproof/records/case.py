"""One case as the rest of the program sees it, whatever file it came from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from oloproof.errors import ConfigurationError

if TYPE_CHECKING:
    from oloproof.canonical import JsonValue

IDENTITY: Final = "identity"
"""The transform that is built in and changes nothing: its copies are repeats of their sources."""


class PatchedState(NamedTuple):
    """How an initial state was given: JSON that cases share, and the operations on it."""

    base_json: bytes
    patch: list[JsonValue]


# Cases are made several times for every line: as named tuples in a third of the time.
class Case(NamedTuple):
    """A request, the world it starts in, and what should come of it.

    `state_json` is the initial state as JSON with its keys in the order given (None where
    the case has none); `has_state` says whether it has one, also where that was not encoded.
    `expected` holds `answer`, `state` and the like, already resolved.
    `patched_state` and `expected_patch` say how they were given, where that was by operations.
    A metamorphic copy has the id `source~transform` and names both. `turns` are the user's
    messages, each an object with its text at `user`; a single call has none, and the `input`
    of a conversation is `{"turns": […]}`.
    """

    id: str
    input: JsonValue
    initial_state: JsonValue = None
    state_json: bytes | None = None
    patched_state: PatchedState | None = None
    expected: dict[str, JsonValue] | None = None
    expected_patch: list[JsonValue] | None = None
    metadata: dict[str, JsonValue] | None = None
    cluster: str | None = None
    source: str | None = None
    transform: str | None = None
    line: int | None = None
    turns: tuple[dict[str, JsonValue], ...] = ()
    has_state: bool = False

    def with_input(self, changed: JsonValue) -> Case:
        """The case with another input, and with the turns that are in it."""
        turns: Any = changed["turns"] if self.turns and isinstance(changed, dict) else ()
        return self._replace(input=changed, turns=tuple(turns))

    @property
    def cluster_id(self) -> str:
        """The cluster it counts in: the declared one, else its source's or its own id."""
        return self.cluster or self.source or self.id


def refuse_case(case: Case, what: str, *, fix: str) -> ConfigurationError:
    """The error of a case that will not do; one without a line is named where it would stand."""
    where = None if case.line is not None else f"case `{case.id}`"
    return ConfigurationError(what, where=where, fix=fix)
