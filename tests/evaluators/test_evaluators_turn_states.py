"""`state_matches` on conversations: turn by turn, whose state, and what a wrong value was."""

from __future__ import annotations

from typing import Any

import pytest
from conversation_samples import called, conversation, judged, told
from evaluator_samples import case, evaluator, evidence

from oloproof.errors import ConfigurationError
from oloproof.evaluation.contract import Context
from oloproof.evaluation.judging import CaseChecks
from oloproof.paths import MISSING
from oloproof.records.evidence import Outcome

TWELVE: Any = {"goal": "reserve", "constraints": {"attendees": 12, "screen": True}}
SIX: Any = {"goal": "compare", "constraints": {"attendees": 6, "screen": True}}
BROKE = Outcome("raised", "ValueError: no room")
WORLD: Any = {"type": "state_matches"}
ACTIVE: Any = {"type": "state_matches", "of": "active"}


def by_turn(held: dict[int, Any], **end: Any) -> dict[str, Any]:
    """What is expected after some turns, and in the end."""
    return {"turns": {str(turn): expected for turn, expected in held.items()}, **end}


EXPECTED = by_turn({1: {"active": TWELVE}, 2: {"active": SIX}, 3: {"active": SIX}})


def matches(*states: Any, expected: Any = EXPECTED, **options: Any) -> Any:
    """The verdict on a working state, where the same is expected of every check here."""
    context = conversation(asked_for=len(states), expected=expected, active=states)
    return judged(ACTIVE | options, context)


class TestEveryTurn:
    def test_all_turns_as_expected_pass_and_show_their_turns(self) -> None:
        """Without a scope every turn with an expected state is judged."""
        said = matches(TWELVE, SIX, SIX)
        assert "p" == said.code
        assert [1, 2, 3] == [place.turn for place in said.compared]

    def test_the_order_of_keys_is_nothing(self) -> None:
        """A benign variation is no difference."""
        turned = {key: SIX[key] for key in reversed(SIX)}
        assert "p" == matches(TWELVE, turned, turned).code

    def test_one_wrong_turn_fails_although_the_end_is_right(self) -> None:
        """The end state alone would not show it."""
        said = matches(TWELVE, TWELVE, SIX)
        assert "fail" == said.status
        assert 'after turn 2: goal is "reserve", not "compare" (and 1 more)' == said.detail

    def test_several_wrong_turns_are_named(self) -> None:
        """The sentence is of the first, and names the others."""
        said = matches(SIX, TWELVE, TWELVE)
        assert str(said.detail).endswith("(and after turn 2, 3)")

    def test_the_end_is_judged_too_where_a_state_is_expected_of_it(self) -> None:
        """`expected.active` is that of the end, beside those of the turns."""
        expected = by_turn({1: {"active": TWELVE}}, active=SIX)
        assert "p" == matches(TWELVE, SIX, expected=expected).code
        said = matches(TWELVE, {**SIX, "goal": "reserve"}, expected=expected)
        assert [(2, "goal", "still the value of turn 1")] == told(said)

    def test_a_turn_for_which_nothing_is_expected_may_be_anything(self) -> None:
        """Only what is expected is compared."""
        expected = by_turn({1: {"active": TWELVE}, 3: {"active": SIX}})
        assert "p" == matches(TWELVE, {"x": 1}, SIX, expected=expected).code

    def test_alternatives_count_turn_by_turn(self) -> None:
        """Each turn has its own accepted states."""
        expected = by_turn({2: {"active": SIX, "alternatives": [{"goal": "ask"}]}})
        assert "p" == matches(TWELVE, {"goal": "ask"}, expected=expected).code
        said = matches(TWELVE, {"goal": "sell"}, expected=expected)
        assert "none of 2 accepted states; nearest is accepted state 2" in str(said.detail)

    def test_every_mode_holds_for_every_turn(self) -> None:
        """Options of the comparison mean the same as for single calls."""
        more = {**SIX, "open": []}
        assert "f:interpretation" == matches(TWELVE, more, more).code
        assert "p" == matches(TWELVE, more, more, mode="subset").code
        assert "p" == matches(TWELVE, more, more, ignore=["open"]).code
        assert "p" == matches(TWELVE, more, more, mode="paths", paths=["goal"]).code

    def test_the_working_state_has_a_field_of_its_own(self) -> None:
        """World and working state can both be expected after a turn."""
        rooms: Any = {"rooms": []}
        expected = by_turn({1: {"state": rooms, "active": SIX}})
        context = conversation([], expected=expected, active=[SIX], worlds=[rooms])
        assert "p" == judged(ACTIVE, context).code
        assert "p" == judged(WORLD, context).code
        assert "f:interpretation" == judged(ACTIVE | {"expected_field": "state"}, context).code

    def test_alternatives_that_are_no_list_are_refused_with_their_turn(self) -> None:
        """What could never be judged is refused before a run."""
        expected = by_turn({2: {"alternatives": {}}})
        with pytest.raises(ConfigurationError, match=r"expected\.turns\.2\.alternatives"):
            matches(TWELVE, SIX, expected=expected)


class TestScope:
    @pytest.mark.parametrize(
        ("scope", "code"),
        [
            ({"turn": 1}, "p"),
            ({"turn": 2}, "f:interpretation"),
            ({"final": True}, "p"),
            ({"after": 2}, "p"),
            ({"after": 1}, "f:interpretation"),
            ({"until": 1}, "p"),
            ({"after": 1, "until": 2}, "f:interpretation"),
        ],
    )
    def test_only_the_selected_turns_are_judged(self, scope: Any, code: str) -> None:
        """A scope takes the other turns out."""
        assert code == matches(TWELVE, TWELVE, SIX, **scope).code

    def test_a_turn_without_an_expected_state_is_not_judged(self) -> None:
        """Nothing is expected there."""
        expected = by_turn({2: {"active": SIX}})
        assert "n:no_expected_state" == matches(SIX, SIX, expected=expected, turn=1).code

    def test_a_turn_that_the_case_does_not_have_is_refused(self) -> None:
        """The number is most likely wrong."""
        with pytest.raises(ConfigurationError, match="speaks of turn 4, and case `c` has 3 turns"):
            matches(TWELVE, SIX, SIX, turn=4)


class TestWhatIsMissing:
    def test_a_state_that_was_not_recorded_is_missing(self) -> None:
        """It is never a pass, and the turn is named by what the others compared."""
        said = matches(TWELVE, MISSING, SIX)
        assert "m:no_recorded_state" == said.code
        assert [1, 3] == [place.turn for place in said.compared]

    def test_a_failure_counts_whatever_else_is_missing(self) -> None:
        """What was seen to be wrong stays wrong."""
        assert "f:interpretation" == matches(SIX, MISSING, SIX).code

    def test_a_turn_that_was_not_reached_is_missing_with_the_cause(self) -> None:
        """States use what was recorded until the conversation broke off."""
        active = [TWELVE, SIX]
        seen = conversation([], asked_for=3, expected=EXPECTED, active=active, outcome=BROKE)
        said = judged(ACTIVE, seen)
        assert "m:turn_not_reached" == said.code
        assert "turn 3 was not reached: ValueError: no room" == said.detail
        assert "p" == judged(ACTIVE | {"until": 2}, seen).code

    def test_the_end_of_what_broke_off_is_its_last_state(self) -> None:
        """Without a scope it is judged as a single call that raised is."""
        of: Any = {"asked_for": 3, "initial": {}, "expected": {"state": {"a": 1}}}
        seen = conversation([], worlds=[{}, {"a": 1}], outcome=BROKE, **of)
        assert "p" == judged(WORLD, seen).code
        assert "m:turn_not_reached" == judged(WORLD | {"final": True}, seen).code
        dead = conversation([], worlds=[{"a": 1}], outcome=Outcome("killed"), **of)
        assert "m:no_recorded_state" == judged(WORLD, dead).code

    def test_a_single_call_is_judged_as_ever(self) -> None:
        """Nothing of a conversation shows: no turn, no label."""
        of = case({}, expected={"state": {"a": 1}})
        said = judged(WORLD, Context(of, evidence(state={"a": 2})))
        assert ("f", "a is 2, not 1") == (said.code, said.detail)
        assert [(None, "a", None)] == told(said)
        assert "p" == judged(WORLD | {"turn": 1}, Context(of, evidence(state={"a": 1}))).code


class TestWhatAWrongValueWas:
    def test_an_old_value_is_told_from_another_and_from_nothing(self) -> None:
        """A revised slot has the new value, still the old one, another one, or none."""

        def state(attendees: Any) -> Any:
            held = {} if attendees is MISSING else {"attendees": attendees}
            return {"goal": "compare", "constraints": {**held, "screen": True}}

        place = "constraints.attendees"
        for value, note in ((12, "still the value of turn 1"), (9, None), (MISSING, "not there")):
            said = matches(TWELVE, state(value), SIX)
            assert [(2, place, note)] == told(said)
        assert [] == told(matches(TWELVE, state(6), SIX))

    def test_a_withdrawn_value_that_stays_is_an_old_one(self) -> None:
        """Where nothing is expected any more, the old value may still be there."""
        expected = by_turn({1: {"active": {"a": 1, "b": 2}}, 2: {"active": {"a": 1}}})
        said = matches({"a": 1, "b": 2}, {"a": 1, "b": 2}, expected=expected)
        assert [(2, "b", "still the value of turn 1")] == told(said)

    def test_the_latest_turn_with_the_value_is_named(self) -> None:
        """A value that was held for several turns is that of the last one."""
        expected = by_turn({turn: {"active": {"a": a}} for turn, a in ((1, 1), (2, 1), (3, 2))})
        said = matches({"a": 1}, {"a": 1}, {"a": 1}, expected=expected)
        assert [(3, "a", "still the value of turn 2")] == told(said)

    def test_what_was_recorded_counts_where_nothing_was_expected(self) -> None:
        """The initial world is the state before the first turn."""
        expected = by_turn({2: {"state": {"a": 2}}})
        for last, note in ((1, "still the value of turn 1"), (0, "still the first value")):
            worlds = [{"a": 1}, {"a": last}]
            seen = conversation([], [], initial={"a": 0}, expected=expected, worlds=worlds)
            assert [(2, "a", note)] == told(judged(WORLD, seen))


class TestLocus:
    def test_a_wrong_update_is_laid_to_interpretation(self) -> None:
        """The turn that asked for a value never brought it."""
        assert "f:interpretation" == matches(TWELVE, TWELVE, TWELVE, turn=2).code
        assert "f:interpretation" == matches(TWELVE, TWELVE, TWELVE, turn=3).code

    def test_a_lost_value_is_laid_to_memory(self) -> None:
        """It was right after turn 2, and no change was expected since."""
        lost = {"goal": "compare", "constraints": {"screen": True}}
        assert "f:memory" == matches(TWELVE, SIX, lost).code
        assert "f:memory" == matches(TWELVE, SIX, TWELVE).code

    def test_a_value_that_nobody_asked_for_is_laid_to_interpretation(self) -> None:
        """Nothing was lost by it."""
        assert "f:interpretation" == matches(TWELVE, SIX, {**SIX, "x": 1}).code

    def test_a_wrong_world_is_laid_to_execution_where_something_was_done(self) -> None:
        """Where nothing was, it may be right or wrong that nothing was."""
        of: Any = {"initial": {"a": 1}, "expected": by_turn({1: {"state": {"a": 2}}})}
        made = called("book", result="ok")
        planned = called("book", status="blocked")
        for steps, code in (([made], "f:execution"), ([planned], "f"), ([], "f")):
            assert code == judged(WORLD, conversation(steps, worlds=[{"a": 1}], **of)).code


class TestPlacesThatAreNamed:
    def unseen(self, context: Context, /, **options: Any) -> list[str]:
        checks = CaseChecks([evaluator(**options)])
        checks.check(context.case)
        return checks.unseen()

    def test_a_compared_path_is_looked_for_in_the_states_of_all_turns(self) -> None:
        """One that none of them has would compare nothing, and is refused."""
        expected = by_turn({2: {"active": {"goal": "a"}}})
        of = conversation([], [], initial={}, expected=expected)
        options = ACTIVE | {"mode": "paths"}
        assert [] == self.unseen(of, paths=["goal"], **options)
        with pytest.raises(ConfigurationError, match=r"compares the path `gaol`") as caught:
            self.unseen(of, paths=["gaol"], **options)
        assert "did you mean `goal`?" == caught.value.fix

    @pytest.mark.parametrize(
        ("kind", "options"),
        [
            ("state_preserved", {"paths": ["orders.x"]}),
            ("state_changed_only", {"paths": ["orders.x"]}),
            ("superseded_history", {"paths": ["orders.x"]}),
            ("state_invariants", {"invariants": ["orders.x == 1"]}),
            (
                "state_invalidated",
                {"dependencies": [{"result": "orders.x", "depends_on": ["orders"]}]},
            ),
        ],
    )
    def test_a_place_of_the_world_that_no_case_has_is_told(self, kind: str, options: Any) -> None:
        """It may appear later, but is most likely misspelt; a working state is not known."""
        of = conversation([], [], initial={"orders": {"xy": 1}})
        (told_once,) = self.unseen(of, type=kind, **options)
        assert "names the path `orders.x`" in told_once
        assert "did you mean `orders.xy`?" in told_once
        assert [] == self.unseen(of, type=kind, of="active", **options)
