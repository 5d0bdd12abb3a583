"""The cases of a conformance check, and what a worker is to do with each of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

from oloproof.records.evidence import RECORDING, TRAJECTORY
from oloproof.records.project_report import CheckedCase
from oloproof.replaying.sites import call_sites
from oloproof.workflows.conformance import Finding
from oloproof.workflows.groups import Group, Known, Site, Unit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oloproof.suites.case import Case

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
            elif "divergence" in value:
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
