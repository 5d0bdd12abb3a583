"""Pairs that people found to be none, and cases that ask for the same."""

from __future__ import annotations

import json
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import pytest

from oloproof.workflows.gate import gate
from oloproof.workflows.inspect import list_cases
from oloproof.workflows.pairs import pairs

if TYPE_CHECKING:
    from oloproof.records.report import MetricReport, RunReport

APP = """
class Counter:
    def reset(self, state):
        self.state = state

    def snapshot(self):
        return self.state

    def __call__(self, request):
        self.state["n"] = len(request["say"]) if "loud" in request["say"] else 0
        return {"answer": "ok"}


system = Counter
"""
TRANSFORMS = {
    "transforms": [
        {
            "name": "polite",
            "field": "say",
            "template": "Please: {value}",
            "validity_labels": "p.jsonl",
        },
        {"name": "loud", "field": "say", "template": "{value}!", "validity_labels": "l.jsonl"},
    ]
}
RELATIONS = [
    {"type": "metamorphic_relation", "relation": "same_state", "transform": name}
    for name in ("polite", "loud")
]


def case(name: str, say: str, **fields: Any) -> dict[str, Any]:
    return {"id": name, "input": {"say": say}, "initial_state": {"n": 0}, **fields}


def label(tiny: Any, transform: str, kept: dict[str, bool]) -> None:
    """Label the pairs of certain cases."""
    lines = [
        {"case": line.case, "digest": line.digest, "kept": kept[line.case], "labeller": "Ann"}
        for line in pairs(tiny.folder, transform, write=False).unlabelled
        if line.case in kept
    ]
    (tiny.folder / f"{transform[0]}.jsonl").write_text(
        "".join(json.dumps(line) + "\n" for line in lines)
    )


def metric(report: RunReport, name: str) -> MetricReport:
    return next(one for one in report.metrics if one.metric == name)


@pytest.fixture
def judged(tiny):
    """Six cases, two of which are loud: their state depends on what is said."""
    cases = [
        case(f"c{n}", f"say {n}" + " loud" * (n < 2), metadata={"kind": "ab"[n % 2]})
        for n in range(6)
    ]
    return tiny.write(
        app=APP,
        cases=cases,
        evaluators=RELATIONS,
        rules=[{"id": "polite", "metric": "same_state_under_polite", "max_failures": 0}],
        metamorphic=TRANSFORMS,
        slices=["metadata.kind"],
        min_slice_support=1,
    )


def counts(report: RunReport, name: str) -> tuple[int, int, dict[str, int], int]:
    one = metric(report, name)
    return one.passed, one.observed, one.excluded, one.clusters


def test_pairs_that_were_not_kept_leave_the_relation(judged):
    """They are excluded as `not_kept` in metrics, clusters and slices; validity speaks of them."""
    before = judged.run()
    structural = metric(before, "same_state_under_polite").excluded
    assert (4, 6, structural, 6) == counts(before, "same_state_under_polite")
    label(judged, "polite", {"c0": False, "c1": False, "c2": True})
    after = gate(judged.folder)
    assert (4, 4, structural | {"not_kept": 2}, 4) == counts(after, "same_state_under_polite")
    assert metric(before, "same_state_under_loud") == metric(after, "same_state_under_loud")
    polite = after.validity[0]
    assert (6, 3, 1) == (polite.pairs, polite.labelled, polite.kept)
    cells = {
        (one.range, cell.metric): (cell.passed, cell.observed)
        for one in after.slices
        for cell in one.cells
    }
    assert {
        ("a", "same_state_under_polite"): (2, 2),
        ("b", "same_state_under_polite"): (2, 2),
        ("a", "same_state_under_loud"): (2, 3),
        ("b", "same_state_under_loud"): (2, 3),
        ("a", "same_state_under_identity"): (3, 3),
        ("b", "same_state_under_identity"): (3, 3),
    } == cells


def test_a_run_after_labelling_counts_as_its_gate_does(judged):
    """Labels that are there already hold from the start, however often it is run."""
    label(judged, "polite", {"c0": False})
    first, again = judged.run(), judged.run()
    for report in (first, again, gate(judged.folder)):
        assert (4, 5) == counts(report, "same_state_under_polite")[:2]


def test_people_see_that_a_pair_was_not_kept(judged):
    """Neither list nor panel calls it a failure, and a label that is gone brings it back."""
    judged.run()
    label(judged, "polite", {"c0": False})
    failing = [line.case for line in list_cases(judged.folder, failures=True).cases]
    assert ["c0~loud", "c1~polite", "c1~loud"] == failing
    (verdict,) = [v for v in judged.panel("c0~polite").verdicts if v.metric.endswith("polite")]
    assert ("not_applicable", "not_kept") == (verdict.status, verdict.reason)
    of_source = next(p for p in judged.panel("c0").pairs if p.transform == "polite")
    assert ["not_kept"] == [v.reason for v in of_source.verdicts]
    (judged.folder / "p.jsonl").unlink()
    assert "fail" == judged.verdict("c0~polite", "same_state_under_polite").status


def test_replicates_of_a_pair_leave_with_it(judged):
    """All executions of a pair are of the same two texts."""
    suite = judged.folder / "oloproof.yaml"
    suite.write_text(suite.read_text() + "replicates: 2\n")
    label(judged, "polite", {"c0": False})
    assert (8, 10) == counts(judged.run(), "same_state_under_polite")[:2]


def test_one_label_speaks_of_every_case_with_these_texts(tiny):
    """Equal texts are one pair: where it is none, it leaves wherever it stands."""
    cases = [case("c0", "loud"), case("c1", "x"), case("c2", "loud") | {"initial_state": {"n": 7}}]
    tiny.write(
        app=APP,
        cases=[one | {"cluster": "all"} for one in cases],
        evaluators=RELATIONS,
        metamorphic=TRANSFORMS,
    )
    label(tiny, "polite", {"c0": False})
    assert (1, 1, 1) == itemgetter(0, 1, 3)(counts(tiny.run(), "same_state_under_polite"))


def test_cases_that_ask_for_the_same_count_as_one_cluster(tiny):
    """Twenty ids for one request are one observation of an agent, and the run says so."""
    cases = [case(f"c{n}", "hello", expected={"state": {"n": 0}}) for n in range(20)]
    rule = {"id": "right", "metric": "state_matches", "min": 0.5}
    tiny.write(
        app=APP, cases=[*cases, case("other", "hi", expected={"state": {"n": 0}})], rules=[rule]
    )
    report = tiny.run()
    assert (21, 2) == (report.metrics[0].observed, report.metrics[0].clusters)
    assert "too_few_clusters" == report.gate.decisions[0].reason
    (told,) = report.notices
    assert told.startswith("20 cases have the same input and initial state as another (`c0`, `c1`,")
    assert "c0" == tiny.panel("c7").cluster
    tiny.write_cases([one | {"cluster": one["id"]} for one in cases])
    apart = tiny.run()
    assert (20, [], "ALLOW") == (apart.metrics[0].clusters, apart.notices, apart.gate.verdict)
