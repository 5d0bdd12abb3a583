"""The source digest: which of the project's files the system's behaviour depends on.

Covered are the system's module with every module of the project it imports, directly or
not, and the files that `code_paths` names. Imports are read, not run.
"""

from __future__ import annotations

import ast
from hashlib import sha256
from typing import TYPE_CHECKING

from oloproof.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path


def source_files(root: Path, module: str, code_paths: Iterable[str]) -> list[Path]:
    """The files that the source digest covers, sorted."""
    found = set(_import_closure(root, module))
    for pattern in code_paths:
        if pattern.startswith("/") or ".." in pattern.split("/"):
            raise ConfigurationError(
                f"`code_paths` names a place outside the project: {pattern}",
                where="oloproof.yaml: system.code_paths",
                mend="give patterns relative to the folder of oloproof.yaml",
            )
        matches = [path for path in root.glob(_with_files(pattern)) if path.is_file()]
        if not matches:
            raise ConfigurationError(
                f"`code_paths` matches no file: {pattern}",
                where="oloproof.yaml: system.code_paths",
                mend="correct the pattern (such as `prompts/**`), or leave it out",
            )
        found.update(matches)
    return sorted(path for path in found if "__pycache__" not in path.parts)


def _with_files(pattern: str) -> str:
    # pathlib before 3.13 takes a final `**` for folders alone.
    return pattern + "/*" if pattern.endswith("**") else pattern


def source_digest(root: Path, files: Iterable[Path]) -> str:
    """SHA-256 over the names and contents of `files`, 64 hexadecimal digits."""
    whole = sha256()
    for path in files:
        name = str(path.relative_to(root)).encode()
        whole.update(b"%d %b %b" % (len(name), name, sha256(path.read_bytes()).digest()))
    return whole.hexdigest()


def _import_closure(root: Path, module: str) -> Iterator[Path]:
    waiting, seen = [module], set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        parts = name.split(".")
        for depth in range(1, len(parts)):
            waiting.append(".".join(parts[:depth]))
        path = _file_of(root, parts)
        if path is not None:
            yield path
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
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
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
