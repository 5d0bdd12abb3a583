"""What holds for every check of calls and messages, whatever a system did."""

from __future__ import annotations

import functools
from typing import Any, Final

from conversation_samples import conversation
from evaluator_samples import RAISED, evaluator
from hypothesis import given, settings
from hypothesis import strategies as st

from oloproof.canonical import encode
from oloproof.evaluation.contract import Context, Evaluator
from oloproof.evaluation.judging import CaseChecks
from oloproof.paths import MISSING
from oloproof.records.evidence import COMPLETED, Outcome

LINES: Final[list[dict[str, Any]]] = [
    {"type": "calls", "forbidden": ["t"], "required": {"u": {"max": 1}}, "in_every_turn": True},
    {"type": "calls", "allowed": ["u"], "after": 1},
    {"type": "call_order", "order": ["t", "u"], "strict": True},
    {"type": "call_arguments", "tool": ["t", "u"], "argument": "a", "follows": "a"},
    {"type": "call_arguments", "tool": "t", "argument": "a[*]", "follows": "a", "of": "world"},
    {"type": "superseded_absent", "paths": ["a", "b[*]"]},
    {"type": "superseded_absent", "of": "active", "paths": ["a"], "arguments": ["a"]},
    {"type": "dependency_recomputed", "result_of": "t", "depends_on": ["a", "b[*]"]}
    | {"used_by": ["u"], "used_in_reply": True, "follows": {"a": "a"}},
    {"type": "guarded_effects", "tools": ["t", "u"]},
    {"type": "results_contain", "mode": "subset"},
    {"type": "claims", "says": ["booked"], "needs": {"call": "t"}, "subject": "s"},
    {"type": "claims", "template": "{a}", "of": "active"},
    {"type": "claims"},
    {"type": "asks_again", "known": {"a": ["which"]}, "of": "world"},
    {"type": "needless_confirmation", "patterns": ["sure"], "conflict_turns": [2]},
    {"type": "offered_options", "path": "a", "ids": ["x"], "allowed_at": "a"},
    {"type": "artefact_not_effect", "effect": "t", "kind": "draft"},
    {"type": "exact_match"},
]

OF_EVERY_CALL: Final = {
    "calls",
    "call_order",
    "results_contain",
    "superseded_absent",
    "claims",
    "asks_again",
}
"""The types of which a line above looks at calls of any tool, or at what they may change."""

values: Any = st.recursive(
    st.sampled_from([None, True, False, 0, 1, 1.0, "x", "booked"]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(st.sampled_from(["a", "b", "revision", "answer"]), inner, max_size=2)
    ),
    max_leaves=5,
)
entries = st.fixed_dictionaries(
    {},
    optional={"path": st.sampled_from(["a", "b", "a..b"]) | values, "old": values, "new": values},
)
states = values | st.fixed_dictionaries(
    {"a": values, "superseded": st.lists(entries, max_size=2) | values},
    optional={"permissions": st.fixed_dictionaries({"t": values}), "revision": values},
)
statuses = st.sampled_from([None, "proposed", "queued", "executed", "blocked", "cancelled"])
texts = st.sampled_from(["It is booked.", "Which? Sure?", "x", "“booked", ""])


def _without_none(step: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in step.items() if value is not None}


calls = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(["tool_call", "tool_result"]),
        "tool_name": st.sampled_from(["t", "u"]),
        "call_id": st.sampled_from([None, "1", "2"]),
        "status": statuses,
        "arguments": values,
        "result": values,
        "error": st.sampled_from([None, None, "down"]),
        "state_revision": st.sampled_from([None, 1, 2]),
    }
).map(_without_none)
updates = st.fixed_dictionaries(
    {
        "revision": st.integers(1, 3),
        "committed": st.booleans(),
        "changes": st.dictionaries(st.sampled_from(["a", "a.b", "b[0]", "c"]), values, max_size=2),
    }
).map(lambda update: {"kind": "state_update", "state_update": update})
claims = st.fixed_dictionaries(
    {"subject": st.sampled_from(["s", "z"])},
    optional={
        "path": st.sampled_from(["a", "a..b"]),
        "value": values,
        "asserted": st.booleans(),
    },
)
messages = st.fixed_dictionaries(
    {"kind": st.sampled_from(["message", "final"]), "result": texts | values},
    optional={
        "agent": st.sampled_from(["user", "clerk"]),
        "claims": st.lists(claims, max_size=2),
        "metadata": st.fixed_dictionaries(
            {}, optional={"asks": values | st.just(["a"]), "asks_confirmation": values}
        ),
    },
)
artefacts = st.fixed_dictionaries(
    {"name": st.just("n"), "kind": st.just("draft")}, optional={"content": values}
).map(lambda artefact: {"kind": "observation", "artefact": artefact})
turns = st.lists(calls | updates | messages | artefacts, max_size=4)
expectations = st.dictionaries(
    st.sampled_from(["1", "2"]),
    st.fixed_dictionaries(
        {},
        optional={
            "state": states,
            "answer": values,
            "calls": values,
            "results": st.lists(values, max_size=2),
            "superseded": st.lists(entries, max_size=2),
            "conflict": values,
        },
    ),
    max_size=2,
)
outcomes = st.sampled_from([COMPLETED, RAISED, Outcome("timed_out", "late")])
recorded = st.lists(states | st.just(MISSING), max_size=3)


@st.composite
def conversations(draw: st.DrawFn) -> Context:
    inner = draw(st.lists(turns, min_size=2, max_size=3))
    outcome = draw(outcomes)
    replies = draw(st.lists(texts | values, max_size=len(inner)))
    return conversation(
        *inner,
        expected=draw(st.none() | st.fixed_dictionaries({"turns": expectations})),
        initial=draw(states),
        worlds=draw(recorded),
        active=draw(recorded),
        replies=replies,
        outcome=outcome,
        trajectory=draw(st.sampled_from([None, {"truncated": True}])),
    )


def _frozen(context: Context) -> bytes:
    return encode([context.case.expected, context.evidence.trajectory])


@functools.cache
def everyone() -> list[Evaluator]:
    return [evaluator(criterion=f"m{number}", **line) for number, line in enumerate(LINES)]


@settings(deadline=None, max_examples=300)
@given(context=conversations())
def test_a_conversation_is_judged_whatever_is_in_it(context: Context) -> None:
    """No exception, a reason or a sentence where one is due, and the same again."""
    before = _frozen(context)
    CaseChecks(everyone()).check(context.case)
    for one in everyone():
        verdict = one.evaluate(context)
        assert verdict == one.evaluate(context)
        assert (verdict.status in ("missing", "not_applicable")) == bool(verdict.reason)
        failing = [place for place in verdict.compared if not place.passed]
        if verdict.status == "fail":
            assert verdict.detail
        if verdict.status == "pass":
            assert not failing
            assert verdict.compared
    assert before == _frozen(context)


@settings(deadline=None, max_examples=100)
@given(context=conversations(), extra=st.integers(0, 20))
def test_an_unrelated_call_changes_no_verdict(context: Context, extra: int) -> None:
    """A tool that no line names is nobody's business, but where others are not allowed."""
    steps = context.evidence.steps
    place = extra % (len(steps) + 1)
    turn = steps[place - 1]["turn"] if place else 1
    call = {"kind": "tool_call", "tool_name": "other", "turn": turn, "error": "none", "result": 9}
    renumbered = [
        {**step, "index": n} for n, step in enumerate([*steps[:place], call, *steps[place:]], 1)
    ]
    trajectory: Any = {**(context.evidence.trajectory or {}), "steps": renumbered}
    with_call = context._replace(evidence=context.evidence._replace(trajectory=trajectory))
    for one, line in zip(everyone(), LINES, strict=True):
        if line["type"] not in OF_EVERY_CALL:
            assert one.evaluate(context).code == one.evaluate(with_call).code
