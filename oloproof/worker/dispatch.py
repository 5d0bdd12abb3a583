"""Takes one job (a group of units around one initial state) through execution and replays."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oloproof.canonical import decode, encode, encode_in_order
from oloproof.execution.calling import Caller
from oloproof.execution.redaction import Redaction
from oloproof.execution.retrying import Retries
from oloproof.execution.running import Execution, Request
from oloproof.replaying.manual import ManualReplay
from oloproof.replaying.sites import find_call
from oloproof.systems.python import load_system
from oloproof.worker.messages import READY, REPLAY, REPORT, UNIT
from oloproof.workers.pool import DONE, MARK

if TYPE_CHECKING:
    from collections.abc import Callable

    from oloproof.workers.framing import Frame

    Send = Callable[[bytes, Any, bytes], None]


class Dispatch:
    """One system, loaded once, and the jobs that are run on it."""

    def __init__(self, opening: Any, send: Send) -> None:
        root = Path(opening["root"])
        system = load_system(opening["callable"], root, opening["kind"])
        retries = opening["retries"]
        self._root = root
        self._send = send
        self._unit = 0
        self._loaded: frozenset[str] = frozenset()
        self._execution = Execution(
            system,
            Caller(opening["timeout_s"]),
            Redaction(opening["redact"]),
            Retries(
                attempts=retries["attempts"],
                on=tuple(retries["on"]),
                wait_s=retries["wait_s"],
                before_wait=lambda seconds: send(MARK, seconds, b""),
            ),
            on_report=lambda data: send(REPORT, self._unit, data),
        )
        send(
            READY,
            {
                "stateful": system.stateful,
                "replayable": system.replayable,
                "conversational": system.conversational,
                "loaded": self._newly_loaded(),
            },
            b"",
        )

    def job(self, frame: Frame) -> None:
        """Run every unit of the job and the replays each asks for."""
        state_json = frame.body or None
        for unit in frame.header:
            self._unit = unit["unit"]
            request = Request(
                unit["id"], encode_in_order(unit["input"]), state_json, unit["replicate"]
            )
            recording = unit.get("recording")
            evidence_json = encode(recording) if recording is not None else self._record(request)
            if unit["sites"]:
                self._replay(request, evidence_json, unit["sites"])
        self._send(DONE, {"loaded": self._newly_loaded()}, b"")

    def _record(self, request: Request) -> bytes:
        recorded = self._execution.run(request)
        header = {"unit": self._unit, "s": recorded.duration_s, **recorded.timings}
        self._send(UNIT, header, recorded.evidence_json)
        return recorded.evidence_json

    def _replay(self, request: Request, evidence_json: bytes, sites: list[Any]) -> None:
        trajectory: Any = decode(evidence_json)
        steps = trajectory.get("agent_trajectory/v1", {}).get("steps", [])
        located = [(site, find_call(steps, site["tool"], site["occurrence"])) for site in sites]
        reached = [(site, index) for site, index in located if index is not None]
        if not reached:
            return
        replay = ManualReplay(self._execution, request, evidence_json)
        for site, index in reached:
            control, seconds = replay.control(index)
            self._tell(site, index, None, control, seconds)
            outcome: Any = decode(control)
            if outcome["reason"] is None and "divergence" not in outcome:
                for fault in site["faults"]:
                    faulted, seconds = replay.faulted(index, fault)
                    self._tell(site, index, fault, faulted, seconds)

    def _tell(
        self, site: Any, step_index: int, fault: str | None, evidence_json: bytes, seconds: float
    ) -> None:
        header = {"unit": self._unit, "step_index": step_index, "fault": fault, "s": seconds}
        self._send(REPLAY, header | {"tool": site["tool"]}, evidence_json)

    def _newly_loaded(self) -> list[str]:
        """Files of the project that were imported since this was last asked."""
        names = frozenset(sys.modules)
        fresh, self._loaded = names - self._loaded, names
        files = []
        for name in fresh:
            file = getattr(sys.modules.get(name), "__file__", None)
            if file is not None and Path(file).is_relative_to(self._root):
                files.append(str(Path(file).relative_to(self._root)))
        return sorted(files)
