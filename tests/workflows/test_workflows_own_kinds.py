"""Checks and transforms that a project, or an installed package, brings along."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from oloproof.errors import ConfigurationError
from oloproof.workflows.gate import gate

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

APP = """
class Counter:
    def reset(self, state):
        self.state = state

    def snapshot(self):
        return self.state

    def __call__(self, request):
        self.state["n"] = len(request["say"])
        return {"answer": "ok"}


system = Counter
"""
CHECK = """
from dataclasses import dataclass

from oloproof.evaluation.contract import CaseCheck, failed, passed
from oloproof.evaluation.options import EvaluatorOptions


class Options(EvaluatorOptions):
    limit: int


def build(options, setting):
    return [Below(options.criterion_or_type, options.limit)]


@dataclass(frozen=True, slots=True)
class Below(CaseCheck):
    limit: int

    def evaluate(self, context):
        n = context.evidence.state["n"]
        return passed() if n < self.limit else failed(label="too_long", detail=f"{n} signs")
"""
SHOUT = """
Options = int


def build(options):
    return lambda text: text + "!" * options
"""
TUPLE = CHECK.replace("return [Below", "return (Below").replace("limit)]", "limit),)")
LINE = {"type": "below", "limit": 4}


@pytest.fixture(autouse=True)
def _fresh_modules() -> Iterator[None]:
    """A module of one project is not that of the next."""
    path = list(sys.path)
    yield
    sys.path[:] = path
    for name in ("below", "shout", "checks", "checks.below", "offered"):
        sys.modules.pop(name, None)


def write(tiny: Any, *lines: dict[str, Any], **files: str) -> Any:
    transform = {"name": "loud", "field": "say", "shout": 2, "validity_labels": "l.jsonl"}
    tiny.write(
        app=APP,
        cases=[
            {"id": name, "input": {"say": say}, "initial_state": {"n": 0}}
            for name, say in (("short", "hi"), ("long", "hello"))
        ],
        evaluators=list(lines),
        metamorphic={"transforms": [transform]} if "shout" in files else {},
    )
    for name, text in files.items():
        path = tiny.folder / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return tiny


def passed(report: Any) -> dict[str, tuple[int, int]]:
    return {one.metric: (one.passed, one.observed) for one in report.metrics}


def test_a_project_brings_a_check_and_a_transform(tiny: Any) -> None:
    """Each is one file beside the suite, named there by its module."""
    relation = {"type": "metamorphic_relation", "relation": "same_state", "transform": "loud"}
    write(tiny, LINE, relation, below=CHECK, shout=SHOUT)
    report = tiny.run()
    assert {
        "below": (1, 2),
        "same_state_under_loud": (0, 2),
        "same_state_under_identity": (2, 2),
    } == passed(report)
    verdict = tiny.verdict("long", "below")
    assert ("fail", "too_long", "5 signs") == (verdict.status, verdict.label, verdict.detail)
    assert "hi!!" == tiny.panel("short~loud").input["say"]


def test_names_lead_into_packages_and_modules(tiny: Any) -> None:
    """As Python names them: a module in a package, and something in a module."""
    held = CHECK + "\n\nclass held:\n    Options, build = Options, build\n"
    write(
        tiny, {"type": "checks.below", "limit": 4}, **{"checks/__init__": "", "checks/below": CHECK}
    )
    assert {"checks.below": (1, 2)} == passed(tiny.run())
    write(tiny, {"type": "below:held", "limit": 4, "criterion": "brief"}, below=held)
    assert {"brief": (1, 2)} == passed(tiny.run())


def test_a_changed_check_judges_again_and_executes_nothing(tiny: Any) -> None:
    """Its source, and that of what it imports, belongs to what verdicts follow from."""
    bounded = CHECK.replace("< self.limit", "< self.limit + bounds.MORE")
    write(tiny, LINE, below="import bounds\n" + bounded, bounds="MORE = 0\n")
    assert {"below": (1, 2)} == passed(tiny.run())
    (tiny.folder / "bounds.py").write_text("MORE = 9\n")
    for name in ("below", "bounds"):
        sys.modules.pop(name, None)
    report = tiny.run()
    assert (0, {"below": (2, 2)}) == (report.executed, passed(report))
    sys.modules.pop("bounds", None)


@pytest.mark.parametrize(
    ("check", "told"),
    [
        (CHECK.replace('["n"]', '["m"]'), "the check raised KeyError: 'm' ("),
        (CHECK.replace("passed() if", "True if"), "it gave no verdict, but True ("),
    ],
)
def test_a_check_that_raises_says_nothing(tiny: Any, check: str, told: str) -> None:
    """It is missing with what was raised and where, and never a pass."""
    write(tiny, LINE, below=check)
    report = tiny.run()
    assert 0 == report.metrics[0].passed
    verdict = tiny.verdict("short", "below")
    assert ("missing", "check_raised") == (verdict.status, verdict.reason)
    assert told in verdict.detail
    assert "below.py:" in verdict.detail or "judging.py:" in verdict.detail


@pytest.mark.parametrize(
    ("line", "files", "what", "where"),
    [
        ({"type": "below"}, {"below": CHECK}, "`limit` is missing", "evaluators[0].limit"),
        (LINE, {"below": "Options = None\n"}, "it has no `build`", "evaluators[0].type"),
        (LINE, {"below": "def\n"}, "importing `below` raised", "evaluators[0].type"),
        (LINE, {"below": CHECK.replace("return [", "return [1/0, ")}, "ZeroDivisionError", "[0]"),
        (LINE, {"below": TUPLE}, "a list of checks", "[0]"),
        ({"type": "checks.other"}, {}, "a module that is not there", "evaluators[0].type"),
        ({"type": "belov"}, {"below": CHECK}, "there is no evaluator `belov`", ".type"),
    ],
)
def test_what_is_wrong_with_it_is_an_error_of_the_suite(
    tiny: Any, line: dict[str, Any], files: dict[str, str], what: str, where: str
) -> None:
    """Refused before anything runs, with the line of the suite."""
    write(tiny, line, **files)
    with pytest.raises(ConfigurationError) as caught:
        tiny.run()
    assert what in caught.value.what
    assert str(caught.value.where).endswith(where)


def test_a_value_that_a_transform_does_not_take_is_refused(tiny: Any) -> None:
    """Its `Options` say what it takes."""
    write(tiny, LINE, below=CHECK, shout=SHOUT)
    suite = tiny.folder / "oloproof.yaml"
    suite.write_text(suite.read_text().replace("shout: 2", "shout: loudly"))
    with pytest.raises(ConfigurationError, match="must be a whole number") as caught:
        tiny.run()
    assert str(caught.value.where).endswith("metamorphic.transforms[0].shout")


def test_an_installed_package_offers_its_own(tiny: Any, tmp_path_factory: Any) -> None:
    """By the entry points of the group of their sort; stored runs find them again."""
    site: Path = tmp_path_factory.mktemp("site")
    (site / "offered.py").write_text(CHECK)
    info = site / "offered-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: offered\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[oloproof.evaluators]\nbrevity = offered\n")
    sys.path.insert(0, str(site))
    write(tiny, {"type": "brevity", "limit": 4})
    (tiny.folder / "release.yaml").write_text(
        json.dumps({"version": 1, "rules": [{"id": "b", "metric": "brevity", "max_failures": 1}]})
    )
    assert {"brevity": (1, 2)} == passed(tiny.run())
    assert "pass" == tiny.verdict("short", "brevity").status
    assert gate(tiny.folder).gate is not None
