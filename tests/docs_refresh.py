"""Pastes outputs into the documentation again: `python tests/docs_refresh.py [PAGE …]`.

An output that still agrees is left alone. Where a page leaves lines out with `…`, the stretches
that it shows are taken from the places most like them: read what comes of it.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from docs_pages import (
    ELLIPSIS,
    Block,
    Scratch,
    Step,
    agrees,
    blocks,
    expected_code,
    pages,
)


def refreshed(page: Path) -> str:
    """The text of a page with the outputs of its commands as they are now."""
    lines = page.read_text(encoding="utf-8").splitlines()
    moved = 0
    with tempfile.TemporaryDirectory() as folder:
        scratch = Scratch(Path(folder))
        for block in filter(lambda block: block.acts, blocks(page)):
            steps = scratch.act(block)
            if block.language != "console":
                continue
            _complain(block, steps)
            fresh = [line for step in steps for line in (f"$ {step.command}", *_renewed(step))]
            start = block.line + moved
            lines[start : start + len(block.lines)] = fresh
            moved += len(fresh) - len(block.lines)
    return "\n".join(lines) + "\n"


def _complain(block: Block, steps: list[Step]) -> None:
    codes = [step.code for step in steps]
    wanted = [0] * (len(steps) - 1) + [expected_code(block)]
    if codes != wanted:
        print(f"{block.name}: exit codes {codes}, the page says {wanted}", file=sys.stderr)


def _renewed(step: Step) -> list[str]:
    if agrees(step.shown, step.output):
        return step.shown
    if ELLIPSIS not in step.shown:
        return step.output
    out: list[str] = []
    at = 0
    stretches = _split(step.shown)
    for number, stretch in enumerate(stretches):
        if number or not stretch:
            at = _place(stretch, step.output, at, last=number == len(stretches) - 1)
        out += [*step.output[at : at + len(stretch)], ELLIPSIS]
        at += len(stretch)
    return out[:-1]


def _split(shown: list[str]) -> list[list[str]]:
    stretches: list[list[str]] = [[]]
    for line in shown:
        if line == ELLIPSIS:
            stretches.append([])
        else:
            stretches[-1].append(line)
    return stretches


def _place(stretch: list[str], output: list[str], first: int, *, last: bool) -> int:
    """Where in an output, from `first` on, the lines are most like those of a stretch."""
    if last and stretch:
        return max(first, len(output) - len(stretch))
    return max(
        range(first, max(first, len(output) - len(stretch)) + 1),
        key=lambda at: sum(a == b for a, b in zip(stretch, output[at:], strict=False)),
    )


if __name__ == "__main__":
    named = [Path(name).resolve() for name in sys.argv[1:]] or pages()
    for each in named:
        text = refreshed(each)
        if text != each.read_text(encoding="utf-8"):
            each.write_text(text, encoding="utf-8")
            print(f"refreshed {each.name}")
