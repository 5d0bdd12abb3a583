"""What the conformance check can find, in words, and the cases on which it is tried."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from oloproof.engine.groups import Group, Known, Site, Unit
from oloproof.evaluation.comparing.differences import show
from oloproof.paths import MISSING
from oloproof.records.calls import call_sites
from oloproof.records.evidence import RECORDING, TRAJECTORY, is_trusted
from oloproof.records.project_report import CheckedCase, CheckReason
from oloproof.worker.watching import first_change

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from oloproof.records.case import Case

_MENDS: Final[Mapping[str, str]] = {
    "not_replayable": "declare its tools with `@oloproof.tool` and its model with "
    "`@oloproof.model`, or write a method `replay`",
    "no_tool_called": "name cases in which the agent calls tools, with --case",
    "case_not_recorded": "see why the case does not come to its end, or raise `timeout_s`",
    "no_trajectory": "report one in every case: `current_case().agent_trajectory(...)`",
    "no_recorded_state": "let `snapshot` return JSON, and not raise",
    "reset_failed": "let `reset` take every state that `snapshot` gives",
    "reset_not_faithful": "let `reset` put back all that `snapshot` shows, and nothing else; "
    "an `initial_state` is to be written as `snapshot` shows it",
    "effect_not_declared": "make every change of the sandbox in a function declared with "
    "`@oloproof.tool`",
    "reading_tool_writes": "take `reads=True` from the tool, or let it change nothing",
    "state_outside_snapshot": "keep nothing between cases that `reset` does not set: no counter, "
    "cache or list in the module or on the object",
    "hidden_nondeterminism": "take time, identifiers and randomness from `oloproof.now`, `uuid4` "
    "and `rng`, declare the model with `@oloproof.model`, and read nothing else from outside; "
    "what a database stamps and numbers by itself is declared in `system.ignore`",
    "hash_order": "sort what comes out of a set before it is used, and use no `hash()`",
    "control_not_reproduced": "let the agent reach the sandbox through its tools alone, and let "
    "`snapshot` show all that they leave behind",
    "result_not_json": "let models return JSON values, and tools that do not give the same again",
    "effect_outside_recorder": "start threads in a copy of the case's context "
    "(`asyncio.to_thread`, `contextvars.copy_context().run`)",
    "effect_after_end": "wait for the threads and tasks that the system starts before a call "
    "returns",
    "exception_not_rebuilt": "raise exceptions that can be made again from their arguments",
    "redacted_value_needed": "keep what `redact` names out of the tools' arguments and results",
    "output_not_shown": "let the `final` step have the output as its result",
}
_MEND_ELSE: Final = "see the word in the reference of the evaluators, and fix its cause"


class Finding(NamedTuple):
    """Why a system cannot be relied on to be replayed.

    `where` is the place in words; `step` and `tool` are of the call that is meant, `path` is
    a place in the sandbox.
    """

    reason: str
    detail: str
    where: str | None = None
    step: int | None = None
    tool: str | None = None
    path: str | None = None

    def report(self, case: str | None) -> CheckReason:
        """The finding of a case, or (with None) of the system."""
        fix = _MENDS.get(self.reason, _MEND_ELSE)
        return CheckReason(case=case, fix=fix, **self._asdict())


def read_noticed(noticed: Mapping[str, Any], step: int | None) -> Finding:
    """What was noticed of the sandbox while a case was recorded; `step` is that of the call."""
    tool, occurrence, path = noticed.get("tool"), noticed.get("occurrence"), noticed.get("path")
    call = None if tool is None else f"call {occurrence} of {tool}"
    sides = [] if path is None else [_side(noticed["was"]), _side(noticed["is"])]
    place = path or "the whole sandbox"
    match noticed["what"]:
        case "reset_failed":
            where, detail = _state_of(call), str(noticed["problem"])
        case "reset_not_faithful":
            where = _state_of(call)
            detail = f"after `reset`, {place} is {sides[1]}, not {sides[0]}"
        case "reading_tool_writes":
            where, detail = f"in {call}", f"{place} was {sides[0]} and is {sides[1]}"
        case _:
            where = "after the last call of a tool" if call is None else f"before {call}"
            detail = f"outside of every tool, {place} went from {sides[0]} to {sides[1]}"
    return Finding(noticed["what"], detail, where, step, tool, path)


def read_divergence(
    reason: str, divergence: Mapping[str, Any], how: str, step: int | None, tool: str | None
) -> Finding:
    """A replay that was not as recorded; `how` says in which circumstances it was made."""
    where = str(divergence["where"])
    seen = _change(divergence["expected"], divergence["actual"])
    detail = f"{how}: {divergence['kind']}, {seen}"
    return Finding(reason, detail, where, step, tool, divergence.get("path"))


def _change(expected: Any, actual: Any) -> str:
    """What became of a value, down to the first place where that is inside of it."""
    if actual is None:
        return f"{show(expected)} did not come again"
    if expected is None:
        return f"{show(actual)} came again"
    inside = first_change(expected, actual)
    if inside is None or not inside["path"]:
        return f"{show(expected)} became {show(actual)}"
    return f"{inside['path']} was {_side(inside['was'])} and became {_side(inside['is'])}"


def _state_of(call: str | None) -> str:
    return "at the initial state" if call is None else f"at the state before {call}"


def _side(value: Sequence[Any]) -> str:
    return show(value[0] if value else MISSING)


PLACES: Final = 5
"""From how many calls of a case it is replayed at most, spread over all of them."""


@dataclass(slots=True)
class Subject:
    """A case under examination, with the evidence that its replays are held against.

    `findings` are kept by their reason: the first of each is told.
    """

    case: Case
    evidence: Any
    method: Literal["recorded", "manual"] | None
    findings: dict[str, Finding] = field(default_factory=dict)
    replays: int = 0
    notes: dict[str, None] = field(default_factory=dict)

    @property
    def calls(self) -> dict[int, Site]:
        """The calls in order, by their step: a replay by hand begins at those of tools alone."""
        steps = self.evidence.get(TRAJECTORY, {}).get("steps", ())
        return {
            call.step: Site(call.name, call.occurrence, (), kind=call.kind)
            for call in call_sites(steps)
            if call.kind == "tool" or self.method == "recorded"
        }

    @property
    def remarks(self) -> list[str]:
        """The notes that are no finding."""
        return [note for note in self.notes if note.partition(":")[0] not in self.findings]

    def find(self, finding: Finding) -> None:
        """Keep a finding, unless there is one of its kind."""
        self.findings.setdefault(finding.reason, finding)

    def read(self, group: Group) -> dict[int, Any]:
        """The differences that the replays of a group found, by their step.

        Where one could not be made, that is a finding.
        """
        found = {}
        for (step, _), replay in group.units[0].replays.items():
            value = replay.value
            self.replays += 1
            self.notes |= dict.fromkeys(value.get("notes", ()))
            if value["reason"] is not None:
                outcome = value.get("case", {}).get("outcome", {})
                detail = value.get("detail") or outcome.get("error") or "it was not replayed"
                self.find(Finding(value["reason"], str(detail)))
            elif not is_trusted(value):
                found[step] = value["divergence"]
        return found

    def report(self) -> CheckedCase:
        """What was done with the case."""
        return CheckedCase(
            case=self.case.id,
            outcome=self.evidence["outcome"]["status"],
            tool_calls=sum(site.kind == "tool" for site in self.calls.values()),
            states=len(self.evidence.get(RECORDING, {}).get("states", {})),
            replays=self.replays,
        )


class Bench:
    """Makes the groups of a check."""

    def recording(self, case: Case) -> Group:
        """A case that is recorded with all its states, and watched meanwhile."""
        return _Watched(case, [self._unit(case)])

    def runs(self, case: Case, number: int) -> Group:
        """A case that is run so often."""
        return Group(case, [self._unit(case) for _ in range(number)])

    def whole(self, subject: Subject) -> Group:
        """A replay of a case from its start, in which every tool runs again."""
        first = next(iter(subject.calls.values()))
        return self._replay(subject.case, _without_states(subject.evidence), [first])

    def replays(self, subject: Subject, sites: Sequence[Site] | None = None) -> Group:
        """Replays from several calls, else from the `sites` given."""
        places = _spread(list(subject.calls.values())) if sites is None else sites
        return self._replay(subject.case, subject.evidence, places)

    def _replay(self, case: Case, evidence: Any, sites: Sequence[Site]) -> Group:
        unit = self._unit(case)
        unit.evidence, unit.sites = Known(b"", evidence), tuple(sites)
        return Group(case, [unit])

    def _unit(self, case: Case) -> Unit:
        return Unit(case, 1, b"", ())


class _Watched(Group):
    def job(self) -> list[dict[str, Any]]:
        return [work | {"watched": True} for work in super().job()]


def _without_states(evidence: Any) -> Any:
    """Evidence from which a replay can only begin at the start."""
    recording = evidence.get(RECORDING)
    if recording is None:
        return evidence
    left = {k: v for k, v in recording.items() if k not in ("states", "checkpoints")}
    left["events"] = [
        {k: v for k, v in event.items() if k != "checkpoint"} for event in recording["events"]
    ]
    return evidence | {RECORDING: left}


def _spread(sites: list[Site]) -> list[Site]:
    """At most `PLACES` of them, the first and the last included."""
    if len(sites) <= PLACES:
        return sites
    last = len(sites) - 1
    return [sites[round(n * last / (PLACES - 1))] for n in range(PLACES)]
