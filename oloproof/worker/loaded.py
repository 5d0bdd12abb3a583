"""Which modules the user's system has loaded, and whether one of them uses this package."""

from __future__ import annotations

import sys

from oloproof.systems.source import own_file


class LoadedModules:
    """The modules of this process, with what was loaded since they were last looked at."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._told: frozenset[str] = frozenset()
        self._searched: frozenset[str] = frozenset()
        self._used = False
        self._declared = 0

    def new_files(self) -> list[str]:
        """Files of the project that were imported since this was last asked."""
        if len(sys.modules) == len(self._told):
            return []
        fresh, self._told = _since(self._told)
        files = []
        for name in fresh:
            file = _contents(name).get("__file__")
            own = own_file(self._root, file) if isinstance(file, str) else None
            if own is not None:
                files.append(own)
        return sorted(files)

    def new_tools(self) -> dict[str, bool]:
        """The tools that the system has declared, where there are more than when last asked."""
        declaring = sys.modules.get("oloproof.recording.declaration")
        tools: dict[str, bool] = {} if declaring is None else declaring.TOOLS
        if len(tools) == self._declared:
            return {}
        self._declared = len(tools)
        return dict(tools)

    def use_the_package(self) -> bool:
        """Whether a module has `oloproof` under any name: it may use all that it offers."""
        if not self._used and len(sys.modules) != len(self._searched):
            package = sys.modules["oloproof"]
            fresh, self._searched = _since(self._searched)
            # Modules that are being imported by another thread change meanwhile.
            self._used = any(
                value is package for name in fresh for value in list(_contents(name).values())
            )
        return self._used


def _since(known: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
    """The names of modules that are not among those `known`, and all there are now."""
    names = frozenset(sys.modules)
    return names - known, names


def _contents(name: str) -> dict[str, object]:
    """What a module holds by name; anything may stand in the place of one."""
    found: dict[str, object] = getattr(sys.modules.get(name), "__dict__", {})
    return found
