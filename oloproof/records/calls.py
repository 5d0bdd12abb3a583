"""Which call is meant by its number, and in which turn a step is: over steps in their JSON form."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from oloproof.records.faults import EffectKind


class CallSite(NamedTuple):
    """A call of a tool or a model: its step, and which of the calls of its name it is."""

    step: int
    kind: EffectKind
    name: str
    occurrence: int


class CallCounter:
    """Numbers calls as they are made: each tool's and each model's from 1."""

    def __init__(self) -> None:
        self._made: Counter[tuple[EffectKind, str]] = Counter()

    def number(self, kind: EffectKind, name: str) -> int:
        """The number of the call that is now made of a tool or a model."""
        self._made[kind, name] += 1
        return self._made[kind, name]


def called(step: Mapping[str, Any]) -> tuple[EffectKind, str] | None:
    """The tool or model that a step calls, by its name; None where it calls none.

    A model is called by a `decision` whose `metadata.model` names it.
    """
    if step["kind"] == "tool_call":
        return "tool", str(step.get("tool_name"))
    if step["kind"] == "decision":
        name = (step.get("metadata") or {}).get("model")
        return ("model", name) if isinstance(name, str) else None
    return None


def with_turns(steps: Iterable[dict[str, Any]]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The steps in order, each with its turn.

    A step that names no turn belongs to that of the step before it, the first to turn 1.
    """
    turn = 1
    for step in steps:
        turn = step.get("turn", turn)
        yield turn, step


def call_sites(steps: Iterable[dict[str, Any]]) -> Iterator[CallSite]:
    """Every call of a tool or a model, in the order they were made."""
    counter = CallCounter()
    for step in steps:
        found = called(step)
        if found is not None:
            yield CallSite(int(step["index"]), *found, counter.number(*found))


def find_call(
    steps: list[dict[str, Any]],
    name: str,
    occurrence: int,
    turn: int | None = None,
    kind: EffectKind = "tool",
) -> int | None:
    """The index of the `occurrence`-th call (from 1) of `name`, or None when it was not made.

    What was never called as a tool may be a model, and the other way round. With a `turn`, only
    the calls of that turn are counted.
    """
    if not any(called(step) == (kind, name) for step in steps):
        kind = "model" if kind == "tool" else "tool"
    counted = (step for at, step in with_turns(steps) if turn in (None, at))
    wanted = (kind, name, occurrence)
    return next((site.step for site in call_sites(counted) if site[1:] == wanted), None)
