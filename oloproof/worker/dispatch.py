"""Takes one job (a group of units around one initial state) through execution and replays."""

from __future__ import annotations

import sys
import threading
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oloproof.bookkeeping import Bookkeeping
from oloproof.canonical import decode, digest, encode, encode_in_order
from oloproof.execution.calling import Caller
from oloproof.execution.performing import Request
from oloproof.execution.retrying import Retries
from oloproof.execution.running import Execution
from oloproof.pool.framing import DONE, MARK
from oloproof.records.calls import find_call
from oloproof.records.evidence import RECORDING, TRAJECTORY, can_be_replayed, is_trusted
from oloproof.replaying.manual import ManualReplay
from oloproof.store.journal import JournalWriter
from oloproof.worker import forks
from oloproof.worker.loaded import LoadedModules
from oloproof.worker.outlet import LATE_CALL, READY, REPLAY, UNIT

if TYPE_CHECKING:
    from oloproof.execution.redaction import Redaction
    from oloproof.pool.framing import Frame
    from oloproof.replaying.recorded import RecordedReplay
    from oloproof.systems.python import PythonSystem
    from oloproof.worker.outlet import SlotOutlet


class _UnclearError(Exception):
    """A case met calls that may be of one beside it: it has to be run again, alone."""


class Dispatch:
    """One system with its sandbox, and the jobs that are run on it one after another."""

    def __init__(
        self,
        system: PythonSystem,
        opening: Any,
        redaction: Redaction,
        outlet: SlotOutlet,
        slot: int = 0,
    ) -> None:
        self._outlet = outlet
        self._unit = 0
        self._key = self._recording = ""
        self._timeout_s = opening["timeout_s"]
        self._models = opening["models"]
        self._bookkeeping = Bookkeeping.of(opening["ignore"], opening["generated_keys"])
        journal = opening["journal"]
        self._journal = journal and JournalWriter(Path(journal["folder"]), journal["run"], slot)
        self._writing = threading.Lock()
        self._job = 0
        self._loaded = LoadedModules(opening["root"])
        retries = opening["retries"]
        self._execution = Execution(
            system,
            Caller(
                opening["timeout_s"],
                clean=redaction.of_text,
                root=Path(opening["root"]),
                before_call=outlet.give_sign,
            ),
            redaction,
            Retries(
                attempts=retries["attempts"],
                on=tuple(retries["on"]),
                wait_s=retries["wait_s"],
                before_wait=self._wait,
            ),
            on_report=outlet.say,
            on_step=outlet.add,
            on_turn=outlet.end_turn,
            on_attempt=lambda: outlet.begin(self._unit),
            is_loaded=sys.modules.__contains__,
            is_recorder_asked_for=self._loaded.use_the_package,
        )

    def _wait(self, seconds: float) -> None:
        """Have the parent wait for another attempt, of which nothing has been said."""
        self._outlet.send(MARK, seconds)
        self._outlet.begin(self._unit)

    def open(self) -> None:
        """Open the system, where it has a way to be; `ConfigurationError` where that fails."""
        self._execution.opening.open()

    def close(self) -> None:
        """Close what is open; that it failed is said, and changes nothing any more."""
        error = self._execution.opening.close()
        if error is not None:
            traceback.print_exception(error)

    def ready(self, sandboxes: int, imported: int) -> None:
        """Tell what the system can do, how often it is there, and what it loaded so far.

        `imported` is how many modules were, for the system to be there.
        """
        system = self._execution.system
        abilities = {
            "stateful": system.stateful,
            "replayable": system.replayable,
            "conversational": system.conversational,
            "single_call": system.single_call,
            "shares_process": sandboxes > 1,
            "forks": system.lifetime is None and forks.are_safe(),
            "imported": imported,
        }
        self._outlet.send(READY, abilities | self._seen())

    def job(self, frame: Frame) -> None:
        """Run every unit of the job and the replays each asks for."""
        state_json = frame.body or None
        units = frame.header["units"]
        self._job = frame.header["job"]
        if self._journal is not None:
            with self._writing:
                self._journal.begin(frame.header["part"])
        try:
            header, body = self._units(units, state_json)
        except _UnclearError:
            self._execution.listen(lambda _: None)
            header, body = {"again": True}, b""
        self._outlet.send(DONE, header | self._seen(), body)
        self._listen(None, None)

    def _units(self, units: list[Any], state_json: bytes | None) -> tuple[dict[str, Any], bytes]:
        """Run units one after another; what is left to be sent with the end."""
        ending: tuple[dict[str, Any], bytes] = ({}, b"")
        for unit in units:
            self._unit, self._key = unit["unit"], unit["key"]
            request = Request(
                unit["id"],
                encode_in_order(unit["input"]),
                state_json,
                unit["replicate"],
                unit["talks"],
                unit["replayable"],
                unit["source"],
            )
            recording = unit["recording"]
            if recording is not None:
                evidence_json = encode(recording)
            else:
                header, evidence_json = self._record(request, unit)
                if unit is units[-1] and not unit["sites"]:
                    ending = (header, evidence_json)  # nothing is to come but the end
                else:
                    self._outlet.send(UNIT, header, evidence_json)
                    self._listen(None, None)
            if unit["sites"]:
                self._replay(request, evidence_json, unit["sites"])
        return ending

    def _seen(self) -> dict[str, Any]:
        return {"loaded": self._loaded.new_files(), "tools": self._loaded.new_tools()}

    def _record(self, request: Request, unit: Any) -> tuple[dict[str, Any], bytes]:
        if unit.get("watched"):  # only the conformance check asks for that
            from oloproof.worker.watching import record_watched

            recorded = record_watched(self._execution, request, self._outlet.add, self._bookkeeping)
        else:
            # A call that is counted within a turn is not known by its number: it is replayed
            # from the beginning.
            targets = [
                (site["name"], site["occurrence"]) for site in unit["sites"] if not site["turn"]
            ]
            recorded = self._execution.run(request, targets)
        self._refuse_unclear()
        header = {"unit": self._unit, "s": recorded.duration_s, **recorded.timings}
        self._write_down({"s": recorded.duration_s}, recorded.evidence_json)
        return header, recorded.evidence_json

    def _replay(self, request: Request, evidence_json: bytes, sites: list[Any]) -> None:
        evidence: Any = decode(evidence_json)
        if not can_be_replayed(evidence):
            return
        steps = evidence.get(TRAJECTORY, {}).get("steps", [])
        located = [
            (
                site,
                find_call(steps, site["name"], site["occurrence"], site["turn"], site["kind"]),
            )
            for site in sites
        ]
        reached = [(site, index) for site, index in located if index is not None]
        if not reached:
            return
        replay = self._replay_of(request, evidence, evidence_json)
        self._recording = digest(evidence_json)
        for site, index in reached:
            control, seconds = replay.control(index)
            self._tell(index, None, control, seconds)
            if is_trusted(decode(control)):
                for fault in site["faults"]:
                    faulted, seconds = replay.faulted(index, fault)
                    self._tell(index, fault, faulted, seconds)

    def _replay_of(
        self, request: Request, evidence: Any, evidence_json: bytes
    ) -> ManualReplay | RecordedReplay:
        """From the recording of declared tools where there is one, else by the author's hand."""
        if RECORDING not in evidence:
            return ManualReplay(self._execution, request, evidence_json, self._bookkeeping)
        # The recorder is loaded by who uses it.
        from oloproof.replaying.recorded import RecordedReplay

        return RecordedReplay(
            self._execution, request, evidence_json, self._models, self._bookkeeping
        )

    def _tell(
        self, step_index: int, fault: str | None, evidence_json: bytes, seconds: float
    ) -> None:
        self._refuse_unclear()
        made = {"step_index": step_index, "fault": fault, "s": seconds}
        self._write_down(made | {"recording": self._recording}, evidence_json)
        self._outlet.send(REPLAY, {"unit": self._unit, **made}, evidence_json)
        self._listen(step_index, fault)

    def _refuse_unclear(self) -> None:
        if self._execution.is_unclear:
            raise _UnclearError

    def _listen(self, step_index: int | None, fault: str | None) -> None:
        """From now on, tell what was sent last that its case had not ended with it."""
        place = {"key": self._key, "step_index": step_index, "fault": fault}
        if step_index is not None:
            place["recording"] = self._recording
        tag = {"job": self._job, "unit": self._unit}
        heard: set[str] = set()

        def hear(tool: str) -> None:
            if tool not in heard:
                heard.add(tool)
                self._write_down(place | {"late": tool}, b"")
                self._outlet.send(LATE_CALL, place | tag | {"late": tool})

        self._execution.listen(hear)

    def _write_down(self, header: dict[str, Any], evidence_json: bytes) -> None:
        """Keep a result safe from the end of the run before the run is told of it."""
        if self._journal is None:
            return
        self._outlet.refuse_forks()
        header = {"key": self._key, "timeout_s": self._timeout_s} | header
        with self._writing:
            try:
                self._journal.write(header, evidence_json)
            except OSError:
                self._journal = None  # a full disk is no fault of the case; the run will say it
