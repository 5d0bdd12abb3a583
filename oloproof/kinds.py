"""Finds the code of a kind by its name: one of ours, of an installed package, or the project's own.

Ours are modules of one folder each. Other packages offer theirs as entry points. A project names
its own as Python does: `module` or `package.module`, or `module:name` for what stands in one.
"""

from __future__ import annotations

import importlib
import pkgutil
import traceback
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from oloproof.errors import ConfigurationError, suggest
from oloproof.systems.loading import load_object

if TYPE_CHECKING:
    from collections.abc import Iterable
    from importlib.metadata import EntryPoint
    from pathlib import Path


class Kinds(NamedTuple):
    """What there is of a sort: modules of `package`, and entry points of the group of its name.

    `what` is the sort, as an error says it. Each has `Options`, the form of what a suite says
    of it, and `build`, which makes of that what the sort is for.
    """

    package: str
    what: str

    def names(self) -> list[str]:
        """The names of those that are ours, sorted."""
        package = importlib.import_module(self.package)
        return sorted(module.name for module in pkgutil.iter_modules(package.__path__))

    def find(self, name: str, *, where: str | None, root: Path | None = None) -> Any:
        """The module (or object) of that name; `ConfigurationError` where there is none.

        One of the project's own is imported from its folder, `root`.
        """
        ours = self.names()
        if name in ours:
            return importlib.import_module(f"{self.package}.{name}")
        if is_own(name, root):
            try:
                return self._whole(load_object(name, root))
            except ConfigurationError as error:
                raise ConfigurationError(
                    f"{self.what} `{name}`: {error.what}", where=where, fix=error.fix
                ) from error
        installed = self.installed()
        if name in installed:
            return self._whole(installed[name].load())
        raise ConfigurationError(
            f"there is no {self.what} `{name}`",
            where=where,
            fix=suggest(name, [*ours, *installed]),
        )

    def build(self, name: str, found: Any, *given: Any, where: str) -> Any:
        """What the code of a kind makes; whatever foreign code raises is an error of the suite."""
        try:
            return found.build(*given)
        except ConfigurationError:
            raise
        except Exception as error:
            if name in self.names():
                raise
            line = traceback.extract_tb(error.__traceback__)[-1]
            raise ConfigurationError(
                f"{self.what} `{name}`: `build` raised {type(error).__name__}: {error}",
                where=where,
                fix=f"see {line.filename}:{line.lineno}",
            ) from error

    def _whole(self, found: Any) -> Any:
        for part in ("Options", "build"):
            if not hasattr(found, part):
                raise ConfigurationError(
                    f"it has no `{part}`",
                    fix="write `Options`, the form of what the suite says, and `build(…)`",
                )
        return found

    def installed(self) -> dict[str, EntryPoint]:
        """The entry points of other packages, by name."""
        from importlib.metadata import entry_points  # few suites name any

        return {point.name: point for point in entry_points(group=self.package)}


EVALUATORS: Final = Kinds("oloproof.evaluators", "evaluator")
TRANSFORMS: Final = Kinds("oloproof.metamorphic.kinds", "transform")


def is_own(name: str, root: Path | None) -> bool:
    """Whether a name is that of code of the project in `root`."""
    if "." in name or ":" in name:
        return True
    return root is not None and (
        (root / f"{name}.py").is_file() or (root / name / "__init__.py").is_file()
    )


def foreign_modules(root: Path, evaluators: Iterable[str], transforms: Iterable[str]) -> list[str]:
    """The modules of those kinds that are not ours, sorted: verdicts follow from them, too."""
    found = set()
    for kinds, names in ((EVALUATORS, evaluators), (TRANSFORMS, transforms)):
        ours = kinds.names()
        for name in names:
            if name in ours:
                continue
            if is_own(name, root):
                found.add(name.partition(":")[0])
            elif (point := kinds.installed().get(name)) is not None:
                found.add(point.module)
    return sorted(found)
