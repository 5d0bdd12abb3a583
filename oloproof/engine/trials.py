"""Runs cases and replays beside every run: on workers of their own, and stored nowhere."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any

from oloproof.engine.engine import Engine
from oloproof.engine.opening import opening

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from oloproof.engine.groups import Group
    from oloproof.suites.suite import Suite


class Trials:
    """Runs groups of one suite; `check_system` hears from each process what the system can do."""

    def __init__(
        self, suite: Suite, check_system: Callable[[dict[str, Any]], None] = lambda _: None
    ) -> None:
        self._suite = suite
        self._check_system = check_system

    def run(self, groups: Sequence[Group], *, hash_seed: int | None = None) -> None:
        """Take the groups through one fresh process, one after another.

        With a `hash_seed` the order of sets there is another one than in a run.
        """
        suite = self._suite
        engine = Engine(
            store=_KeptNowhere(),
            run=0,
            opening=opening(suite),
            declared_at=suite.where("system", "callable"),
            concurrency=1,
            timeout_s=suite.system.timeout_s,
            check_system=self._check_system,
            journal=None,
            environment={} if hash_seed is None else {"PYTHONHASHSEED": str(hash_seed)},
        )
        for _ in engine.through(groups):
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
