"""The one fingerprint of a system and its set-up, from which every key is made.

A new thing that results depend on is one more field of `Fingerprint`, with the level from
which it counts: keys, the digest of the inputs and what a run keeps follow from the fields.
No outcome enters a key.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from oloproof.canonical import encode, encode_in_order
from oloproof.records.faults import fixed_result
from oloproof.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from oloproof.canonical import JsonValue
    from oloproof.records.case import Case
    from oloproof.systems.recorded import Recordings

CONTRACT_VERSION: Final = 6
"""Raised when the same case of the same system may be recorded differently."""

REPLAY_VERSION: Final = 3
"""Raised when the same replay of the same recording may be recorded differently."""

NO_JUDGES: Final = frozenset({"cli", "pool", "recording", "reporting", "worker"})
"""The parts of the package that no verdict and no count follows from."""

_JUDGES: Final = frozenset({".py", ".json"})
"""What judges: code, and the languages in which claims are read."""

Level: TypeAlias = Literal["execution", "replay", "fault", "verdict"]


def _counts_for(level: Level, **options: Any) -> Any:
    return field(metadata={"level": level}, **options)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprint:
    """Everything beside its case that a result follows from.

    The level of a field says what it makes another thing of: an execution (and with it all
    that follows), a replay (its control, too), a replay under a fault, or a verdict alone.
    `redact` is a digest: a rule may itself say what must not be kept.
    """

    contract: int = _counts_for("execution", default=CONTRACT_VERSION)
    python: str = _counts_for("execution")
    system: str = _counts_for("execution")
    version: str = _counts_for("execution")
    source: str = _counts_for("execution")
    object: str | None = _counts_for("execution", default=None)
    kind: str | None = _counts_for("execution", default=None)
    redact: str = _counts_for("execution", default="")
    retries: tuple[str, ...] = _counts_for("execution", default=())
    replay: int = _counts_for("replay", default=REPLAY_VERSION)
    ignore: tuple[str, ...] = _counts_for("replay", default=())
    generated_keys: tuple[str, ...] = _counts_for("replay", default=())
    models: str = _counts_for("fault", default="live")
    recordings: str | None = _counts_for("verdict", default=None)
    judging: str = _counts_for("verdict", default="")
    own_kinds: str = _counts_for("verdict", default="")

    @property
    def shown_version(self) -> str:
        """The version as people read it."""
        whole = self.recordings
        return self.version if whole is None or self.version != "auto" else whole[:12]

    @property
    def source_digest(self) -> str:
        """The digest of the system's source; of one that ran elsewhere, of its recordings."""
        return self.recordings or self.source

    def digest(self, *levels: Level) -> bytes:
        """The digest of the fields of some levels (none given: of all), 32 bytes."""
        parts: list[JsonValue] = [
            [one.name, _plain(getattr(self, one.name))]
            for one in fields(self)
            if not levels or one.metadata["level"] in levels
        ]
        return sha256(encode(parts)).digest()

    def to_json(self) -> dict[str, Any]:
        """The fields as a run keeps them."""
        return {name: _plain(value) for name, value in asdict(self).items()}

    @classmethod
    def from_json(cls, kept: dict[str, Any]) -> Fingerprint | None:
        """The fingerprint that a run kept; None where it has other fields than today's."""
        if kept.keys() != {one.name for one in fields(cls)}:
            return None
        values: Any = {n: tuple(v) if isinstance(v, list) else v for n, v in kept.items()}
        return cls(**values)

    def differing(self, other: Fingerprint) -> list[str]:
        """The names of the fields in which two fingerprints differ."""
        mine, theirs = self.to_json(), other.to_json()
        return [name for name, value in mine.items() if theirs[name] != value]


class Keys:
    """The keys of the executions and replays of one system.

    `source_of` gives the digest of what a case's evidence follows from, by its id and
    replicate, where that is not the same source for all of them.
    """

    def __init__(
        self, fingerprint: Fingerprint, source_of: Callable[[str, int], bytes] | None = None
    ) -> None:
        self._execution = fingerprint.digest("execution")
        self._control = fingerprint.digest("replay")
        self._fault = fingerprint.digest("replay", "fault")
        self._source_of = source_of
        self._state: tuple[bytes | None, bytes] = (None, b"")

    def execution(self, case: Case, replicate: int) -> bytes:
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
        parts = [self._execution, self._state[1], request]
        if self._source_of is not None:
            parts.append(self._source_of(case.id, replicate))
        return sha256(b"\n".join(parts)).digest()

    def replay(
        self, execution: bytes, recording: bytes, step_index: int, fault: str | None
    ) -> bytes:
        """The key of the replay of a recording (its digest) at a step, 32 bytes.

        `fault` is a kind of fault with its duration, None for the control.
        """
        change = encode([step_index, fault, fixed_result(fault)])
        made_by = self._control if fault is None else self._fault
        return sha256(b"\n".join((execution, recording, made_by, change))).digest()


def keys_of(fingerprint: Fingerprint, recordings: Recordings | None = None) -> Keys:
    """The keys of a run; what was recorded elsewhere is known line by line."""
    return Keys(fingerprint, None if recordings is None else recordings.digest)


@cache
def judging_version() -> str:
    """The version of what judges: this release with the digest of the code of its judges."""
    whole = sha256()
    for path in _judging_files():
        code = path.read_bytes()
        whole.update(b"%s %d " % (path.name.encode(), len(code)))
        whole.update(code)
    return f"{VERSION} {whole.hexdigest()[:16]}"


def _judging_files() -> Iterator[Path]:
    package = Path(__file__).parent.parent
    for path in sorted(package.iterdir()):
        if path.name not in NO_JUDGES:
            found = [path] if path.is_file() else sorted(path.rglob("*"))
            yield from (file for file in found if file.suffix in _JUDGES)


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
