"""Runs cases and replays beside every run: on workers of their own, and stored nowhere."""

from __future__ import annotations

from contextlib import ExitStack
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from oloproof.engine.engine import Engine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from oloproof.engine.groups import Group
    from oloproof.pool.pool import Pool
    from oloproof.suites.suite import Suite


def opening(suite: Suite, journal: dict[str, Any] | None = None) -> dict[str, Any]:
    """What a worker is told of the system it is to load, and where it writes down results."""
    return {
        "journal": journal,
        "root": str(suite.root),
        "callable": suite.system.callable,
        "kind": suite.system.kind,
        "timeout_s": suite.system.timeout_s,
        "models": suite.system.models,
        "ignore": list(suite.system.ignore),
        "generated_keys": list(suite.system.generated_keys),
        "redact": list(suite.redact),
        "retries": {
            "attempts": suite.retries.attempts,
            "on": list(suite.retries.on),
            "wait_s": suite.retries.wait_s,
        },
    }


class _Started(NamedTuple):
    """A process that has imported the system, and done nothing since but fork."""

    engine: Engine
    pool: Pool


class Trials:
    """Runs groups of one suite; `check_system` hears from each process what the system can do.

    Importing may take long, so a process that imported the system is forked for what has to
    begin in a fresh one, as long as that is safe.
    """

    def __init__(
        self, suite: Suite, check_system: Callable[[dict[str, Any]], None] = lambda _: None
    ) -> None:
        self._suite = suite
        self._check_system = check_system
        self._started: dict[int | None, _Started] = {}
        self._open = ExitStack()
        self._forks = True
        self.imported = 0
        """How many modules a process imported for the system."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def run(self, groups: Sequence[Group], *, hash_seed: int | None = None) -> None:
        """Take the groups through one fresh process, one after another.

        With a `hash_seed` the order of sets there is another one than in a run.
        """
        started = self._started.pop(hash_seed, None)
        if started is None:
            _exhaust(self._engine(hash_seed).through(groups))
        else:
            _exhaust(started.engine.through_pool(started.pool, groups))

    def run_each(self, groups: Iterable[Group], *, hash_seed: int | None = None) -> None:
        """Take each group through a process in which nothing ran before."""
        for group in groups:
            group.fresh = True
            started = self._start(hash_seed)
            _exhaust(started.engine.through_pool(started.pool, [group]))
            if not self._forks:
                del self._started[hash_seed]  # it did the work itself

    def _start(self, hash_seed: int | None) -> _Started:
        if hash_seed not in self._started:
            engine = self._engine(hash_seed)
            self._started[hash_seed] = _Started(engine, self._open.enter_context(engine.pool()))
        return self._started[hash_seed]

    def _engine(self, hash_seed: int | None) -> Engine:
        suite = self._suite
        return Engine(
            store=_KeptNowhere(),
            run=0,
            opening=opening(suite),
            declared_at=suite.where("system", "callable"),
            concurrency=1,
            timeout_s=suite.system.timeout_s,
            check_system=self._see,
            journal=None,
            environment={} if hash_seed is None else {"PYTHONHASHSEED": str(hash_seed)},
        )

    def _see(self, ability: dict[str, Any]) -> None:
        self._forks = ability["forks"]
        self.imported = ability["imported"]
        self._check_system(ability)


def _exhaust(groups: Iterable[Group]) -> None:
    for _ in groups:
        pass


class _KeptNowhere:
    """What the engine needs of a store, for what is only looked at."""

    patience_s: None = None

    def add_result(self, key: bytes, data: bytes, **_: object) -> bytes:  # noqa: ARG002
        """The digest of the evidence."""
        return sha256(data).digest()

    def commit_when_due(self) -> None:
        """Nothing waits."""

    def commit(self) -> None:
        """Nothing waits."""
