"""The pages of the documentation, their blocks, and what comes of running them.

Four kinds of fenced block do something, one after another in one scratch folder a page:

- ```console: lines that begin with `$ ` are commands, what follows is their output; `exit=1`
  behind it states the exit code of the last command, which is 0 otherwise
- ```python file=agent.py (or another language): the block is that file, whole
- ```diff file=agent.py: one change to that file

In an output a line of `…` alone stands for any number of lines.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).resolve().parent.parent
ELLIPSIS: Final = "…"

_FENCE: Final = re.compile(r"^```(\w*)(.*)$")
_CLOCKS: Final = (
    (r"(?<= after )(?:[\d.]+ (?:ms|s)|\d+ min \d+ s)$", "TIME"),
    (r"\b\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d)?(?:Z|\+00:00)", "MOMENT"),
    (r'(?<="duration_s": )[\d.e-]+', "TIME"),
    (r"(?<= in )\d+\.\d\ds\b", "TIME"),
    # Times of day and durations are in what is stored, and so in its digest and its size.
    (r"\b[0-9a-f]{64}\b", "DIGEST"),
    (r" *\b\d[\d.]* (?:B|kB|MB)\b", " SIZE"),
)
_PROGRAM: Final = "import sys; from oloproof.cli import main; sys.exit(main())"


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: where it begins in its page, what its fence says, and its lines."""

    page: Path
    line: int
    language: str
    info: dict[str, str]
    lines: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    @property
    def text(self) -> str:
        return "".join(line + "\n" for line in self.lines)

    @property
    def acts(self) -> bool:
        """Whether running the page does something with it."""
        return self.language == "console" or "file" in self.info


@dataclass(slots=True)
class Step:
    """One command of a console block, the output that the page shows, and the real one."""

    command: str
    shown: list[str]
    output: list[str] = field(default_factory=list)
    code: int = 0


def pages() -> list[Path]:
    """Every page of the documentation."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page, in order."""
    lines = iter(enumerate(page.read_text(encoding="utf-8").splitlines(), start=1))
    for number, line in lines:
        if not (fence := _FENCE.match(line)):
            continue
        language, rest = fence.groups()
        info = dict(part.split("=", 1) for part in shlex.split(rest))
        inner = []
        for _, text in lines:
            if text == "```":
                break
            inner.append(text)
        yield Block(page, number, language, info, tuple(inner))


def steps_of(block: Block) -> list[Step]:
    """The commands of a console block, each with the output shown."""
    steps: list[Step] = []
    for line in block.lines:
        if line.startswith("$ "):
            steps.append(Step(line[2:], []))
        else:
            steps[-1].shown.append(line)
    for step in steps:
        while step.shown and not step.shown[-1]:
            step.shown.pop()  # it only sets the next command apart
    return steps


class Scratch:
    """The folder in which a page is run, and where in it the reader stands."""

    def __init__(self, folder: Path) -> None:
        self.root = folder.resolve()
        self.here = self.root

    def act(self, block: Block) -> list[Step]:
        """Does what a block says; the commands that were run."""
        if block.language == "console":
            steps = steps_of(block)
            for step in steps:
                step.output, step.code = self._run(shlex.split(step.command))
            return steps
        target = self._inside(block.info["file"])
        if block.language == "diff":
            target.write_text(changed(target.read_text(encoding="utf-8"), block), encoding="utf-8")
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.text, encoding="utf-8")
        return []

    def _run(self, words: list[str]) -> tuple[list[str], int]:
        program, *arguments = words
        match program:
            case "oloproof":
                return self._start("-c", _PROGRAM, *arguments)
            case "pytest":
                return self._start("-m", "pytest", "-p", "no:cacheprovider", *arguments)
            case "cd":
                self.here = self._inside(arguments[0])
                return [], 0
            case "cat":
                texts = [self._inside(name).read_text(encoding="utf-8") for name in arguments]
                return "".join(texts).splitlines(), 0
            case "rm":
                for name in arguments:
                    self._inside(name).unlink()
                return [], 0
            case "ls":
                folder = self._inside(arguments[0] if arguments else ".")
                return sorted(p.name for p in folder.iterdir() if p.name[0] != "."), 0
        raise AssertionError(f"a page may not run `{program}`")

    def _start(self, *arguments: str) -> tuple[list[str], int]:
        """What stdout shows, or stderr where that shows nothing; and the exit code."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "OLOPROOF"))}
        for name in ("COLUMNS", "FORCE_COLOR", "NO_COLOR"):
            kept.pop(name, None)
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=self.here,
            # A file changed twice within a second must not be taken for its stale bytecode.
            env=kept | {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1"},
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        text = (done.stdout or done.stderr).replace(f"{self.root}/", "")
        return [line.rstrip() for line in text.rstrip().splitlines()], done.returncode

    def _inside(self, name: str) -> Path:
        path = (self.here / name).resolve()
        assert path.is_relative_to(self.root), f"{name} lies outside of the scratch folder"
        return path


def changed(text: str, block: Block) -> str:
    """`text` with the one change that a diff block shows."""
    old = "".join(line[1:] + "\n" for line in block.lines if line[:1] in ("", " ", "-"))
    new = "".join(line[1:] + "\n" for line in block.lines if line[:1] in ("", " ", "+"))
    assert text.count(old) == 1, f"{block.name}: the change fits {text.count(old)} places"
    return text.replace(old, new)


def expected_code(block: Block) -> int:
    """The exit code that a console block states for its last command."""
    return int(block.info.get("exit", "0"))


def agrees(shown: list[str], output: list[str]) -> bool:
    """Whether an output is as a page shows it, apart from clocks and what `…` leaves out."""
    pattern = "".join(
        r"(?:.*\n)*?" if line == ELLIPSIS else re.escape(_timeless(line)) + r"\n" for line in shown
    )
    return re.fullmatch(pattern, "".join(_timeless(line) + "\n" for line in output)) is not None


def _timeless(line: str) -> str:
    for pattern, word in _CLOCKS:
        line = re.sub(pattern, word, line)
    return line.rstrip()
