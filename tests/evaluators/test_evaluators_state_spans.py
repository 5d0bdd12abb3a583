"""What was preserved between turns, and what alone may have changed."""

from __future__ import annotations

from typing import Any

import pytest
from conversation_samples import called, conversation, judged, told
from evaluator_samples import case, evidence

from oloproof.errors import ConfigurationError
from oloproof.evaluation.contract import Context
from oloproof.paths import MISSING
from oloproof.records.evidence import Outcome

FIRST: Any = {
    "goal": "reserve",
    "constraints": {"attendees": 12, "starts_at": "15:00", "features": ["screen"]},
}
SIX: Any = {**FIRST, "constraints": {**FIRST["constraints"], "attendees": 6}}


def preserved(*states: Any, **options: Any) -> Any:
    options = {"type": "state_preserved", "of": "active", **options}
    return judged(options, conversation(asked_for=len(states), active=states))


def changed_only(*states: Any, paths: Any, **options: Any) -> Any:
    options = {"type": "state_changed_only", "of": "active", "paths": paths, **options}
    return judged(options, conversation(asked_for=len(states), active=states))


class TestStatePreserved:
    def test_a_change_that_the_case_expects_is_not_laid_to_memory(self) -> None:
        """It was told to change the value; what it lost otherwise it forgot."""
        options: Any = {"type": "state_preserved", "of": "active"}
        for expected, label in ((SIX, None), (FIRST, "memory")):
            context = conversation(
                asked_for=2, active=(FIRST, SIX), expected={"turns": {"2": {"active": expected}}}
            )
            verdict = judged(options, context)
            assert ("fail", label) == (verdict.status, verdict.label)

    def test_what_is_still_there_passes(self) -> None:
        """A change that is allowed and values that were added are nothing lost."""
        assert "p" == preserved(FIRST, SIX, **{"except": ["constraints.attendees"]}).code
        assert "p" == preserved(FIRST, SIX, paths=["goal", "constraints.starts_at"]).code
        more = {**FIRST, "constraints": {**FIRST["constraints"], "limit": 2}, "open": []}
        assert "p" == preserved(FIRST, more).code
        assert "p" == preserved(FIRST, more, paths=["constraints"]).code

    def test_a_full_reset_loses_what_did_not_change(self) -> None:
        """A constraint that the user never took back is gone."""
        reset = {"goal": "reserve", "constraints": {"attendees": 6}}
        said = preserved(FIRST, reset, paths=["constraints.starts_at", "constraints.features"])
        assert "f:memory" == said.code
        assert [
            (2, "constraints.starts_at", "not there"),
            (2, "constraints.features", "not there"),
        ] == told(said)
        assert (
            'after turn 2: constraints.starts_at is nothing, and was "15:00" after turn 1 '
            "(and 1 more)" == said.detail
        )

    def test_it_is_compared_with_the_turn_before_or_a_given_one(self) -> None:
        """Without `since` a value that came back later was still lost."""
        gone = {"goal": "reserve"}
        assert "f:memory" == preserved(FIRST, gone, FIRST, paths=["constraints"]).code
        assert "p" == preserved(FIRST, gone, FIRST, paths=["constraints"], since=1, turn=3).code
        assert "f:memory" == preserved(FIRST, gone, FIRST, paths=["constraints"], since=1).code
        assert "p" == preserved(FIRST, gone, gone, turn=3).code

    def test_what_was_not_there_need_not_be_preserved(self) -> None:
        """Nothing was there: the check does not speak of it."""
        assert "n:nothing_compared" == preserved(FIRST, SIX, paths=["budget"]).code
        assert "n:nothing_compared" == preserved({}, SIX).code
        assert "n:nothing_compared" == preserved({"a": 1}, {}, **{"except": ["a"]}).code
        assert "n:no_state_before" == preserved(FIRST).code

    def test_the_world_is_compared_with_the_initial_one(self) -> None:
        """Before the first message the world is known, also of a single call."""
        options: Any = {"type": "state_preserved"}
        for initial, code in (
            ({"a": 1, "b": 2}, "f:execution"),
            ({"a": 1}, "p"),
            (MISSING, "n:no_state_before"),
        ):
            booked = [called("book", result="ok")]
            context = conversation(booked, initial=initial, worlds=[{"a": 1}])
            assert code == judged(options, context).code
        for state, code in (({"a": 2}, "f"), ({"a": 1, "b": 1}, "p")):
            assert code == judged(options, Context(case({"a": 1}), evidence(state=state))).code

    def test_a_state_that_is_not_there_is_missing(self) -> None:
        """On either side, and never a pass."""
        assert "m:no_recorded_state" == preserved(FIRST, MISSING, FIRST).code
        raised = Outcome("raised", "E: x")
        late = conversation([], asked_for=3, active=[FIRST], outcome=raised)
        options = {"type": "state_preserved", "of": "active", "turn": 3}
        assert "m:turn_not_reached" == judged(options, late).code


class TestStateChangedOnly:
    def test_one_change_moves_its_own_field_alone(self) -> None:
        """Declared places may change, or stay, and whatever the order of keys."""
        paths = ["constraints.attendees"]
        turned = dict(reversed(SIX.items()))
        assert "p" == changed_only(FIRST, turned, paths=paths).code
        assert "p" == changed_only(FIRST, FIRST, paths=paths).code
        assert "p" == changed_only(FIRST, SIX, paths=["constraints"]).code

    def test_another_change_is_told_with_both_values(self) -> None:
        """A goal that was cancelled although nobody asked for it."""
        said = changed_only(FIRST, {**SIX, "goal": "ask"}, paths=["constraints.attendees"])
        assert [(2, "goal", "must not change")] == told(said)
        assert (
            'after turn 2: goal is "ask", and was "reserve" after turn 1: '
            "only declared places may change" == said.detail
        )

    def test_nothing_at_all_may_change(self) -> None:
        """Without any path the state must stay as it is."""
        assert "p" == changed_only(FIRST, FIRST, paths=[]).code
        assert "f" == changed_only(FIRST, SIX, paths=[]).code

    def test_objects_that_come_or_go_are_judged_by_what_they_hold(self) -> None:
        """A declared place may be in an object that was not there before."""
        assert "p" == changed_only({}, {"c": {"n": 6}}, paths=["c.n"]).code
        assert "p" == changed_only({"c": {"n": [{"x": 1}]}}, {}, paths=["c.n[*].x"]).code
        said = changed_only({}, {"c": {"n": 6, "m": [1]}}, paths=["c.n"])
        assert [(2, "c.m[0]", "must not change")] == told(said)
        assert "f" == changed_only({}, {"c": {}}, paths=["c.n"]).code

    def test_a_change_may_be_required(self) -> None:
        """Each declared path must have moved; a wildcard by any of its places."""
        paths = ["constraints.attendees", "goal"]
        said = changed_only(FIRST, SIX, paths=paths, required=True)
        assert [(2, "goal", "had to change")] == told(said)
        assert (
            'after turn 2: goal had to change, and is still "reserve" as after turn 1'
            == said.detail
        )
        assert "p" == changed_only(FIRST, SIX, paths=["constraints"], required=True).code
        rooms = [{"rooms": [{"p": 1}, {"p": n}]} for n in (1, 2)]
        assert "p" == changed_only(*rooms, paths=["rooms[*].p"], required=True).code

    def test_the_turns_between_add_up(self) -> None:
        """Since a given turn, whatever happened on the way and was taken back."""
        paths = ["constraints.attendees"]
        odd = {**SIX, "goal": "ask"}
        assert "p" == changed_only(FIRST, odd, SIX, paths=paths, since=1, final=True).code
        assert "f" == changed_only(FIRST, odd, SIX, paths=paths).code

    def test_the_world_may_change_as_declared(self) -> None:
        """Since the beginning, and of a single call too."""
        options: Any = {"type": "state_changed_only", "paths": ["b"]}
        grown, other = evidence(state={"a": 1, "b": 2}), evidence(state={"a": 3})
        assert "p" == judged(options, Context(case({"a": 1}), grown)).code
        said = judged(options, Context(case({"a": 1}), other))
        assert "a is 3, and was 1 in the beginning: only declared places may change" == (
            said.detail
        )


@pytest.mark.parametrize("kind", ["state_preserved", "state_changed_only"])
def test_a_span_without_a_turn_after_it_is_refused(kind: str) -> None:
    """It could never be judged."""
    options: Any = {} if kind == "state_preserved" else {"paths": []}
    with pytest.raises(ConfigurationError, match="compares with turn 2, and nothing comes after"):
        judged({"type": kind, "since": 2, **options}, conversation([], []))
