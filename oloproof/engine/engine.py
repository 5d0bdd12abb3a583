"""Takes groups through the workers and keeps what comes of them, in the order of the dataset."""

from __future__ import annotations

import contextlib
import itertools
import os
import sys
import time
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol
from weakref import WeakValueDictionary

from oloproof.canonical import decode, digest, encode
from oloproof.engine.groups import Group, Known, Unit
from oloproof.engine.results import NEVER, limit_of, with_late_call
from oloproof.errors import ConfigurationError
from oloproof.pool import framing
from oloproof.pool.jobs import Again, Lost
from oloproof.pool.pool import OPENING_S, Pool
from oloproof.records.evidence import RECORDING, Outcome, ReplayEvidence
from oloproof.store.journal import remove_journals, remove_part
from oloproof.worker import outlet as messages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from oloproof.pool.framing import Frame
    from oloproof.pool.jobs import Cause, Message

AHEAD: Final = 256
"""Groups that may wait for an earlier one to end."""

GRACE_S: Final = 1.0
"""What a worker gets beyond the deadline to report an asynchronous call that it ended itself."""

PART_S: Final = 1.0
"""How often workers turn to new journals, so that old ones can go."""

DEATHS: Final = 2
"""A worker that a signal killed may have been at the wrong place; twice is the case's own doing."""


class Keeper(Protocol):
    """Where results go: a store, or nowhere."""

    @property
    def patience_s(self) -> float | None:
        """How long what waits may wait on."""

    def add_result(
        self, key: bytes, data: bytes, *, run: int, duration_s: float, limit_s: float | None
    ) -> bytes:
        """Keep evidence; its digest."""

    def commit_when_due(self) -> None:
        """Write what has waited long enough."""

    def commit(self) -> None:
        """Write what waits."""


@dataclass(slots=True)
class Engine:
    """Runs groups on workers; `check_system` hears once what the system can do.

    `declared_at` is where the suite names the system; `environment` is beside that of every worker.
    `amend` marks what is stored where a tool was called after the end of its case; with that,
    `is_stale` says that a group which was given away is not as it was judged.
    """

    store: Keeper
    run: int
    opening: dict[str, Any]
    declared_at: str
    concurrency: int
    timeout_s: float
    check_system: Callable[[dict[str, Any]], None]
    journal: Path | None
    environment: dict[str, str] = field(default_factory=dict)
    amend: Callable[[dict[str, Any]], None] = lambda _: None
    is_stale: bool = False
    executed: int = 0
    replayed: int = 0
    not_reusable: int = 0
    loaded: set[str] = field(default_factory=set)
    declared: dict[str, bool] = field(default_factory=dict)
    _checked: bool = False
    _crowded: bool = False  # its cases cannot be told apart where they run side by side
    _part: int = 0
    _jobs: Iterator[int] = field(default_factory=itertools.count)
    _groups: WeakValueDictionary[int, Group] = field(default_factory=WeakValueDictionary)
    _in_part: Counter[int] = field(default_factory=Counter)
    _begun: float = field(default_factory=time.monotonic)

    def through(self, groups: Iterable[Group]) -> Iterator[Group]:
        """Each group once it is whole, in the order given."""
        with self.pool() as pool:
            yield from self.through_pool(pool, groups)
            for message in pool.dismiss():
                self._take(pool, message)
        self._clear_journals()

    def through_pool(self, pool: Pool, groups: Iterable[Group]) -> Iterator[Group]:
        """Each group once it is whole, by the workers of a pool that goes on afterwards."""
        waiting: deque[Group] = deque()
        coming = iter(groups)
        exhausted = False
        while waiting or not exhausted:
            while waiting and waiting[0].done:
                waiting[0].given = True
                yield waiting.popleft()
            while not exhausted and pool.hungry and len(waiting) < AHEAD:
                group = next(coming, None)
                if group is None:
                    exhausted = True
                    break
                waiting.append(group)
                self._submit(pool, group)
                if waiting[0].done:
                    break  # what is whole need not wait for the window to fill
            if waiting and not waiting[0].done:
                for message in pool.poll(self.store.patience_s):
                    self._take(pool, message)
                self.store.commit_when_due()
                self._turn_page()

    def pool(self) -> Pool:
        """The workers, started as they are needed."""
        return Pool(
            [sys.executable, "-P", "-m", "oloproof.worker"],
            size=self.concurrency,
            opening=self.opening,
            deadline_s=self.timeout_s + GRACE_S,
            environment=worker_environment() | self.environment,
            folder=self.opening["root"],
        )

    def _submit(self, pool: Pool, group: Group, *, alone: bool = False) -> None:
        units = group.job()
        if units:
            group.part = self._part
            self._in_part[self._part] += 1
            number = next(self._jobs)
            self._groups[number] = group
            job = {"job": number, "part": self._part, "units": units, "fresh": group.fresh}
            alone = alone or self._crowded
            pool.submit(group, job, group.source.state_json or b"", alone=alone)
        else:
            group.done = True

    def _turn_page(self) -> None:
        """Begin a new part of the journals now and then, and remove those that are committed."""
        if self.journal is None or time.monotonic() - self._begun < PART_S:
            return
        self._begun = time.monotonic()
        self._part += 1
        over = [part for part, groups in self._in_part.items() if not groups and part < self._part]
        if over:
            self.store.commit()
            for part in over:
                del self._in_part[part]
                remove_part(self.journal, self.run, part)

    def _clear_journals(self) -> None:
        """Remove what is left of the journals of a run that took over everything."""
        self.store.commit()
        if self.journal is not None:
            remove_journals(self.journal, self.run)

    def _take(self, pool: Pool, message: Message) -> None:
        if isinstance(message, Lost):
            self._remove(pool, message)
            return
        if isinstance(message, Again):
            self._repeat(pool, message.tag, alone=message.alone)
            return
        group, frame = message
        match frame.kind:
            case messages.UNIT:
                self._keep_executed(group, frame)
            case messages.REPLAY:
                self._keep_replay(group.units[frame.header["unit"]], frame.header, frame.body)
                self.replayed += 1
            case messages.LATE_CALL:
                self._take_late(frame.header)
            case framing.DONE:
                self._finish(pool, group, frame)
            case messages.READY:
                self._see(frame.header)
                if not self._checked:
                    self.check_system(frame.header)
                    self._checked = True
            case messages.CRASHED:
                raise RuntimeError(f"in a worker:\n{frame.header['traceback']}")
            case messages.REFUSED:
                found = frame.header["where"]
                raise ConfigurationError(
                    frame.header["what"],
                    where=f"{self.declared_at} ({found})" if found else self.declared_at,
                    fix=frame.header["fix"],
                )

    def _finish(self, pool: Pool, group: Group, frame: Frame) -> None:
        self._see(frame.header)
        if "again" in frame.header:
            self._crowded = True
            self._repeat(pool, group, alone=True)
            return
        if frame.body:
            self._keep_executed(group, frame)
        group.done = True
        self._in_part[group.part] -= 1

    def _see(self, header: dict[str, Any]) -> None:
        self.loaded.update(header["loaded"])
        self.declared.update(header["tools"])

    def _take_late(self, header: dict[str, Any]) -> None:
        """Mark evidence that was sent before its case was known to go on."""
        self.amend(header)
        group = self._groups.get(header["job"])
        if group is None or group.given:
            self.is_stale = True
        if group is None:
            return
        unit, place = group.units[header["unit"]], (header["step_index"], header["fault"])
        known = unit.evidence if place[0] is None else unit.replays[place]
        assert known is not None, "it is told of after what was sent"
        value = with_late_call(known.value, header["late"])
        known = Known(bytes.fromhex(digest(encode(value))), value)
        if place[0] is None:
            unit.evidence = known
        else:
            unit.replays[place] = known

    def _keep_executed(self, group: Group, frame: Frame) -> None:
        unit = group.units[frame.header["unit"]]
        self._keep_evidence(unit, frame.body, frame.header["s"])
        self.executed += 1

    def _keep_evidence(
        self, unit: Unit, data: bytes, seconds: float, *, killed: bool = False
    ) -> None:
        value: Any = decode(data)
        unit.evidence = Known(self._keep(unit.key, data, value, seconds, killed=killed), value)

    def _keep_replay(
        self, unit: Unit, header: dict[str, Any], data: bytes, *, killed: bool = False
    ) -> None:
        step_index, fault = header["step_index"], header["fault"]
        value: Any = decode(data)
        key = unit.replay_key(step_index, fault)
        digest = self._keep(key, data, value, header["s"], killed=killed)
        unit.replays[step_index, fault] = Known(digest, value)

    def _keep(self, key: bytes, data: bytes, value: Any, seconds: float, *, killed: bool) -> bytes:
        """Store a result; one that met a deadline, a kill or an outage is not good for ever."""
        limit_s = NEVER if killed else limit_of(value, self.timeout_s)
        self.not_reusable += limit_s == NEVER
        return self.store.add_result(key, data, run=self.run, duration_s=seconds, limit_s=limit_s)

    # -- when a worker ends ---------------------------------------------------------------------

    def _remove(self, pool: Pool, lost: Lost) -> None:
        """Give what was in flight its outcome, and the rest of the group to another worker."""
        if not lost.opened:
            raise ConfigurationError(
                f"a worker ended before the system was loaded ({_how(lost, OPENING_S)})",
                where=self.declared_at,
                fix="see what importing the module does: it must neither exit nor hang",
            )
        group: Group = lost.tag
        self._in_part[group.part] -= 1
        unit = next(
            (
                u
                for u in group.units
                if u.evidence is None or next(u.absent_replays(), None) is not None
            ),
            None,
        )
        if unit is not None:
            unit.deaths += 1
            if lost.cause != "killed" or unit.deaths >= DEATHS:
                self._settle(unit, lost)
        self._submit(pool, group, alone=lost.cause == "killed")

    def _repeat(self, pool: Pool, group: Group, *, alone: bool) -> None:
        """Submit what is left of a group whose worker another one ended, or nobody knows which."""
        self._in_part[group.part] -= 1
        self._submit(pool, group, alone=alone)

    def _settle(self, unit: Unit, lost: Lost) -> None:
        """Make the worker's end the outcome of what it was doing."""
        unit.deaths = 0
        killed = lost.cause == "killed"
        how = _how(lost, self.timeout_s)
        if unit.evidence is None:
            evidence = _ended(lost.cause, how)
            number, said = lost.aside
            if said and lost.tag.units[number] is unit:
                evidence |= messages.said_sections(said)
            self._keep_evidence(unit, encode(evidence), 0.0, killed=killed)
            self.executed += 1
            return
        _, step_index, fault = next(unit.absent_replays())
        recorded = RECORDING in unit.evidence.value
        # Behind a control that held, to hang or to end its process is what the agent did under
        # the fault. How a replay by hand came to its end, nobody can say.
        is_its_own = recorded and fault is not None
        replay = ReplayEvidence(
            kind="inject_fault" if fault else "resume",
            step_index=step_index,
            method="recorded" if recorded else "manual",
            fault=fault,
            case=None,
            reason=None if is_its_own else f"replay_{lost.cause}",
        )
        case = _ended(lost.cause, how) if is_its_own else None
        header = {"step_index": step_index, "fault": fault, "s": 0.0}
        self._keep_replay(unit, header, encode(replay.to_json(case)), killed=killed)


def _ended(cause: Cause, how: str) -> dict[str, Any]:
    """The evidence of a call whose process did not come back from it."""
    return {
        "outcome": Outcome(cause, how).to_json(),
        "world_problem": "the process of the system ended before a snapshot could be taken",
    }


def worker_environment() -> dict[str, str]:
    """The environment of a worker: ours, with the order of sets the same in every process."""
    return os.environ | {"PYTHONHASHSEED": os.environ.get("PYTHONHASHSEED", "0")}


def _how(lost: Lost, timeout_s: float) -> str:
    match lost.cause:
        case "timed_out":
            return f"no answer within {timeout_s:g} s; its process was ended"
        case "exited" if lost.code == framing.BROKEN_EXIT:
            return "it closed or wrote on the pipes of its worker, which was ended"
        case "exited":
            return f"its process exited with code {lost.code}"
        case "killed":
            name = f"signal {lost.code}"
            with contextlib.suppress(ValueError):
                import signal

                name = signal.Signals(lost.code).name
            return f"its process was killed ({name})"
