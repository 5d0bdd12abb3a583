"""Finds the first difference between a recording and its control replay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from oloproof.canonical import equal
from oloproof.paths import MISSING, Absent
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
    error of each step; then how the agent ended, the output, and the final world.
    """
    return (
        _steps(recording.steps[first_step - 1 :], control.steps[first_step - 1 :], first_step)
        or _ending(recording, control)
        or _world(recording.state, control.state)
    )


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
        if not equal(recorded.get(field), replayed.get(field)):
            return Divergence(
                kind,
                f"{where}: {field} of {_name(recorded)}",
                recorded.get(field),
                replayed.get(field),
            )
    return None


def _ending(recording: CaseEvidence, control: CaseEvidence) -> Divergence | None:
    if recording.terminal_status != control.terminal_status:
        return Divergence(
            "changed_outcome", "terminal status", recording.terminal_status, control.terminal_status
        )
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
    from oloproof.patches import difference
    from oloproof.paths import from_pointer

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
