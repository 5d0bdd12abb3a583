"""The documentation does what it shows, and its pages hold together."""

from __future__ import annotations

import ast
import difflib
import json
import re
from pathlib import Path

import pytest
import yaml
from docs_pages import ROOT, Block, Scratch, agrees, blocks, changed, expected_code, pages

PAGES = pages()
IDS = [str(page.relative_to(ROOT)) for page in PAGES]
every_page = pytest.mark.parametrize("page", PAGES, ids=IDS)


@every_page
def test_commands_do_what_is_shown(page: Path, tmp_path: Path) -> None:
    """Every command of a page, run in order in one folder, gives the output that is shown."""
    scratch = Scratch(tmp_path)
    for block in filter(lambda block: block.acts, blocks(page)):
        steps = scratch.act(block)
        for step in steps:
            difference = "\n".join(difflib.ndiff(step.shown, step.output))
            assert agrees(step.shown, step.output), f"{block.name}: {step.command}\n{difference}"
        if steps:
            stated = [0] * (len(steps) - 1) + [expected_code(block)]
            assert stated == [step.code for step in steps], block.name


def test_outputs_are_compared_strictly() -> None:
    """Clocks and what `…` stands for may differ, and nothing else."""
    shown = ["run 1, complete after 239 ms", "…", "BLOCK", "…"]
    assert agrees(shown, ["run 1, complete after 2.1 s", "a", "b", "BLOCK"])
    assert not agrees(shown, ["run 1, complete after 2.1 s", "a", "b", "ALLOW"])
    assert not agrees(shown[:1], ["run 2, complete after 239 ms"])
    assert not agrees([], ["a"])
    assert agrees(["  1  2026-11-30 15:53Z  x"], ["  1  2027-01-01 00:00Z  x"])


def test_a_diff_names_one_place() -> None:
    """A change that fits nowhere, or in two places, is refused."""
    block = Block(ROOT / "README.md", 1, "diff", {"file": "a"}, (" x = 1", "-y = 2", "+y = 3"))
    assert "x = 1\ny = 3\n" == changed("x = 1\ny = 2\n", block)
    for text in ("x = 1\n", "x = 1\ny = 2\n" * 2):
        with pytest.raises(AssertionError, match="fits"):
            changed(text, block)


@every_page
def test_blocks_are_of_a_known_kind(page: Path) -> None:
    """In docs/ commands stand in blocks that are run; data in a block can be read."""
    for block in blocks(page):
        if page.name != "README.md" or page.parent != ROOT:
            known = ("", "console", "diff", "python", "yaml", "json", "jsonl")
            assert block.language in known, block.name
        if block.language == "python":
            ast.parse(block.text)
        elif block.language == "yaml":
            yaml.safe_load(block.text)
        elif block.language in ("json", "jsonl"):
            whole = [block.text] if block.language == "json" else block.lines
            assert [] != [json.loads(text) for text in whole]


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    titles = re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def links(page: Path) -> list[tuple[Path, str]]:
    """The relative links of a page: the file meant, and the anchor in it."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    found = re.findall(r"\]\(([^)]+)\)", text)
    parts = [link.partition("#") for link in found if not re.match(r"[a-z]+:", link)]
    return [((page.parent / file).resolve() if file else page, at) for file, _, at in parts]


@every_page
def test_relative_links_resolve(page: Path) -> None:
    """A link leads to a file that is there, and to a heading in it."""
    for target, anchor in links(page):
        assert target.exists(), f"{page.name} links to {target}"
        if anchor:
            assert anchor in anchors(target), f"{page.name} links to {target.name}#{anchor}"


def test_the_index_lists_every_page() -> None:
    """Each page but the decisions stands in docs/README.md."""
    index = ROOT / "docs" / "README.md"
    listed = {target for target, _ in links(index)}
    wanted = {page for page in PAGES[1:] if page.parent.name != "decisions"} - {index}
    assert set() == wanted - listed


@every_page
def test_pages_name_no_registry_and_no_machine(page: Path) -> None:
    """No page holds the host of a package registry or a path of one machine."""
    found = re.findall(r"https?://|(?<![\w.])/(?:home|root|tmp|work)\b", page.read_text())
    assert [] == found


@every_page
def test_one_sentence_a_line(page: Path) -> None:
    """Outside of blocks and tables a line holds one sentence."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    lines = [line for line in text.splitlines() if not line.startswith(("|", "- **", "#"))]
    prose = [line for line in lines if not re.match(r"- .*\(\d{4}\)", line)]  # sources
    assert [] == [line for line in prose if re.search(r"[a-z`)][.?!] [A-Z`]", line)]
