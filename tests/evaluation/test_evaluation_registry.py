"""Lines of a suite bound to evaluators, and everything in them that is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from oloproof.errors import ConfigurationError
from oloproof.evaluation.chosen import ForCases
from oloproof.evaluation.contract import Evaluator, FaultDemand
from oloproof.evaluation.registry import (
    bind_all,
    bind_one,
    expected_states,
    lines_of,
)
from oloproof.kinds import EVALUATORS
from oloproof.records.case import Case
from oloproof.records.faults import faults_at
from oloproof.suites.located import Document, parse_document
from oloproof.suites.suite import RawEvaluator, Suite, load_suite, read_transform

INJECTED = read_transform(
    Document(
        Path("oloproof.yaml"),
        {"name": "injected", "field": "message", "template": "{value}!"},
        lines={},
        digest="",
    ),
    (),
)


def lines(*texts: str) -> list[RawEvaluator]:
    """Each text as one line of a suite, the first on line 2 of the file."""
    source = "evaluators:\n" + "".join(f"  - {{{text}}}\n" for text in texts)
    document = parse_document(source.encode(), Path("oloproof.yaml").absolute())
    return [RawEvaluator(document, ("evaluators", position)) for position in range(len(texts))]


def bound(*texts: str) -> list[Evaluator]:
    return bind_all(lines(*texts), [INJECTED])


def refused(*texts: str) -> tuple[str, str, str]:
    """What is said of lines that are refused: what, where and how to fix it."""
    with pytest.raises(ConfigurationError) as caught:
        bound(*texts)
    error = caught.value
    return error.what, error.where or "", error.fix or ""


def test_every_type_is_known_by_its_module() -> None:
    """The types are the modules of the package of evaluators."""
    assert [
        "artefact_not_effect",
        "asks_again",
        "call_arguments",
        "call_order",
        "calls",
        "claims",
        "dependency_recomputed",
        "exact_match",
        "fault_recovery",
        "guarded_effects",
        "metamorphic_relation",
        "needless_confirmation",
        "offered_options",
        "results_contain",
        "state_changed_only",
        "state_invalidated",
        "state_invariants",
        "state_matches",
        "state_preserved",
        "state_schema",
        "state_unchanged",
        "superseded_absent",
        "superseded_history",
    ] == EVALUATORS.names()


@pytest.mark.parametrize(
    ("text", "metrics"),
    [
        ("type: exact_match", ["exact_match"]),
        ("type: exact_match, criterion: outcome_correct", ["outcome_correct"]),
        ("type: state_matches", ["state_matches"]),
        ("type: state_unchanged, paths: [a]", ["state_unchanged"]),
        (
            "type: fault_recovery, tool: issue_refund, fault: error",
            ["recovers_from_error_at_issue_refund"],
        ),
        (
            "type: fault_recovery, model: m, fault: all",
            [f"recovers_from_{fault}_at_m" for fault in faults_at("model")],
        ),
        (
            "type: fault_recovery, tool: t, fault: error, occurrence: 2",
            ["recovers_from_error_at_t_call_2"],
        ),
        (
            "type: fault_recovery, tool: t, fault: [timeout, malformed]",
            ["recovers_from_timeout_at_t", "recovers_from_malformed_at_t"],
        ),
        (
            "type: fault_recovery, tool: t, fault: all, criterion: sturdy",
            [f"sturdy_{fault}" for fault in faults_at("tool")],
        ),
        (
            "type: fault_recovery, tool: t, fault: slow, occurrence: 2, duration: 3",
            ["recovers_from_slow_at_t_call_2_for_3_calls"],
        ),
        (
            "type: fault_recovery, tool: t, fault: [stale, empty], duration: always",
            ["recovers_from_stale_at_t_always", "recovers_from_empty_at_t_always"],
        ),
        ("type: fault_recovery, tool: t, fault: [error], criterion: c", ["c_error"]),
        ("type: fault_recovery, tool: t, fault: error, criterion: c", ["c"]),
        (
            "type: metamorphic_relation, relation: same_state, transform: injected",
            ["same_state_under_injected"],
        ),
    ],
)
def test_a_line_makes_the_metrics_of_its_usual_names(text: str, metrics: list[str]) -> None:
    """A metric is named by its criterion, else by its type; a list of faults makes one each."""
    assert metrics == [evaluator.metric for evaluator in bound(text)]


def test_demands_and_needs_are_told_before_a_run() -> None:
    """Evaluators state the replays and the initial states that they need."""
    fault, guarded, pair, unchanged = bound(
        "type: fault_recovery, tool: t, fault: timeout, occurrence: 3",
        "type: fault_recovery, tool: t, fault: error, unchanged: [a]",
        "type: metamorphic_relation, relation: same_state, transform: injected",
        "type: state_unchanged",
    )
    assert (FaultDemand("t", "timeout", 3),) == fault.demands()
    durations: Any = ((1, "once"), ("once", "once"), (2, 2), ("always", "always"))
    for written, duration in durations:
        (lasting,) = bound(f"type: fault_recovery, tool: t, fault: stale, duration: {written}")
        assert (FaultDemand("t", "stale", 1, duration),) == lasting.demands()
    (model,) = bound("type: fault_recovery, model: m, fault: error, turn: 2")
    assert (FaultDemand("m", "error", 1, "once", 2, "model"),) == model.demands()
    assert () == unchanged.demands()
    assert "injected" == pair.transform
    assert fault.transform is None
    assert [False, True, False, True] == [
        evaluator.needs_initial_state for evaluator in (fault, guarded, pair, unchanged)
    ]


def mode_of(*given: str, name: str = "c") -> str:
    """How the world of a case is compared in a suite of some lines."""
    return expected_states(lines(*given)).of(Case(id=name, input=None)).mode


def test_the_expected_state_is_compared_as_the_first_state_matches_says() -> None:
    """Fault recovery takes over how the suite compares states; exactly without such a line."""
    assert "exact" == mode_of("type: exact_match")
    assert "subset" == mode_of("type: exact_match", "type: state_matches, mode: subset")


def test_each_case_is_compared_as_the_first_line_that_is_for_it_says() -> None:
    """A line for some cases says nothing of the worlds of others."""
    some = "type: state_matches, mode: subset, cases: [a*]"
    rest = "type: state_matches, criterion: rest, mode: paths, paths: [n]"
    assert ["subset", "exact"] == [mode_of(some, name=name) for name in ("a1", "b1")]
    assert ["subset", "paths"] == [mode_of(some, rest, name=name) for name in ("a1", "b1")]
    assert ["paths", "paths"] == [mode_of(rest, some, name=name) for name in ("a1", "b1")]


def test_how_working_states_are_compared_says_nothing_of_worlds() -> None:
    """Fault recovery compares worlds."""
    active = "type: state_matches, of: active, mode: subset"
    assert "exact" == mode_of(active)
    world = "type: state_matches, criterion: world, mode: paths, paths: [a]"
    assert "paths" == mode_of(active, world)


def test_lines_of_a_stored_run_bind_as_they_did() -> None:
    """Options that were kept make the same evaluators again."""
    kept = [line.options for line in lines("type: state_matches, mode: subset")]
    again = bind_all(lines_of(kept, Path("stored run")), [INJECTED])
    assert ["state_matches"] == [evaluator.metric for evaluator in again]


@pytest.mark.parametrize(
    ("text", "what", "field", "fix"),
    [
        (
            "type: state_match",
            "there is no evaluator `state_match`",
            "type",
            "did you mean `state_matches`?",
        ),
        ("type: os", "there is no evaluator `os`", "type", "known: `"),
        ("type: exact_match, feild: a", "unknown field `feild`", "feild", "did you mean `field`?"),
        (
            "type: exact_match, field: 'a..b'",
            "the path 'a..b' cannot be read at character 3",
            "field",
            "quote keys",
        ),
        (
            "type: exact_match, field: 'a[*]'",
            "the path `a[*]` may name several places",
            "field",
            "without `[*]`",
        ),
        ("type: exact_match, field: [a]", "must be text, not a list", "field", "write text here"),
        ("type: exact_match, criterion: ''", "is empty", "criterion", ""),
        ("type: state_matches, mode: part", "cannot be `part`", "mode", "did you mean `paths`?"),
        (
            "type: state_matches, mode: subsett",
            "cannot be `subsett`",
            "mode",
            "did you mean `subset`?",
        ),
        ("type: state_matches, mode: paths", "the mode `paths` has no paths", "mode", "list them"),
        (
            "type: state_matches, paths: [a]",
            "`paths` says nothing in the mode `exact`",
            "paths",
            "write `mode: paths`",
        ),
        (
            "type: state_matches, mode: paths, paths: [a, 'b[']",
            "cannot be read at character 2",
            "paths[1]",
            "`[0]` or `[*]`",
        ),
        (
            "type: state_matches, mode: tolerance",
            "no tolerance is given",
            "mode",
            "tolerance: {absolute: 0.01}",
        ),
        (
            "type: state_matches, mode: subset, tolerance: {}",
            "no tolerance is given",
            "tolerance",
            "say how much",
        ),
        (
            "type: state_matches, tolerance: {absolute: 1}",
            "the mode `exact` allows no tolerance",
            "tolerance",
            "write `mode: tolerance`",
        ),
        (
            "type: state_matches, mode: tolerance, tolerance: {absolute: -1}",
            "must be at least 0",
            "tolerance.absolute",
            "at least 0",
        ),
        (
            "type: state_matches, mode: tolerance, tolerance: {absolut: 1}",
            "unknown field `absolut`",
            "tolerance.absolut",
            "did you mean `absolute`?",
        ),
        (
            "type: state_matches, mode: paths, paths: [a.b], ignore: [a]",
            "`a.b` is to be compared and to be ignored",
            "paths[0]",
            "leave it out",
        ),
        (
            "type: state_matches, unordered: [l], ignore: ['l[0].at']",
            "`l[0].at` names one item of `l`",
            "ignore[0]",
            "`l[*]`",
        ),
        (
            "type: state_matches, unordered: [a], ignore: ['[*].b']",
            "names one item of `a`",
            "ignore[0]",
            "`a[*]`",
        ),
        (
            "type: state_matches, mode: tolerance, unordered: [l], "
            "tolerance: {paths: {'l[1].p': {absolute: 1}}}",
            "`l[1].p` names one item of `l`",
            'tolerance.paths."l[1].p"',
            "`l[*]`",
        ),
        (
            "type: state_matches, normalise: {a: [q]}",
            "cannot be `q`",
            "normalise.a[0]",
            "known: `casefold`",
        ),
        (
            "type: state_matches, normalise: {a: [stripp]}",
            "cannot be `stripp`",
            "normalise.a[0]",
            "did you mean `strip`?",
        ),
        ("type: state_unchanged, paths: []", "is empty", "paths", "at least one"),
        (
            "type: state_unchanged, paths: [a.b], except: [a]",
            "`a.b` must not change, and is allowed",
            "paths[0]",
            "leave it out",
        ),
        (
            "type: state_unchanged, exept: [a]",
            "unknown field `exept`",
            "exept",
            "did you mean `except`?",
        ),
        (
            "type: fault_recovery, fault: error",
            "neither a tool nor a model is named",
            "tool",
            "write `tool: NAME`, or `model: NAME`",
        ),
        (
            "type: fault_recovery, tool: t, model: m, fault: error",
            "a tool and a model are named",
            "model",
            "write a line for each",
        ),
        (
            "type: fault_recovery, model: m, fault: applied_error",
            "`applied_error` cannot strike a model",
            "fault",
            "`rate_limit`",
        ),
        (
            "type: fault_recovery, model: m, fault: [error, duplicate_delivery]",
            "`duplicate_delivery` cannot strike a model",
            "fault[1]",
            "`rate_limit`",
        ),
        (
            "type: fault_recovery, tool: t, fault: eror",
            "`eror` is no fault",
            "fault",
            "did you mean `error`?",
        ),
        (
            "type: fault_recovery, tool: t, fault: [error, all]",
            "`all` stands in a list of faults",
            "fault[1]",
            "write `fault: all`",
        ),
        (
            "type: fault_recovery, tool: t, fault: [error, error]",
            "the fault `error` is given twice",
            "fault[1]",
            "keep one",
        ),
        ("type: fault_recovery, tool: t, fault: []", "`fault` is empty", "fault", "name one"),
        *(
            (
                f"type: fault_recovery, tool: t, fault: error, duration: {duration}",
                f"`duration` cannot be {said}",
                "duration",
                "`once`, `always`, or a number of calls",
            )
            for duration, said in (
                ("0", "the number 0"),
                ("1.5", "the number 1.5"),
                ("true", "true"),
                ("twice", "`twice`"),
                ("[2]", "a list"),
            )
        ),
        (
            "type: fault_recovery, tool: t, fault: error, occurrence: 0",
            "must be at least 1",
            "occurrence",
            "at least 1",
        ),
        (
            "type: fault_recovery, tool: t, fault: error, mode: paths",
            "the mode `paths` needs `paths`",
            "mode",
            "`state_matches`",
        ),
        (
            "type: fault_recovery, tool: t, fault: error, escalate: [x]",
            "unknown field `escalate`",
            "escalate",
            "did you mean `escalate_tools`?",
        ),
        (
            "type: metamorphic_relation, relation: same_state, transform: injectd",
            "no transform is named `injectd`",
            "transform",
            "did you mean `injected`?",
        ),
        (
            "type: metamorphic_relation, relation: same_stat, transform: injected",
            "cannot be `same_stat`",
            "relation",
            "did you mean `same_",
        ),
    ],
)
def test_a_wrong_line_is_refused_with_its_field(text: str, what: str, field: str, fix: str) -> None:
    """The error names the file, the line, the field and how to fix it."""
    said = refused("type: exact_match, criterion: first", text)
    assert what in said[0]
    assert f"oloproof.yaml:3: evaluators[1].{field}" == said[1]
    assert fix in said[2]


class TestOptionsThatStandInNoFile:
    @pytest.fixture
    def suite(self, tmp_path: Path) -> Suite:
        (tmp_path / "cases.jsonl").write_text('{"id": "c", "input": 1}')
        (tmp_path / "oloproof.yaml").write_text(
            "project: p\ndataset: cases.jsonl\nsystem: {name: s, callable: 'app:run'}\n"
            "evaluators:\n  - {type: state_matches, mode: subset}\n"
        )
        return load_suite(tmp_path / "oloproof.yaml")

    def test_they_make_one_evaluator_of_the_suite(self, suite: Suite) -> None:
        """A fault that was asked for is judged as the suite judges."""
        made = bind_one({"type": "fault_recovery", "tool": "t", "fault": "timeout"}, suite)
        assert "recovers_from_timeout_at_t" == made.metric

    @pytest.mark.parametrize(
        ("options", "what", "where", "fix"),
        [
            ({"fault": "eror"}, "`eror` is no fault", "the option `fault`", "did you mean `error`"),
            ({"fault": "error", "mode": "paths"}, "needs `paths`", "the option `mode`", "give"),
            ({"fault": ["error", "x"]}, "`x` is no fault", "the option `fault[1]`", "known"),
        ],
    )
    def test_they_are_refused_by_their_option(
        self, options: dict[str, Any], what: str, where: str, fix: str, suite: Suite
    ) -> None:
        """There is no line to name, but the option, and how to fix it."""
        with pytest.raises(ConfigurationError) as caught:
            bind_one({"type": "fault_recovery", "tool": "t", **options}, suite)
        assert what in caught.value.what
        assert where == caught.value.where
        assert fix in str(caught.value.fix)

    def test_what_is_wrong_in_the_suite_keeps_its_line(self, suite: Suite) -> None:
        """How the suite compares states is read for them, and may be wrong itself."""
        suite.document.value["evaluators"][0]["mode"] = "subsets"
        with pytest.raises(ConfigurationError) as caught:
            bind_one({"type": "fault_recovery", "tool": "t", "fault": "error"}, suite)
        assert str(caught.value.where).endswith("oloproof.yaml:5: evaluators[0].mode")


def test_a_relation_without_any_transform_says_where_to_declare_one() -> None:
    """A suite without transforms has no nearest name."""
    with pytest.raises(ConfigurationError) as caught:
        bind_all(lines("type: metamorphic_relation, relation: same_state, transform: x"), [])
    assert caught.value.fix == "declare it under `metamorphic.transforms`"


def test_a_metric_made_twice_is_refused_with_both_lines() -> None:
    """Two lines that make one metric are both named, also by a list of faults."""
    what, where, fix = refused("type: state_matches", "type: state_matches, mode: subset")
    assert "the metric `state_matches` is made twice" in what
    assert "oloproof.yaml:2: evaluators[0]" in what
    assert "oloproof.yaml:3: evaluators[1]" == where
    assert "criterion" in fix
    refused(
        "type: fault_recovery, tool: t, fault: all",
        "type: exact_match, criterion: recovers_from_timeout_at_t",
    )


def test_another_mode_of_the_expected_state_needs_its_options_in_the_suite() -> None:
    """A fault line may compare exactly what the suite compares within a tolerance."""
    assert bound(
        "type: state_matches, mode: tolerance, tolerance: {absolute: 1}",
        "type: fault_recovery, tool: t, fault: error, mode: exact",
    )


def test_every_relation_has_a_baseline_beside_it() -> None:
    """Lines that compare alike share one; what compares in its own way has its own."""
    relation = "type: metamorphic_relation, transform: injected, relation"
    made = bind_all(
        lines(
            f"{relation}: same_state, criterion: first",
            f"{relation}: same_state, criterion: second",
            f"{relation}: same_actions",
            f"{relation}: same_state, criterion: rough, ignore: [at]",
            f"{relation}: same_output, cases: [a*]",
        ),
        [INJECTED],
        with_baselines=True,
    )
    assert [
        ("first", "injected"),
        ("same_state_under_identity", "identity"),
        ("second", "injected"),
        ("same_actions_under_injected", "injected"),
        ("same_actions_under_identity", "identity"),
        ("rough", "injected"),
        ("rough_under_identity", "identity"),
        ("same_output_under_injected", "injected"),
        ("same_output_under_injected_under_identity", "identity"),
    ] == [(one.metric, one.transform) for one in made]
    assert isinstance(made[-1], ForCases)


def test_a_line_may_ask_for_the_baseline_alone() -> None:
    """`identity` is built in: it needs no declaration, and what is asked for is not made twice."""
    line = "type: metamorphic_relation, relation: same_state, transform"
    for with_baselines in (True, False):
        made = bind_all(lines(f"{line}: identity"), [], with_baselines=with_baselines)
        assert ["same_state_under_identity"] == [one.metric for one in made]
    made = bind_all(
        lines(f"{line}: injected", f"{line}: identity"), [INJECTED], with_baselines=True
    )
    assert ["same_state_under_injected", "same_state_under_identity"] == [
        one.metric for one in made
    ]
