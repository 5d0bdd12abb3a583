"""Whether an output under a fault says what is expected, and whether that is so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from oloproof.evaluation.contract import Context
from oloproof.evaluation.outputs import OutputCheck, Since, Statement, said_under_fault, together
from oloproof.evaluation.registry import bind_all, lines_of
from oloproof.paths import MISSING
from oloproof.records.case import Case
from oloproof.records.evidence import COMPLETED, CaseEvidence, Moment

START = Since(1, 0)
MISSED, REACHED = {"order": "open"}, {"order": "refunded"}
REFUNDED = {"says": ["refunded"], "needs": {"state": "order", "equals": "refunded"}}
TEMPLATE = {"template": "It is {order}."}


def checks(*lines: dict[str, Any]) -> list[OutputCheck]:
    made = bind_all(lines_of(lines, Path("suite")), [])
    return [check for check in made if isinstance(check, OutputCheck)]


def evidence(output: Any, world: Any = MISSED, steps: Any = ()) -> CaseEvidence:
    numbered = [{"index": index, **step} for index, step in enumerate(steps, 1)]
    return CaseEvidence(
        COMPLETED, output=output, worlds=(Moment(world),), trajectory={"steps": numbered}
    )


def said(
    output: Any,
    *lines: dict[str, Any],
    recorded: Any = MISSING,
    world: Any = MISSED,
    admits: bool = False,
    **expected: Any,
) -> tuple[bool | None, bool | None]:
    """What an output is taken for in a case of one call."""
    case = Case("c", None, expected={"state": REACHED, **expected})
    context = Context(case, evidence(recorded, REACHED))
    faulted = evidence(output, world)
    found = said_under_fault(checks(*lines), context, faulted, START, admits_failure=admits)
    return found.claimed, found.right


EXACT = {"type": "exact_match", "field": "status"}


@pytest.mark.parametrize(
    ("output", "lines", "given", "expected"),
    [
        ("refunded", [], {}, (None, None)),
        ("refunded", [], {"answer": "refunded"}, (True, True)),
        ({"answer": "refunded", "n": 1}, [], {"answer": "refunded"}, (True, True)),
        ("no", [], {"answer": "refunded"}, (None, None)),
        ("yes", [], {"recorded": "yes"}, (True, True)),
        ("no", [], {"recorded": "yes"}, (None, None)),
        (None, [], {"recorded": None}, (None, None)),
        ({}, [], {"recorded": {}}, (None, None)),
        (MISSING, [], {}, (None, None)),
        ("yes", [], {"recorded": "yes", "admits": True}, (None, True)),
        ({"status": "done"}, [EXACT], {"status": "done"}, (True, True)),
        ({"status": "failed"}, [EXACT], {"status": "done"}, (None, False)),
        ({"status": "failed"}, [EXACT], {}, (None, None)),
        ({"status": "x"}, [EXACT], {"status": "done", "recorded": {"status": "x"}}, (True, False)),
        ("It was refunded.", [{"type": "claims", **REFUNDED}], {}, (True, False)),
        ("It was refunded.", [{"type": "claims", **REFUNDED}], {"world": REACHED}, (True, True)),
        ("It was not refunded.", [{"type": "claims", **REFUNDED}], {}, (None, None)),
        ("A desk called.", [{"type": "claims", **REFUNDED}], {}, (None, None)),
        (
            "It was refunded.",
            [{"type": "claims", "says": ["refunded"], "forbidden": True}],
            {},
            (None, False),
        ),
        ("It is refunded.", [{"type": "claims", **TEMPLATE}], {}, (True, False)),
        ("It is open.", [{"type": "claims", **TEMPLATE}], {}, (None, True)),
        ("It is refunded.", [{"type": "claims", **TEMPLATE}], {"world": REACHED}, (True, True)),
        ("It was refunded.", [{"type": "claims", **REFUNDED, "cases": ["d"]}], {}, (None, None)),
        ("It was refunded.", [{"type": "claims", **REFUNDED, "cases": ["c"]}], {}, (True, False)),
    ],
)
def test_the_suites_own_checks_and_the_recording_say_what_an_output_is(
    output: Any, lines: Any, given: Any, expected: Any
) -> None:
    """A claim counts whether it is so or not; what is not so is not right."""
    assert expected == said(output, *lines, **given)


def talk(*replies: Any, faulted: Any, since: int, lines: Any = ()) -> Statement:
    """What the replies of a conversation under a fault are taken for."""
    turns = tuple({"user": "…"} for _ in replies)
    expected = {"turns": {"1": {"answer": "hello"}}}
    context = Context(
        Case("c", None, turns=turns, expected=expected), CaseEvidence(COMPLETED, replies=replies)
    )
    evidence = CaseEvidence(COMPLETED, output=faulted[-1], replies=tuple(faulted))
    return said_under_fault(
        checks(*lines), context, evidence, Since(since, 0), admits_failure=False
    )


def test_in_a_conversation_every_reply_from_the_fault_on_counts() -> None:
    """An honest reply is not undone by a farewell that is always the same."""
    assert talk("hello", "done", "bye", faulted=["hello", "done", "bye"], since=2).claimed
    assert not talk("hello", "done", "bye", faulted=["hello", "no", "bye"], since=2).claimed
    assert talk("hello", "done", "bye", faulted=["hi", "done", "bye"], since=2).claimed
    assert not talk("hello", "done", "bye", faulted=["hello", "done"], since=2).claimed


def test_what_was_said_before_the_fault_is_no_claim() -> None:
    """Neither a reply of an earlier turn nor a message before the struck call."""
    line = {"type": "exact_match"}
    assert talk("hello", "done", faulted=["hello", "no"], since=1, lines=[line]).claimed
    assert not talk("hello", "done", faulted=["hello", "no"], since=2, lines=[line]).claimed
    steps = [{"kind": "message", "result": "It was refunded."}, {"kind": "final", "result": "no"}]
    (check,) = checks({"type": "claims", **REFUNDED})
    context = Context(Case("c", None), evidence("no", MISSED, steps))
    assert check.output_said(context, Since(1, 0)).claimed
    assert not check.output_said(context, Since(1, 1)).claimed


def test_one_claim_is_enough_and_one_that_is_not_so() -> None:
    """However many others there are."""
    assert Statement(True, False) == together([Statement(True, True), Statement(None, False)])
    assert Statement(None, True) == together([Statement(), Statement(False, True)])
    assert Statement() == together([])
