"""The source digest: which files the system's behaviour depends on.

Covered are the system's module with every module of the project it imports, directly or
not, and the files that `code_paths` names. Of a system that lies elsewhere on the path, as
in `src/` or installed, it is the package that it belongs to. Imports are read, not run.
"""

from __future__ import annotations

import ast
import os
import sys
from hashlib import sha256
from importlib.machinery import PathFinder
from pathlib import Path
from typing import TYPE_CHECKING, Final

from oloproof.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_NEVER_SOURCE: Final = frozenset({"__pycache__", ".oloproof", ".git"})
_INSTALLED: Final = frozenset({"site-packages", "dist-packages"})


def source_files(
    root: Path,
    module: str,
    code_paths: Iterable[str],
    *,
    where: str = "oloproof.yaml: system.code_paths",
) -> list[Path]:
    """The files that the source digest covers, sorted; `where` the `code_paths` are written."""
    found = set(_import_closure(root, module))
    for pattern in code_paths:
        found |= _matches(root, pattern, where)
    return sorted(found)


def source_digest(root: Path, files: Iterable[Path]) -> str:
    """SHA-256 over the names and contents of `files`, 64 hexadecimal digits."""
    whole = sha256()
    for path in files:
        name = os.fsencode(file_name(root, path))
        whole.update(b"%d %b %b" % (len(name), name, sha256(_read(path)).digest()))
    return whole.hexdigest()


def own_file(root: str, file: str) -> str | None:
    """The name of a project's own source file relative to `root`.

    None for a file elsewhere, and for what is installed in an environment inside the project.
    """
    below = root + os.sep
    if not file.startswith(below):
        return None
    for prefix in (sys.prefix, sys.base_prefix):
        if prefix.startswith(below) and file.startswith(prefix + os.sep):
            return None
    name = file[len(below) :]
    return None if _INSTALLED.intersection(Path(name).parts) else name


def _matches(root: Path, pattern: str, where: str) -> set[Path]:
    """The files that one entry of `code_paths` names; it must name one."""
    if pattern.startswith("/") or ".." in pattern.split("/"):
        raise ConfigurationError(
            f"`code_paths` names a place outside the project: {pattern}",
            where=where,
            fix="give patterns relative to the folder of oloproof.yaml",
        )
    # pathlib before 3.13 takes a final `**` for folders alone.
    whole = pattern + "/*" if pattern.endswith("**") else pattern
    try:
        found = [path for path in root.glob(whole) if path.is_file()]
    except (ValueError, NotImplementedError) as error:
        raise ConfigurationError(
            f"`code_paths` has a pattern that cannot be read: {pattern} ({error})",
            where=where,
            fix="`*` stands for a name, `**` for any number of folders: `prompts/**/*.md`",
        ) from None
    matches = {p for p in found if not _NEVER_SOURCE.intersection(p.relative_to(root).parts)}
    if not matches:
        raise ConfigurationError(
            f"`code_paths` matches no file: {pattern}",
            where=where,
            fix="correct the pattern (such as `prompts/**`), or leave it out",
        )
    return matches


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigurationError(
            f"a file of the system cannot be read: {error.strerror}",
            where=str(path),
            fix="the source digest covers it: make it readable",
        ) from None


def file_name(root: Path, path: Path) -> str:
    """A file as it is named on every machine: below the project, else below an import path."""
    for base in (root, *map(Path, sys.path)):
        if path.is_relative_to(base):
            return str(path.relative_to(base))
    return path.name


def _base_of(root: Path, module: str) -> Path | None:
    """The folder in which a module of the system is looked for; None for no Python source."""
    top = module.partition(".")[0]
    if _file_of(root, [top]) is not None or (root / top).is_dir():
        return root
    spec = PathFinder.find_spec(top, [str(root), *sys.path])
    if spec is None:
        return None
    places = list(spec.submodule_search_locations or ()) or [spec.origin or ""]
    return Path(places[0]).parent


def _import_closure(root: Path, module: str) -> Iterator[Path]:
    base = _base_of(root, module)
    if base is None:
        return
    # Of what is installed beside the system, a version says more than a digest would.
    top = module.partition(".")[0]
    alone = not base.is_relative_to(root) or bool(_INSTALLED.intersection(base.parts))
    yield from (
        path for name, path in _closure(base, module) if not alone or name.partition(".")[0] == top
    )


def _closure(root: Path, module: str) -> Iterator[tuple[str, Path]]:
    waiting, seen = [module], set()
    while waiting:
        name = waiting.pop()
        if not name or name in seen:
            continue
        seen.add(name)
        parts = name.split(".")
        waiting += [".".join(parts[:depth]) for depth in range(1, len(parts))]
        path = _file_of(root, parts)
        if path is not None:
            yield name, path
            waiting.extend(_imported(path, name))


def _file_of(root: Path, parts: list[str]) -> Path | None:
    base = root.joinpath(*parts)
    for path in (base / "__init__.py", base.with_suffix(".py")):
        if path.is_file():
            return path
    return None


def _imported(path: Path, module: str) -> Iterator[str]:
    """Every module name that a file may import, inside functions too."""
    try:
        tree = ast.parse(_read(path))
    except (SyntaxError, ValueError, RecursionError):
        return  # importing it will say what is wrong
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(node, package)
            yield base
            yield from (f"{base}.{alias.name}" if base else alias.name for alias in node.names)


def _absolute(node: ast.ImportFrom, package: str) -> str:
    if not node.level:
        return node.module or ""
    parts = package.split(".") if package else []
    kept = parts[: len(parts) - (node.level - 1)]
    return ".".join([*kept, *([node.module] if node.module else [])])
