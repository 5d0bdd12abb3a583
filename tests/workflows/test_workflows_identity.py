"""The unchanged repeat of each source: what of a relation is the agent's own noise."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from oloproof.errors import ConfigurationError
from oloproof.workflows.gate import gate
from oloproof.workflows.inspect import list_cases
from oloproof.workflows.pairs import pairs

if TYPE_CHECKING:
    from oloproof.records.report import MetricReport, RunReport

APP = """
import os


class Counter:
    def reset(self, state):
        self.state = state

    def snapshot(self):
        return self.state

    def __call__(self, request):
        self.state["n"] = len(request["say"])
        if "dice" in request["say"]:
            self.state["n"] = int.from_bytes(os.urandom(8))
        if "quiet" not in request["say"]:
            self.state["n"] = 0
        return {"answer": "ok"}


system = Counter
"""
LOUD = {"name": "loud", "field": "say", "replace": [["say", "shout"]]}
LINE = {"type": "metamorphic_relation", "relation": "same_state", "transform": "loud"}
LOUD |= {"validity_labels": "l.jsonl", "minimum_validity": 0.3}


def case(name: str, say: str) -> dict[str, Any]:
    return {"id": name, "input": {"say": say}, "initial_state": {"n": 1}}


CASES = [case("same", "say it"), case("changed", "say quiet"), case("noisy", "say quiet dice")]


@pytest.fixture
def desk(tiny: Any) -> Any:
    tiny.write(
        app=APP,
        cases=CASES,
        evaluators=[LINE],
        rules=[{"id": "kept", "metric": "same_state_under_loud", "min": 0.1}],
        metamorphic={"transforms": [LOUD]},
    )
    (tiny.folder / "l.jsonl").touch()
    return tiny


def metric(report: RunReport, name: str) -> MetricReport:
    return next(one for one in report.metrics if one.metric == name)


def test_a_pair_of_a_noisy_source_says_nothing(desk: Any) -> None:
    """It is missing, and the baseline beside the relation says how often that is so."""
    report = desk.run()
    assert (9, 6) == (report.executed, report.copies)
    pairs_ = metric(report, "same_state_under_loud")
    assert (1, 2, {"not_attributable": 1}) == (pairs_.passed, pairs_.observed, pairs_.missing)
    base = metric(report, "same_state_under_identity")
    assert (2, 3, {}) == (base.passed, base.observed, base.missing)
    names = [one.metric for one in report.metrics]
    assert ["same_state_under_loud", "same_state_under_identity"] == names
    assert 0 == desk.run().executed


def test_inspect_shows_the_repeat_and_what_differed(desk: Any) -> None:
    """The list names the repeat, its own panel says what differs, and so does that of the pair."""
    desk.run()
    failed = {line.case: line.failed for line in list_cases(desk.folder, failures=True).cases}
    assert {"same_state_under_identity": None} == failed["noisy~identity"]
    source, repeat = desk.panel("noisy"), desk.panel("noisy~identity")
    assert [("identity", None), ("loud", "say")] == [(p.transform, p.field) for p in source.pairs]
    statuses = [[(v.metric, v.status) for v in pair.verdicts] for pair in source.pairs]
    assert [("same_state_under_identity", "fail")] == statuses[0]
    assert [("same_state_under_loud", "missing")] == statuses[1]
    assert "fail" == desk.verdict("noisy~identity", "same_state_under_identity").status
    assert repeat.input == source.input
    assert "noisy" == repeat.source


def test_the_baseline_needs_no_label(desk: Any) -> None:
    """A rule over it is decided while the pairs of every other transform wait to be read."""
    desk.write(
        app=APP,
        cases=[case(f"c{n}", f"say {n}") for n in range(20)],
        evaluators=[LINE],
        rules=[
            {"id": "calm", "metric": "same_state_under_identity", "min": 0.8},
            {"id": "kept", "metric": "same_state_under_loud", "min": 0.8},
        ],
        metamorphic={"transforms": [LOUD]},
    )
    for report in (desk.run(), gate(desk.folder)):
        assert report.gate is not None
        assert ["PASS", "INSUFFICIENT_EVIDENCE"] == [d.status for d in report.gate.decisions]
        assert "transform_not_checked" == report.gate.decisions[1].reason
    with pytest.raises(ConfigurationError, match="it changes nothing"):
        pairs(desk.folder, "identity", write=False)


def test_a_transform_cannot_take_its_name(desk: Any) -> None:
    """The name is refused where it stands."""
    suite = desk.folder / "oloproof.yaml"
    suite.write_text(suite.read_text().replace("name: loud", "name: identity"))
    with pytest.raises(ConfigurationError, match="`identity` is built in") as caught:
        desk.run()
    assert str(caught.value.where).endswith("metamorphic.transforms[0].name")


def test_recorded_systems_have_a_repeat_where_a_line_asks_for_it(desk: Any) -> None:
    """Nobody can run them again: without such a line no repeat is missed."""
    (desk.folder / "release.yaml").unlink()
    recorded = [
        {"case": name, "output": {}, "state": {"n": n}} for name, n in (("c", 1), ("c~loud", 1))
    ]

    def run(*lines: Any) -> dict[str, tuple[int, dict[str, int]]]:
        desk.write(
            app=APP,
            cases=[case("c", "say it")],
            evaluators=list(lines),
            metamorphic={"transforms": [LOUD]},
            system={"callable": None, "recorded": "seen.jsonl"},
        )
        (desk.folder / "seen.jsonl").write_text("".join(json.dumps(r) + "\n" for r in recorded))
        return {one.metric: (one.passed, one.missing) for one in desk.run().metrics}

    assert {"same_state_under_loud": (1, {})} == run(LINE)
    asked = LINE | {"transform": "identity"}
    recorded.append({"case": "c~identity", "output": {}, "state": {"n": 2}})
    assert {
        "same_state_under_loud": (0, {"not_attributable": 1}),
        "same_state_under_identity": (0, {}),
    } == run(LINE, asked)
