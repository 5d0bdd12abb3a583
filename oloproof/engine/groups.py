"""The unit of work: a source, its copies, its replicates, and the replays they need."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from oloproof.canonical import decode
from oloproof.records.calls import find_call
from oloproof.records.evidence import TRAJECTORY, can_be_replayed, is_trusted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oloproof.records.case import Case
    from oloproof.records.faults import EffectKind
    from oloproof.reuse.fingerprint import Keys


class Site(NamedTuple):
    """The call at which faults are tried: the `occurrence`-th of `name` (in `turn`), and which.

    A fault stands there with its duration, as `fault_label` writes it.
    """

    name: str
    occurrence: int
    faults: tuple[str, ...]
    turn: int | None = None
    kind: EffectKind = "tool"

    def find(self, steps: list[dict[str, Any]]) -> int | None:
        """The step of the call, or None where it was not made."""
        return find_call(steps, self.name, self.occurrence, self.turn, self.kind)


class Known(NamedTuple):
    """A piece of evidence with its digest, and the earlier run it was reused from, if any."""

    digest: bytes
    value: Any
    reused_from: int | None = None


@dataclass(slots=True)
class Unit:
    """One execution of one case: its key, its evidence, and its replays by (step, fault).

    `pair` is the number of the pair that a stored copy makes with its source.
    """

    case: Case
    replicate: int
    key: bytes
    sites: tuple[Site, ...]
    keys: Keys | None = None
    evidence: Known | None = None
    deaths: int = 0
    pair: int | None = None
    replays: dict[tuple[int, str | None], Known] = field(default_factory=dict)

    @property
    def steps(self) -> list[dict[str, Any]]:
        """The recorded steps; none where no trajectory was reported."""
        assert self.evidence is not None
        trajectory = self.evidence.value.get(TRAJECTORY)
        return [] if trajectory is None else trajectory["steps"]

    def located(self) -> Iterator[tuple[Site, int]]:
        """The sites that the recording reached, each with the index of its step."""
        assert self.evidence is not None
        if not can_be_replayed(self.evidence.value):
            return
        for site in self.sites:
            step_index = site.find(self.steps)
            if step_index is not None:
                yield site, step_index

    def control_holds(self, step_index: int) -> bool:
        """Whether the control at a step is there and reproduced the recording."""
        control = self.replays.get((step_index, None))
        return control is not None and is_trusted(control.value)

    def absent_replays(self) -> Iterator[tuple[Site, int, str | None]]:
        """The replays that are still to be made: a control first, its faults once it holds."""
        for site, step_index in self.located():
            if (step_index, None) not in self.replays:
                yield site, step_index, None
            elif self.control_holds(step_index):
                for fault in site.faults:
                    if (step_index, fault) not in self.replays:
                        yield site, step_index, fault

    def replay_key(self, step_index: int, fault: str | None) -> bytes:
        """The key of one of its replays; empty where nothing of it is kept."""
        assert self.evidence is not None
        if self.keys is None:
            return b""
        return self.keys.replay(self.key, self.evidence.digest, step_index, fault)


@dataclass(slots=True, weakref_slot=True)
class Group:
    """A source case with all that runs around its sandbox before the next one begins.

    `part` is the part of the journals to which its results are written; what is `given` away
    has been judged. A `fresh` one runs in a process in which nothing ran before.
    """

    source: Case
    units: list[Unit]
    done: bool = False
    part: int = 0
    given: bool = False
    fresh: bool = False

    def job(self) -> list[dict[str, Any]]:
        """What a worker still has to do for it; empty when everything is known."""
        return [
            work
            for number, unit in enumerate(self.units)
            if (work := _work(number, unit)) is not None
        ]


def _work(number: int, unit: Unit) -> dict[str, Any] | None:
    if unit.evidence is None:
        sites, recording = unit.sites, None
    else:
        absent = list(unit.absent_replays())
        if not absent:
            return None
        # A site is done again as a whole but for the faults that are known.
        sites = tuple(
            site._replace(faults=tuple(f for f in site.faults if (index, f) not in unit.replays))
            for site, index in unit.located()
            if any(other is site for other, _, _ in absent)
        )
        recording = unit.evidence.value
    return {
        "unit": number,
        "key": unit.key.hex(),
        "id": unit.case.id,
        "source": unit.case.source,
        "input": unit.case.input,
        "talks": bool(unit.case.turns),
        "replayable": unit.case.source is None,
        "replicate": unit.replicate,
        "recording": recording,
        "sites": [site._asdict() for site in sites],
    }


def known(digest: bytes, data: bytes, reused_from: int | None = None) -> Known:
    """A piece of evidence from its stored bytes."""
    return Known(digest, decode(data), reused_from)
