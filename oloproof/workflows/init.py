"""`oloproof init`: lays out a project, and never overwrites a file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from oloproof.errors import ConfigurationError, suggest
from oloproof.records.project_report import InitReport

if TYPE_CHECKING:
    from collections.abc import Iterator

_PACKAGE: Final = Path(__file__).resolve().parent.parent
_STRAY: Final = ("__pycache__", ".oloproof", ".env", ".DS_Store")
_SYSTEM: Final = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")
_CI_FILES: Final = {"github": ".github/workflows/oloproof.yml"}
_BUILT_ON: Final = {"hand-written-replay": "stateful-agent"}
"""Examples that differ from another one in a few files: all others are those of that one."""


class _File(NamedTuple):
    target: str
    data: bytes


def examples() -> list[tuple[str, str]]:
    """The name of each example, and the first sentence of its README."""
    return [
        (folder.name, _first_sentence(folder / "README.md"))
        for folder in sorted(_data("examples").iterdir(), key=_originals_first)
        if (folder / "README.md").is_file()
    ]


def init(
    path: Path, *, example: str | None = None, system: str | None = None, ci: str | None = None
) -> InitReport:
    """Write an example, or a project around `system`, into `path`; what was written.

    An example goes into a new folder of its name where `path` holds files already. With `ci`
    alone, in a project that is already there, only the workflow is added. Nothing is written
    when one of the files exists.
    """
    if example is not None and system is not None:
        raise ConfigurationError(
            "an example brings its own system", fix="give --example or --system, not both"
        )
    adding_ci = ci is not None and example is None and system is None
    files: list[_File] = []
    if not (adding_ci and (path / "oloproof.yaml").exists()):
        files += _example(example) if example is not None else _project(path, system)
    if ci is not None:
        files.append(_workflow(ci))
    if example is not None and _holds_files(path):
        path = path / example
    _refuse_to_overwrite(path, files)
    _write(path, files)
    return InitReport(
        path=str(path),
        written=[file.target for file in files],
        next_steps=_next_steps(path, example, system, ci),
    )


def _data(name: str) -> Path:
    """A folder that ships with the package: inside the wheel, or beside it in a checkout."""
    for folder in (_PACKAGE / "_data" / name, _PACKAGE.parent / name):
        if folder.is_dir():
            return folder
    raise ConfigurationError(
        f"this installation of Oloproof lacks its {name}", fix="install it again from the checkout"
    )


def _example(name: str) -> list[_File]:
    names = [known for known, _ in examples()]
    if name not in names:
        raise ConfigurationError(f"there is no example `{name}`", fix=suggest(name, names))
    files: dict[str, _File] = {}
    for layer in filter(None, (_BUILT_ON.get(name), name)):
        files |= {file.target: file for file in _tree(_data("examples") / layer, "")}
        labels = _data("labels") / layer
        if labels.is_dir():
            files |= {file.target: file for file in _tree(labels, "labels/")}
    return list(files.values())


def _originals_first(folder: Path) -> tuple[bool, str]:
    """Orders examples by name, those that are built on another one behind the others."""
    return folder.name in _BUILT_ON, folder.name


def _tree(folder: Path, prefix: str) -> Iterator[_File]:
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if path.is_file() and not any(part in _STRAY or part.startswith(".env") for part in parts):
            yield _File(prefix + "/".join(parts), path.read_bytes())


def _project(path: Path, system: str | None) -> Iterator[_File]:
    if system is not None and not _SYSTEM.fullmatch(system):
        raise ConfigurationError(
            f"`{system}` does not name an object",
            fix="write it as module:attribute, such as app:agent",
        )
    values = {"project": _project_name(path), "callable": system or "app:notebook"}
    for file in _tree(_data("templates") / "project", ""):
        if system is not None and file.target == "app.py":
            continue
        text = file.data.decode()
        for name, value in values.items():
            text = text.replace("{{" + name + "}}", value)
        yield _File(file.target, text.encode())


def _project_name(path: Path) -> str:
    return re.sub(r"[^\w.-]+", "-", path.resolve().name).strip("-") or "project"


def _workflow(ci: str) -> _File:
    if ci not in _CI_FILES:
        raise ConfigurationError(f"there is no workflow for `{ci}`", fix=suggest(ci, _CI_FILES))
    return _File(_CI_FILES[ci], (_data("templates") / "ci" / f"{ci}.yml").read_bytes())


def _holds_files(path: Path) -> bool:
    """Whether somebody works in a folder; what is hidden, such as `.git`, may be there."""
    return path.is_dir() and any(not entry.name.startswith(".") for entry in path.iterdir())


def _refuse_to_overwrite(path: Path, files: list[_File]) -> None:
    there = [file.target for file in files if (path / file.target).exists()]
    if path.exists() and not path.is_dir():
        raise ConfigurationError(f"{path} is a file", fix="name a folder")
    if there and len(files) == 1 and there[0] in _CI_FILES.values():
        raise ConfigurationError(
            f"nothing was written: {there[0]} exists already",
            where=str(path),
            fix="change it by hand, or remove it to have it written again",
        )
    if there:
        others = f", and so do {len(there) - 1} more" if len(there) > 1 else ""
        raise ConfigurationError(
            f"nothing was written: {there[0]} exists already{others}",
            where=str(path),
            fix="name another folder: `oloproof init PATH`",
        )


def _write(path: Path, files: list[_File]) -> None:
    for file in files:
        target = path / file.target
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("xb") as out:
                out.write(file.data)
        except OSError as error:
            raise ConfigurationError(
                f"{file.target} cannot be written: {error.strerror}",
                where=str(path),
                fix="name a folder that you may write to",
            ) from None


def _next_steps(path: Path, example: str | None, system: str | None, ci: str | None) -> list[str]:
    steps = [] if path.resolve() == Path.cwd() else [f"cd {path}"]
    if example is not None:
        steps += ["oloproof run", "oloproof inspect --failures"]
    elif system is not None:
        steps += [
            "put your own requests, worlds and expected results into data/cases.jsonl",
            "oloproof run",
        ]
    elif ci is None or not steps:
        steps += ["oloproof run"]
    if ci is not None:
        steps.append(
            "set the repository variable that the head of the workflow names, and commit it"
        )
    return steps


def _first_sentence(readme: Path) -> str:
    if not readme.is_file():
        return ""
    for line in readme.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            return line.strip()
    return ""
