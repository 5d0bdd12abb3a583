"""Takes groups of a system that ran elsewhere through, and keeps what was recorded of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from oloproof.canonical import decode, encode
from oloproof.engine.groups import Known
from oloproof.execution.calling import Called
from oloproof.execution.performing import Performance
from oloproof.execution.redaction import Redaction
from oloproof.execution.trajectories import store_trajectory
from oloproof.execution.worlds import Worlds
from oloproof.paths import MISSING, Absent
from oloproof.records.evidence import NOT_RECORDED, Outcome, ReplayEvidence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from oloproof.engine.engine import Keeper
    from oloproof.engine.groups import Group, Unit
    from oloproof.records.case import Case
    from oloproof.records.evidence import Moment
    from oloproof.suites.recording_fields import RecordedCase
    from oloproof.systems.recorded import Recordings

_ABSENT: Final = Outcome(NOT_RECORDED, "there is no recording of it")


class RecordedEngine:
    """Makes the evidence of groups from `recordings`; no worker is started.

    No fault can be tried: each replay that is demanded is known to be impossible.
    """

    def __init__(
        self, store: Keeper, run: int, recordings: Recordings, redact: Iterable[str]
    ) -> None:
        self._store = store
        self._run = run
        self._recordings = recordings
        self._redaction = Redaction(tuple(redact))
        self._worlds = Worlds(self._redaction)
        self.executed = 0
        self.replayed = 0
        self.not_reusable = 0
        self.is_stale = False
        self.loaded: set[str] = set()
        self.declared: dict[str, bool] = {}

    def through(self, groups: Iterable[Group]) -> Iterator[Group]:
        """Each group once it is whole, in the order given."""
        for group in groups:
            for unit in group.units:
                if unit.evidence is None:
                    self._take(unit)
                    self.executed += 1
                for _, step_index, fault in list(unit.absent_replays()):
                    self._refuse_replay(unit, step_index, fault)
            group.done = True
            yield group
            self._store.commit_when_due()
        self._store.commit()

    def _take(self, unit: Unit) -> None:
        """Keep what was recorded of a unit as its evidence."""
        recorded = self._recordings.read(unit.case, unit.replicate)
        if recorded is None:
            data = encode({"outcome": _ABSENT.to_json()})
        else:
            data = encode(self._performance(recorded, unit.case).sections())
        unit.evidence = Known(self._keep(unit.key, data), decode(data))

    def _performance(self, recorded: RecordedCase, case: Case) -> Performance:
        """What was recorded in the form of what is performed here."""
        clean = self._redaction
        error = recorded.outcome.error
        outcome = recorded.outcome._replace(error=error and clean.of_text(error))
        done = Performance(Called(MISSING, outcome), outcome)
        if not isinstance(recorded.output, Absent):
            done.output = clean.of_value(recorded.output)
        if recorded.replies is not None:
            done.replies = [clean.of_value(reply) for reply in recorded.replies]
        if recorded.trajectory is not None:
            done.trajectory = store_trajectory(recorded.trajectory, clean)
        done.worlds = [
            _after(moment, self._worlds.store(moment.state, case.state_json))
            for moment in recorded.worlds
        ]
        if recorded.worlds and (turn := _last_turn(recorded, case)) != recorded.worlds[-1].turn:
            done.world_problem = f"no state was recorded after turn {turn}"
        done.active = [
            _after(moment, {"state": clean.of_value(moment.state)}) for moment in recorded.active
        ]
        return done

    def _refuse_replay(self, unit: Unit, step_index: int, fault: str | None) -> None:
        replay = ReplayEvidence(
            kind="resume" if fault is None else "inject_fault",
            step_index=step_index,
            method="manual",
            case=None,
            fault=fault,
            reason="not_replayable",
            detail="the system is recorded: there is nothing to run again",
        ).to_json(None)
        digest = self._keep(unit.replay_key(step_index, fault), encode(replay))
        unit.replays[step_index, fault] = Known(digest, replay)

    def _keep(self, key: bytes, data: bytes) -> bytes:
        return self._store.add_result(key, data, run=self._run, duration_s=0.0, limit_s=None)


def _last_turn(recorded: RecordedCase, case: Case) -> int | None:
    """The turn in which a recorded conversation ended, as far as that is known."""
    if not case.turns or recorded.outcome.status == "completed":
        return len(case.turns) or None
    begun = [len(recorded.replies or ()) + 1, *(moment.turn or 1 for moment in recorded.worlds)]
    if recorded.trajectory is not None:
        begun += [step.turn or 1 for step in recorded.trajectory.steps]
    return min(max(begun), len(case.turns))


def _after(moment: Moment, stored: dict[str, Any]) -> dict[str, Any]:
    return stored if moment.turn is None else stored | {"turn": moment.turn}
