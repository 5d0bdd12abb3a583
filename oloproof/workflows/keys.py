"""The keys under which executions and replays are known. No outcome enters a key."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from oloproof.canonical import encode, encode_in_order
from oloproof.records.faults import FAULT_RESULTS
from oloproof.replaying.sites import REPLAY_VERSION

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oloproof.canonical import JsonValue
    from oloproof.suites.case import Case

CONTRACT_VERSION: Final = 1
"""Raised when the same case of the same system may be recorded differently."""


class ExecutionKeys:
    """Keys of one system's executions."""

    def __init__(
        self, *, name: str, version: str, source_digest: str, redact: Iterable[str] = ()
    ) -> None:
        # What is redacted is recorded otherwise: evidence under other rules is other evidence.
        identity = encode([CONTRACT_VERSION, name, version, source_digest, *redact])
        self._system = sha256(identity).digest()
        self._state: tuple[bytes | None, bytes] = (None, b"")

    def key(self, case: Case, replicate: int) -> bytes:
        """The key of one execution, 32 bytes.

        What the agent sees enters it as it sees it, with the order of keys as given.
        """
        if self._state[0] is not case.state_json or case.state_json is None:
            state = case.state_json
            self._state = (state, b"-" if state is None else sha256(state).digest())
        # A conversation is no single call whose input happens to look like one.
        request = encode_in_order(
            [case.id, case.input, replicate, "turns"]
            if case.turns
            else [case.id, case.input, replicate]
        )
        return sha256(b"\n".join((self._system, self._state[1], request))).digest()


def replay_key(
    execution_key: bytes,
    recording_digest: bytes,
    step_index: int,
    fault: str | None,
    models: str = "live",
) -> bytes:
    """The key of the replay of a recording at a step, under a fault or (None) as control.

    `fault` is a kind of fault with its duration; `models` where models are answered behind it.
    """
    result: Any = FAULT_RESULTS.get(fault or "")
    parts: list[JsonValue] = [REPLAY_VERSION, step_index, fault, result]
    change = encode(parts if models == "live" or fault is None else [*parts, models])
    return sha256(b"\n".join((execution_key, recording_digest, change))).digest()
