"""Finds the first difference between a recording and its control replay."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final, Literal

from oloproof.bookkeeping import as_they_are
from oloproof.canonical import encode, equal
from oloproof.paths import MISSING, same
from oloproof.recording.endings import compare_states, shown
from oloproof.records.evidence import Divergence
from oloproof.replaying.sites import shown_output

if TYPE_CHECKING:
    from oloproof.bookkeeping import Sides
    from oloproof.records.evidence import CaseEvidence, Moment

# Identifiers and timings may differ between two runs that did the same.
_IDENTITY: Final = ("kind", "agent", "turn", "tool_name")


def first_divergence(
    recording: CaseEvidence, control: CaseEvidence, *, first_step: int, sides: Sides = as_they_are
) -> Divergence | None:
    """The first place at which `control` did not reproduce `recording`, or None.

    Compared are, from step `first_step` on: kind, agent, turn, tool, arguments, result and
    error of each step; then how call and agent ended, the output, and the final world, of
    which `sides` gives what counts.
    """
    recorded, replayed = recording.steps[first_step - 1 :], control.steps[first_step - 1 :]
    found = _steps(recorded, replayed, first_step)
    if found is not None and _same_calls(recorded, replayed):
        found = found._replace(kind="reordered")
    worlds = sides(recording.state, control.state)
    return found or _ending(recording, control) or compare_states(*worlds)


def first_difference_at_the_end(
    recording: CaseEvidence,
    control: CaseEvidence,
    *,
    first_turn: int | None = None,
    sides: Sides = as_they_are,
) -> Divergence | None:
    """The first difference of outcome, terminal status, replies, output or states, or None.

    Of a conversation the states from `first_turn` on count, from the start without one: before
    the sandbox is put into the state of a checkpoint, what is served leaves nothing in it.
    `sides` gives what counts of two worlds.
    """
    found = _outcome(recording, control)
    if found is not None:
        return found
    for number, (was, now) in enumerate(
        zip_longest(recording.replies, control.replies, fillvalue=MISSING), start=1
    ):
        if not same(was, now):
            return Divergence("changed_output", f"reply of turn {number}", shown(was), shown(now))
    if not same(recording.output, control.output):
        return Divergence(
            "changed_output", "output", shown(recording.output), shown(control.output)
        )
    first = first_turn or 0
    found = _moments(recording.active, control.active, first, as_they_are)
    if found is not None:
        # What the agent remembers is its own: being put into a state must not take it away.
        return found._replace(where=found.where.replace("final state", "working state"))
    return _moments(recording.worlds, control.worlds, first, sides)


def _moments(
    recorded: tuple[Moment, ...], replayed: tuple[Moment, ...], first_turn: int, sides: Sides
) -> Divergence | None:
    for was, now in zip_longest(recorded, replayed):
        turn = (was or now).turn
        if turn is not None and turn < first_turn:
            continue
        before = MISSING if was is None else was.state
        after = MISSING if now is None else now.state
        found = compare_states(*sides(before, after))
        if found is not None:
            return found if turn is None else found._replace(where=f"{found.where}, turn {turn}")
    return None


def _steps(
    recorded: list[dict[str, Any]], replayed: list[dict[str, Any]], number: int
) -> Divergence | None:
    for position in range(max(len(recorded), len(replayed))):
        where = f"step {number + position}"
        if position >= len(replayed):
            return Divergence("missing_call", where, _brief(recorded[position]), None)
        if position >= len(recorded):
            return Divergence("unexpected_call", where, None, _brief(replayed[position]))
        found = _step(recorded[position], replayed[position], where)
        if found is not None:
            return found
    return None


def _step(recorded: dict[str, Any], replayed: dict[str, Any], where: str) -> Divergence | None:
    if any(recorded.get(name) != replayed.get(name) for name in _IDENTITY):
        return Divergence("unexpected_call", where, _brief(recorded), _brief(replayed))
    if not equal(recorded.get("arguments"), replayed.get("arguments")):
        return Divergence(
            "changed_args",
            f"{where}: arguments of {_name(recorded)}",
            recorded.get("arguments"),
            replayed.get("arguments"),
        )
    kind: Literal["changed_output", "changed_result"] = (
        "changed_output" if recorded["kind"] == "final" else "changed_result"
    )
    for field in ("result", "error"):
        was, now = recorded.get(field), replayed.get(field)
        if not equal(was, now):
            return Divergence(kind, f"{where}: {field} of {_name(recorded)}", was, now)
    return None


def _same_calls(recorded: list[dict[str, Any]], replayed: list[dict[str, Any]]) -> bool:
    """Whether both made the same calls, but in another order."""
    was, now = _calls(recorded), _calls(replayed)
    return was != now and sorted(was) == sorted(now)


def _calls(steps: list[dict[str, Any]]) -> list[bytes]:
    names = (*_IDENTITY, "arguments")
    calls = [step for step in steps if step["kind"] == "tool_call"]
    return [encode({name: step.get(name) for name in names}) for step in calls]


def _outcome(recording: CaseEvidence, control: CaseEvidence) -> Divergence | None:
    for where, was, now in (
        ("outcome", recording.outcome.status, control.outcome.status),
        ("terminal status", recording.terminal_status, control.terminal_status),
    ):
        if was != now:
            return Divergence("changed_outcome", where, was, now)
    return None


def _ending(recording: CaseEvidence, control: CaseEvidence) -> Divergence | None:
    found = _outcome(recording, control)
    if found is not None:
        return found
    recorded, replayed = shown_output(recording.steps), shown_output(control.steps)
    if recorded[0] != replayed[0] or not equal(recorded[1], replayed[1]):
        return Divergence("changed_output", "output", recorded[1], replayed[1])
    return None


def _name(step: dict[str, Any]) -> str:
    return str(step.get("tool_name") or step["kind"])


def _brief(step: dict[str, Any]) -> dict[str, Any]:
    """A step as the compared fields show it."""
    names = (*_IDENTITY, "arguments", "result", "error")
    return {name: step[name] for name in names if name in step}
