"""The keys under which executions and replays are known. No outcome enters a key."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from oloproof.canonical import encode, encode_in_order
from oloproof.records.faults import FAULT_RESULTS
from oloproof.replaying.sites import REPLAY_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from oloproof.canonical import JsonValue
    from oloproof.records.faults import ModelPolicy
    from oloproof.suites.case import Case
    from oloproof.suites.suite import Suite
    from oloproof.systems.recorded import Recordings
    from oloproof.workflows.identity import Identity

CONTRACT_VERSION: Final = 2
"""Raised when the same case of the same system may be recorded differently."""


class ExecutionKeys:
    """Keys of one system's executions; `made_by` says which object it is, and how it is tried.

    `source_of` gives the digest of what a case's evidence follows from, by its id and
    replicate, where that is not the same source for all of them.
    """

    def __init__(
        self,
        *,
        name: str,
        version: str,
        source_digest: str,
        redact: Iterable[str] = (),
        made_by: Iterable[str] = (),
        source_of: Callable[[str, int], bytes] | None = None,
    ) -> None:
        # What is redacted is recorded otherwise: evidence under other rules is other evidence.
        parts: list[JsonValue] = [CONTRACT_VERSION, name, version, source_digest]
        identity = encode([*parts, [*redact], [*made_by]])
        self._system = sha256(identity).digest()
        self._source_of = source_of
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
        parts = [self._system, self._state[1], request]
        if self._source_of is not None:
            parts.append(self._source_of(case.id, replicate))
        return sha256(b"\n".join(parts)).digest()


def execution_keys(
    suite: Suite, identity: Identity, recordings: Recordings | None
) -> ExecutionKeys:
    """The keys of a run; what was recorded elsewhere is known line by line."""
    recorded = recordings is not None
    return ExecutionKeys(
        name=identity.name,
        version=suite.system.version if recorded else identity.version,
        source_digest="recorded" if recorded else identity.source_digest,
        redact=suite.redact,
        made_by=() if recorded else _made_by(suite),
        source_of=recordings.digest if recordings is not None else None,
    )


def _made_by(suite: Suite) -> list[str]:
    """Which object of the source it is, and what is tried again: both make other evidence."""
    retries = suite.retries if suite.retries.attempts > 1 else None
    tried = [] if retries is None else [str(retries.attempts), *retries.on]
    return [str(suite.system.callable), str(suite.system.kind), *tried]


def replay_key(
    execution_key: bytes,
    recording_digest: bytes,
    step_index: int,
    fault: str | None,
    models: ModelPolicy,
) -> bytes:
    """The key of the replay of a recording at a step, under a fault or (None) as control.

    `fault` is a kind of fault with its duration; `models` where models are answered behind it.
    """
    result: Any = FAULT_RESULTS.get(fault or "")
    parts: list[JsonValue] = [REPLAY_VERSION, step_index, fault, result]
    change = encode(parts if models == "live" or fault is None else [*parts, models])
    return sha256(b"\n".join((execution_key, recording_digest, change))).digest()
