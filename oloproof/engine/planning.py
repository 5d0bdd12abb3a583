"""Makes the group of a source case and looks up what is known of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oloproof.engine.groups import Group, Known, Site, Unit, known
from oloproof.metamorphic.transforms import copies_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from oloproof.evaluation.contract import Evaluator
    from oloproof.metamorphic.transforms import AnyTransform
    from oloproof.records.case import Case
    from oloproof.reuse.fingerprint import Keys
    from oloproof.store.database import Store


def sites_of(evaluators: Iterable[Evaluator]) -> tuple[Site, ...]:
    """The sites that the evaluators demand, each once with all the faults tried there."""
    faults: dict[Site, dict[str, None]] = {}
    for evaluator in evaluators:
        for demand in evaluator.demands():
            place = Site(demand.name, demand.occurrence, (), demand.turn, demand.kind)
            faults.setdefault(place, {})[demand.label] = None
    return tuple(site._replace(faults=tuple(labels)) for site, labels in faults.items())


class Planner:
    """Plans groups for one run; `rerun_failed` takes no result that ended badly.

    With `made_by`, the number of a run, the groups are those that this run has just made.
    """

    def __init__(
        self,
        store: Store,
        keys: Keys,
        transforms: Sequence[AnyTransform],
        sites: tuple[Site, ...],
        *,
        replicates: int,
        timeout_s: float,
        rerun_failed: bool,
        made_by: int | None = None,
    ) -> None:
        self._store = store
        self._keys = keys
        self._transforms = transforms
        self._sites = sites
        self._replicates = replicates
        self._timeout_s = timeout_s
        self._rerun_failed = rerun_failed
        self.reran = 0
        """How many cases are executed again since their call did not complete."""
        self._made_by = made_by
        # What this run makes itself has other keys: an empty store knows nothing until its end.
        self._knows_anything = store.has_results()

    def group(self, source: Case) -> Group:
        """The units of a source and its copies, with the evidence the store has of them."""
        cases = [source, *copies_of(source, self._transforms)]
        units = [
            # Faults are tried on sources alone: a copy is judged by its relation.
            Unit(
                case,
                replicate,
                self._keys.execution(case, replicate),
                () if case.source else self._sites,
                self._keys,
            )
            for case in cases
            for replicate in range(1, self._replicates + 1)
        ]
        if self._knows_anything:
            for unit in units:
                self._look_up(unit)
        return Group(source, units)

    def _look_up(self, unit: Unit) -> None:
        evidence = self._known(unit.key)
        if evidence is None:
            return
        own = evidence.reused_from is None
        if self._rerun_failed and not own and evidence.value["outcome"]["status"] != "completed":
            self.reran += 1
            return
        unit.evidence = evidence
        for site, step_index in unit.located():
            if self._look_up_replay(unit, step_index, None):
                for fault in site.faults:
                    self._look_up_replay(unit, step_index, fault)

    def _look_up_replay(self, unit: Unit, step_index: int, fault: str | None) -> bool:
        replay = self._known(unit.replay_key(step_index, fault))
        if replay is None:
            return False
        unit.replays[step_index, fault] = replay
        return True

    def _known(self, key: bytes) -> Known | None:
        """A stored result that may be taken; all that the run `made_by` is about made itself."""
        found = self._store.result(key)
        own = found is not None and found.run == self._made_by
        if found is None or not (own or found.reusable(self._timeout_s)):
            return None
        data = self._store.get(found.object)
        return None if data is None else known(found.object, data, None if own else found.run)
