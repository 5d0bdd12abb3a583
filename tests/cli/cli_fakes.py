"""Workflows that only pretend: they give hand-made reports and remember how they were called."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, MutableMapping

    from oloproof.workflows.events import Event

sys.path.append(str(Path(__file__).parents[1] / "reporting"))

import reporting_samples as samples  # found through the line above

REPORTS = {
    ("gate", "gate"): samples.RUN,
    ("inspect", "inspect_case"): samples.CASE,
    ("inspect", "list_cases"): samples.CASES,
    ("replay", "replay"): [samples.REPLAY],
    ("replay", "checkpoints"): samples.CHECKPOINTS,
    ("check", "check"): samples.CHECK,
    ("check", "DEFAULT_CASES"): 3,
    ("runs", "list_runs"): samples.RUNS,
    ("pairs", "pairs"): samples.PAIRS,
    ("judge", "judge"): samples.JUDGED,
    ("init", "init"): samples.INIT,
    ("cache", "list_cache"): samples.CACHE_LIST,
    ("cache", "verify_cache"): samples.CACHE_VERIFY,
    ("cache", "prune_cache"): samples.CACHE_PRUNE,
    ("cache", "export_cache"): samples.CACHE_EXPORT,
    ("cache", "import_cache"): samples.CACHE_IMPORT,
    ("init", "examples"): [("stateful-agent", "A refund desk.")],
}


class Fakes:
    """Stands in for `oloproof.workflows.*` in the modules that Python knows."""

    def __init__(self, modules: MutableMapping[str, ModuleType]) -> None:
        self._modules = modules
        self.calls: list[tuple[tuple[Any, ...], dict[str, Any]]] = []
        for (module, name), report in REPORTS.items():
            if name.isupper():
                setattr(self._fake(module), name, report)
            else:
                self.gives(module, name, report)

    def gives(self, module: str, function: str, report: Any) -> None:
        """Lets a workflow give `report`."""
        self._put(module, function, lambda: report)

    def raises(self, module: str, function: str, error: BaseException) -> None:
        """Lets a workflow raise `error`."""

        def fail() -> None:
            raise error

        self._put(module, function, fail)

    def runs(self, events: Callable[[], Iterable[Event]]) -> None:
        """Lets `run` yield what `events` does."""

        def generate() -> Iterator[Event]:
            yield from events()

        self._put("run", "run", generate)

    def _put(self, module: str, function: str, act: Callable[[], Any]) -> None:
        def workflow(*arguments: Any, **options: Any) -> Any:
            self.calls.append((arguments, options))
            return act()

        setattr(self._fake(module), function, workflow)

    def _fake(self, module: str) -> ModuleType:
        name = f"oloproof.workflows.{module}"
        fake = self._modules.get(name)
        if fake is None or not getattr(fake, "is_fake", False):
            fake = ModuleType(name)
            fake.is_fake = True  # type: ignore[attr-defined]  # a mark of this module's own
            self._modules[name] = fake
        return fake


if __name__ == "__main__":
    from oloproof.cli import main

    Fakes(sys.modules)
    sys.exit(main())
