"""What holds for every evaluator there is."""

from __future__ import annotations

import functools
from typing import Any

import pytest
from evaluator_samples import RAISED, call, case, evaluators, evidence, result, trajectory
from hypothesis import example, given, settings
from hypothesis import strategies as st

from oloproof.canonical import encode
from oloproof.evaluation.completion import OF_THE_CASE
from oloproof.evaluation.contract import Context, Evaluator, FaultDemand
from oloproof.evaluation.judging import CaseChecks, judge
from oloproof.kinds import EVALUATORS
from oloproof.paths import MISSING
from oloproof.records.case import Case
from oloproof.records.evidence import (
    Divergence,
    FaultReplay,
    Moment,
    Outcome,
    ReplayEvidence,
    Struck,
)

LINES: dict[str, list[dict[str, Any]]] = {
    "exact_match": [{}, {"field": "answer"}],
    "state_matches": [
        {},
        {"mode": "subset"},
        {"mode": "paths", "paths": ["a[*].b"]},
        {"of": "active"},
        {"of": "active", "final": True, "unordered": ["a"]},
    ],
    "state_unchanged": [{}, {"paths": ["a", "b.c"], "except": ["a.b"]}],
    "state_preserved": [{}, {"of": "active", "paths": ["a", "b[*]"], "except": ["a.b"]}],
    "state_changed_only": [
        {"paths": ["a"], "required": True},
        {"paths": ["a.b", "c[*]"], "of": "active"},
        {"paths": [], "final": True},
    ],
    "superseded_history": [{"paths": ["a"], "at": "b"}, {"of": "active", "paths": ["a", "c[*]"]}],
    "state_schema": [
        {"schema": {"type": "object", "required": ["a"], "additionalProperties": False}},
        {"of": "active", "schema": {"items": {"$ref": "#"}, "uniqueItems": True}},
    ],
    "state_invariants": [
        {"invariants": ["a == 1 => present(b) and count(c) < 3", "changed(a) or a in b"]},
        {"of": "active", "invariants": ["not changed(a[*]) or count(b[*]) >= 1"]},
    ],
    "state_invalidated": [
        {"dependencies": [{"result": "a", "depends_on": ["b", "c[*]"], "recomputed_by": ["t"]}]},
        {"of": "active", "dependencies": [{"result": "b", "depends_on": ["a"], "marker": "c"}]},
    ],
    "calls": [
        {"forbidden": ["t"], "required": {"e": {"max": 1}}, "in_every_turn": True},
        {"allowed": ["t"], "arguments": {"x": 1}},
    ],
    "call_order": [{"order": ["t", "e"], "strict": True}],
    "call_arguments": [
        {"tool": "t", "argument": "x", "follows": "a", "of": "world"},
        {"tool": ["t", "e"], "argument": ["x[*]"], "equals": None, "closed": True, "known": ["x"]},
    ],
    "superseded_absent": [{"paths": ["a", "b[*]"]}, {"of": "active", "tools": ["t"]}],
    "dependency_recomputed": [
        {"result_of": "t", "depends_on": ["a"], "used_by": ["e"], "used_in_reply": True}
    ],
    "guarded_effects": [{"tools": ["t"]}],
    "results_contain": [{}, {"mode": "subset"}],
    "claims": [{}, {"says": ["x"], "needs": {"call": "t"}}, {"template": "{a}"}],
    "asks_again": [{"known": {"a": ["x"]}}],
    "needless_confirmation": [{"patterns": ["x"]}],
    "offered_options": [{"path": "a", "ids": ["x"], "allowed": ["y"]}],
    "artefact_not_effect": [{"effect": "t", "kind": "draft"}],
    "fault_recovery": [
        {"tool": "t", "fault": "all"},
        {"tool": "t", "fault": "error", "escalate_tools": ["e"], "unchanged": ["a"]},
        {"tool": "t", "fault": ["applied_error", "stale"], "duration": 2, "mode": "exact"},
    ],
    "metamorphic_relation": [
        {"relation": relation, "transform": "loud"}
        for relation in ("same_output", "same_actions", "same_state")
    ],
}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(0, 1) | st.sampled_from(["x", "refunded"]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["a", "b", "c", "answer"]), inner, max_size=2)
    ),
    max_leaves=6,
)
outcomes = st.sampled_from(
    [
        Outcome("completed"),
        RAISED,
        Outcome("timed_out", "late"),
        Outcome("killed", "signal 9"),
        Outcome("outage", "TransientError: 503"),
    ]
)
steps = st.sampled_from(
    [
        call("t", arguments={"x": 1}),
        result("t", result={"ok": True}),
        result("t", error="internal error"),
        *(
            result("t", fault={"fault": fault, "as": "returned", "applied": applied})
            for fault, applied in (("stale", False), ("error", False), ("applied_error", True))
        ),
        call("e"),
        result("e"),
        {"kind": "final", "result": "x"},
    ]
)
trajectories = st.none() | st.builds(
    lambda made, status, passed: trajectory(
        *made, status=status, constraints=[{"name": "rule", "passed": passed}]
    ),
    st.lists(steps, max_size=6),
    st.sampled_from(["success", "failure", "unknown"]),
    st.booleans(),
)
maybe = json_values | st.just(MISSING)
evidences = st.builds(
    evidence, output=maybe, state=maybe, outcome=outcomes, trajectory=trajectories
)
sides = st.builds(
    ReplayEvidence,
    kind=st.just("inject_fault"),
    step_index=st.integers(1, 3),
    method=st.sampled_from(["manual", "recorded"]),
    case=st.none() | evidences,
    reason=st.none() | st.just("replay_raised"),
    divergence=st.none() | st.builds(Divergence, st.just("changed_state"), st.just("x")),
    struck=st.builds(Struck, maybe, maybe),
)
replays = st.builds(
    FaultReplay,
    control=st.none() | sides,
    faulted=st.none() | sides,
    unavailable=st.none() | st.sampled_from(["not_replayable", "fault_target_not_called"]),
)
cases = st.builds(
    case,
    json_values,
    expected=st.none()
    | st.fixed_dictionaries({}, optional={"answer": json_values, "state": json_values}),
)

turns = st.integers(1, 3)
expectations = st.fixed_dictionaries({}, optional={"state": json_values, "answer": json_values})
talks = st.builds(
    lambda of, last, expected: of._replace(
        turns=tuple({"user": "hello"} for _ in range(last)),
        expected={**(of.expected or {}), "turns": {"1": expected}},
    ),
    cases,
    turns,
    expectations,
)
updates = st.builds(
    lambda changes, committed: {
        "kind": "state_update",
        "state_update": {"revision": 1, "changes": changes, "committed": committed},
    },
    st.dictionaries(st.sampled_from(["a", "b", "a.b", "/c/0", "a[", ""]), json_values, max_size=2),
    st.booleans(),
)
moments = st.lists(st.builds(Moment, json_values, turns), max_size=4, unique_by=lambda m: m.turn)
conversations = st.builds(
    lambda seen, made, worlds, active, replies: seen._replace(
        trajectory=trajectory(*({**step, "turn": turn} for step, turn in made)) if made else None,
        worlds=tuple(sorted(worlds, key=lambda moment: moment.turn)),
        active=tuple(sorted(active, key=lambda moment: moment.turn)),
        replies=tuple(replies),
    ),
    evidences,
    st.lists(st.tuples(steps | updates, turns), max_size=5).map(
        lambda made: sorted(made, key=lambda step: step[1])
    ),
    moments,
    moments,
    st.lists(json_values, max_size=3),
)
unreadable = evidence(
    output="x",
    trajectory=trajectory(
        {
            "kind": "state_update",
            "turn": 2,
            "state_update": {"revision": 1, "changes": {"a[": 1, "": 2}, "committed": True},
        },
        call("t", turn=2),
        call("e", turn=2),
    ),
)._replace(
    active=(Moment({"a": 1, "b": 1}, 1), Moment({"a": 2, "b": 1}, 2)),
    worlds=(Moment({"a": 1, "b": 1}, 1), Moment({"a": 1, "b": 2}, 2)),
    replies=("x", "x"),
)


CRASH = Outcome("raised", "ValueError: no", "app.py:1")
DOWN = Outcome("outage", "TransientError: 503")
OF_THE_OUTPUT = {"exact_match", "metamorphic_relation"}
"""The types that fail because a call did not complete; a `claims` with a template does, too."""


@functools.cache
def every_evaluator() -> list[Evaluator]:
    return [
        evaluator
        for kind, lines in LINES.items()
        for number, line in enumerate(lines)
        for evaluator in evaluators({"type": kind, "criterion": f"{kind}_{number}", **line})
    ]


def test_every_type_is_under_this_contract() -> None:
    """A type added without a line here is noticed."""
    assert sorted(LINES) == EVALUATORS.names()


@pytest.mark.parametrize("kind", sorted(LINES))
def test_a_line_without_criterion_makes_distinct_names(kind: str) -> None:
    """The usual names are made from the options, and hold no spaces."""
    for line in LINES[kind]:
        metrics = [evaluator.metric for evaluator in evaluators({"type": kind, **line})]
        assert len(metrics) == len(set(metrics))
        assert not any(" " in metric for metric in metrics)


@settings(deadline=None)
@given(of=cases, seen=evidences, source=st.none() | evidences, replay=replays)
def test_a_verdict_always_comes_and_is_well_formed(
    of: Case, seen: Any, source: Any, replay: FaultReplay
) -> None:
    """Whatever a system did is judged without an exception, and no word is left out."""
    everyone = every_evaluator()
    demands = {demand: replay for evaluator in everyone for demand in evaluator.demands()}
    assert all(isinstance(demand, FaultDemand) for demand in demands)
    beside = None if source is None else Context(of, source)
    for context in (
        Context(of, seen, demands),
        Context(case(id="c~loud", source="c", transform="loud"), seen, {}, beside),
    ):
        CaseChecks(everyone).check(context.case)
        verdicts = judge(everyone, context)
        assert len(everyone) == len(verdicts)
        for verdict in verdicts:
            assert (verdict.status in ("missing", "not_applicable")) == bool(verdict.reason)
            failing = [place for place in verdict.compared if not place.passed]
            if verdict.status == "fail":
                assert verdict.detail
            if verdict.status == "pass" and verdict.label is None:
                assert not failing


@settings(deadline=None)
@given(of=talks, seen=conversations)
@example(of=case({}, input=None, turns=({"user": "hello"},) * 2), seen=unreadable)
def test_a_conversation_always_gets_a_verdict(of: Case, seen: Any) -> None:
    """However it went, broke off, or was recorded; and what was compared names a turn of it."""
    everyone = every_evaluator()
    CaseChecks(everyone).check(of)
    first = judge(everyone, Context(of, seen))
    assert first == judge(everyone, Context(of, seen))
    for verdict in first:
        assert (verdict.status in ("missing", "not_applicable")) == bool(verdict.reason)
        if verdict.status == "fail":
            assert verdict.detail
        for place in verdict.compared:
            assert place.turn is None or place.turn in range(1, len(of.turns) + 1)


def codes(of: Case, seen: Any, outcome: Outcome) -> dict[str, str]:
    """What every evaluator says of a case whose call ended like that, by metric."""
    seen = seen._replace(outcome=outcome)
    if outcome.status != "completed":
        seen = seen._replace(output=MISSING)
    everyone = every_evaluator()
    verdicts = judge(everyone, Context(of, seen))
    return {one.metric: verdict.code for one, verdict in zip(everyone, verdicts, strict=True)}


@settings(deadline=None)
@given(of=cases | talks, seen=evidences | conversations)
def test_of_an_outage_every_check_is_missing(of: Case, seen: Any) -> None:
    """Whatever was seen before it; only what never speaks of the case does not."""
    for metric, code in codes(of, seen, DOWN).items():
        status, _, reason = code.partition(":")
        if status == "n":
            assert reason in OF_THE_CASE | {"not_a_metamorphic_pair"}, metric
        else:
            assert "m:outage" == code, metric


@settings(deadline=None)
@given(of=cases | talks, seen=evidences | conversations)
def test_a_call_that_did_not_complete_fails_by_itself_only_what_asks_for_its_output(
    of: Case, seen: Any
) -> None:
    """Else a failure would be one of the same evidence from a call that completed, too.

    The last snapshot of a conversation is its end where it broke off; where it went on, another
    one is lacking.
    """
    whole = codes(of, seen, Outcome("completed"))
    cut = codes(of, seen, CRASH)
    for one in every_evaluator():
        kind = one.metric.rpartition("_")[0]
        if kind in OF_THE_OUTPUT or one.metric == "claims_2":
            continue
        if cut[one.metric].startswith("f"):
            assert whole[one.metric].startswith("f") or (
                of.turns and whole[one.metric] == "m:no_recorded_state"
            ), one.metric


@settings(deadline=None)
@given(of=cases | talks, seen=evidences | conversations)
def test_a_call_that_did_not_complete_takes_its_case_out_of_no_count(of: Case, seen: Any) -> None:
    """That there was nothing to judge is missing, unless it is the case that says so."""
    never = OF_THE_CASE | {"not_a_metamorphic_pair"}
    for metric, code in codes(of, seen, CRASH).items():
        if code.startswith("n:"):
            assert code[2:] in never, metric


def test_a_call_that_ended_at_once_as_every_type_sees_it() -> None:
    """The output fails, a ban holds, what is lacking is laid to the end, the rest is missing."""
    of = case({"a": 1}, expected={"answer": "x", "state": {"a": 1}, "results": [1]})
    seen = evidence(state={"a": 1}, trajectory=trajectory())
    said = codes(of, seen, CRASH)
    fails = {metric for metric, code in said.items() if code == "f:raised"}
    assert {
        "exact_match_0",
        "exact_match_1",
        "results_contain_0",
        "results_contain_1",
        "claims_2",  # which asks for a text
        "artefact_not_effect_0",
    } == fails
    assert {"calls_0", "calls_1", "state_matches_0", "state_matches_1", "state_unchanged_0"} <= {
        metric for metric, code in said.items() if code == "p"
    }
    assert "m:call_did_not_complete" == said["call_order_0"] == said["call_arguments_0"]


def test_places_that_a_check_rests_on_are_named() -> None:
    """A misspelt one passes everywhere, compares nothing, or ignores nothing."""
    named = {
        str(place.path): (place.where, place.needed)
        for line in (
            {"type": "state_matches", "mode": "paths", "paths": ["a", "b"], "ignore": ["a.x"]},
            {"type": "state_unchanged", "paths": ["c"], "except": ["c.x"]},
            {"type": "asks_again", "of": "world", "known": {"e": ["when"]}},
            {"type": "asks_again", "criterion": "own", "known": {"e.own": ["when"]}},
            {"type": "superseded_absent", "of": "world", "paths": ["f"]},
            {"type": "superseded_absent", "criterion": "told", "paths": ["f.told"]},
            {"type": "fault_recovery", "tool": "t", "fault": "all", "unchanged": ["d"]},
        )
        for evaluator in evaluators(line)
        for place in evaluator.named_places
    }
    assert {
        "a": ("suite:1: [0].paths[0]", True),
        "a.x": ("suite:1: [0].ignore[0]", False),
        "b": ("suite:1: [0].paths[1]", True),
        "c": ("suite:1: [0].paths[0]", False),
        "d": ("suite:1: [0].unchanged[0]", False),
        "e": ("suite:1: [0].known.e", False),
        "f": ("suite:1: [0].paths[0]", False),
    } == named


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ({"type": "calls", "allowed": ["a"], "required": ["b"]}, "ab"),
        ({"type": "calls", "forbidden": ["a"]}, "a"),
        ({"type": "call_order", "order": ["a", "b"]}, "ab"),
        ({"type": "call_arguments", "tool": "a", "argument": "x", "equals": 1}, "a"),
        ({"type": "guarded_effects", "tools": ["a"]}, "a"),
        (
            {
                "type": "dependency_recomputed",
                "result_of": "a",
                "depends_on": ["x"],
                "used_by": ["b"],
            },
            "ab",
        ),
        ({"type": "superseded_absent", "paths": ["x"]}, ""),
        ({"type": "superseded_absent", "paths": ["x"], "tools": ["a"]}, "a"),
        ({"type": "artefact_not_effect", "effect": "a", "kind": "x"}, "a"),
        ({"type": "claims", "says": ["x"], "needs": {"call": ["a", "b"]}, "cases": ["c"]}, "ab"),
        ({"type": "claims", "says": ["x"], "needs": {"state": "x", "equals": 1}}, ""),
        (
            {
                "type": "fault_recovery",
                "tool": "a",
                "fault": "error",
                "escalate_tools": ["b"],
                "alternative_tools": ["c"],
            },
            "abc",
        ),
        ({"type": "state_matches"}, ""),
    ],
)
def test_the_tools_of_a_line_are_named(line: Any, named: str) -> None:
    """One that nobody ever calls is most likely misspelt."""
    (evaluator,) = evaluators(line)
    assert frozenset(named) == evaluator.named_tools


def test_a_compared_place_may_be_in_any_state_that_a_case_accepts() -> None:
    """An alternative counts like the expected state and the initial one."""
    line = {"type": "state_matches", "mode": "paths", "paths": ["a"]}
    for of in (
        case({"a": 1}),
        case({}, expected={"state": {"a": 1}}),
        case({}, expected={"alternatives": [{}, {"a": 1}]}),
    ):
        checks = CaseChecks(evaluators(line))
        checks.check(of)
        assert [] == checks.unseen()


@settings(deadline=None)
@given(of=cases, seen=evidences)
def test_judging_changes_nothing_and_repeats(of: Case, seen: Any) -> None:
    """Evaluators are pure: the same verdicts again, and the evidence as it was."""
    context = Context(of, seen)
    before = encode([of.initial_state, of.expected, seen.steps])
    first = judge(every_evaluator(), context)
    assert first == judge(every_evaluator(), context)
    assert before == encode([of.initial_state, of.expected, seen.steps])
