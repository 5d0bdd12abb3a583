"""Finds the first difference between a recording and its control replay."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Literal

from oloproof.canonical import encode, equal
from oloproof.patches import difference
from oloproof.paths import MISSING, Absent, from_pointer
from oloproof.records.evidence import Divergence
from oloproof.replaying.sites import shown_output

if TYPE_CHECKING:
    from oloproof.canonical import JsonValue
    from oloproof.records.evidence import CaseEvidence

# Identifiers and timings may differ between two runs that did the same.
_IDENTITY: Final = ("kind", "agent", "turn", "tool_name")


def first_divergence(
    recording: CaseEvidence, control: CaseEvidence, *, first_step: int
) -> Divergence | None:
    """The first place at which `control` did not reproduce `recording`, or None.

    Compared are, from step `first_step` on: kind, agent, turn, tool, arguments, result and
    error of each step; then how call and agent ended, the output, and the final world.
    """
    recorded, replayed = recording.steps[first_step - 1 :], control.steps[first_step - 1 :]
    found = _steps(recorded, replayed, first_step)
    if found is not None and _same_calls(recorded, replayed):
        found = replace(found, kind="reordered")
    return found or _ending(recording, control) or _world(recording.state, control.state)


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


def _ending(recording: CaseEvidence, control: CaseEvidence) -> Divergence | None:
    for where, was, now in (
        ("outcome", recording.outcome.status, control.outcome.status),
        ("terminal status", recording.terminal_status, control.terminal_status),
    ):
        if was != now:
            return Divergence("changed_outcome", where, was, now)
    recorded, replayed = shown_output(recording.steps), shown_output(control.steps)
    if recorded[0] != replayed[0] or not equal(recorded[1], replayed[1]):
        return Divergence("changed_output", "output", recorded[1], replayed[1])
    return None


def _world(recorded: JsonValue | Absent, replayed: JsonValue | Absent) -> Divergence | None:
    if recorded is MISSING and replayed is MISSING:
        return None
    if isinstance(recorded, Absent) or isinstance(replayed, Absent):
        return Divergence(
            "changed_state",
            "final state (recorded on one side only)",
            None if isinstance(recorded, Absent) else recorded,
            None if isinstance(replayed, Absent) else replayed,
        )
    if equal(recorded, replayed):
        return None
    for change in difference(recorded, replayed):
        path = from_pointer(change["path"], recorded)
        was, now = path.get(recorded), path.get(replayed)
        before = None if isinstance(was, Absent) else was
        after = None if isinstance(now, Absent) else now
        if isinstance(was, Absent) or isinstance(now, Absent) or not equal(before, after):
            return Divergence("changed_state", f"final state at {path}", before, after)
    return Divergence("changed_state", "final state", recorded, replayed)


def _name(step: dict[str, Any]) -> str:
    return str(step.get("tool_name") or step["kind"])


def _brief(step: dict[str, Any]) -> dict[str, Any]:
    """A step as the compared fields show it."""
    names = (*_IDENTITY, "arguments", "result", "error")
    return {name: step[name] for name in names if name in step}
