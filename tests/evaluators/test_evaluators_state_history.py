"""The history of replaced values, and results that outlive what they were computed from."""

from __future__ import annotations

from typing import Any

import pytest
from conversation_samples import called, conversation, judged, told, updated
from evaluator_samples import case, evidence

from oloproof.errors import ConfigurationError
from oloproof.evaluation.contract import Context
from oloproof.paths import MISSING

PATHS = ["goal", "constraints"]


def entry(path: str, old: Any, new: Any) -> dict[str, Any]:
    return {"path": path, "old": old, "new": new}


def state(attendees: Any, *superseded: Any, goal: str = "reserve", **more: Any) -> dict[str, Any]:
    return {
        "goal": goal,
        "constraints": {"attendees": attendees, **more},
        "superseded": list(superseded),
    }


TO_SIX = entry("constraints.attendees", 12, 6)
TO_EIGHT = entry("constraints.attendees", 6, 8)


def history(*states: Any, steps: Any = (), **options: Any) -> Any:
    options = {"type": "superseded_history", "of": "active", "paths": PATHS, **options}
    return judged(options, conversation([], steps, asked_for=len(states), active=states))


class TestSupersededHistory:
    def test_every_replaced_value_has_its_entry(self) -> None:
        """A correction of a correction has two, a value that is new has none."""
        said = history(state(12), state(6, TO_SIX), state(8, TO_SIX, TO_EIGHT, limit=2))
        assert "p" == said.code

    def test_order_form_of_the_path_and_other_entries_are_nothing(self) -> None:
        """What the history says beside the declared paths is not judged."""
        pointer = entry("/constraints/attendees", 12, 6.0)
        other = entry("notes", "a", "b")
        assert "p" == history(state(12), state(8, TO_EIGHT, other, pointer), turn=1).code
        said = history(state(12), state(6, other, pointer), state(8, TO_EIGHT, pointer, other))
        assert "p" == said.code

    def test_a_change_without_its_entry_fails(self) -> None:
        """The turn, and the entry that lacks."""
        said = history(state(12), state(6))
        assert [(2, "superseded", "no entry")] == told(said)
        assert "superseded has nothing where it has to have" in str(said.detail)
        assert "fail" == history(state(12), {"constraints": {"attendees": 6}}).status

    @pytest.mark.parametrize(
        "wrong",
        [
            entry("constraints.attendees", 10, 6),
            entry("constraints.attendees", 12, 7),
            entry("constraints.attendees", 6, 12),
        ],
    )
    def test_an_entry_with_wrong_values_is_told_beside_the_right_one(self, wrong: Any) -> None:
        """Old and new must be those of the states."""
        said = history(state(12), state(6, wrong))
        assert [(2, "superseded[0]", "wrong values")] == told(said)

    def test_an_entry_for_what_did_not_change_fails(self) -> None:
        """Nothing was taken back: a false cancellation, also one that is told twice."""
        false = entry("goal", "reserve", "compare")
        said = history(state(12), state(12, false))
        assert [(2, "superseded[0]", "was not replaced so")] == told(said)
        said = history(state(12), state(6, TO_SIX, TO_SIX))
        assert [(2, "superseded[1]", "was not replaced so")] == told(said)

    @pytest.mark.parametrize("odd", [5, {}, {"path": "a"}, {"path": "a..b", "old": 1}])
    def test_an_entry_that_is_none_fails(self, odd: Any) -> None:
        """It has a path that can be read and an old value."""
        said = history(state(12), state(6, TO_SIX, odd))
        assert [(2, "superseded[1]", "no entry with a path, old and new")] == told(said)

    def test_a_history_that_is_no_list_fails(self) -> None:
        """Whatever changed."""
        said = history({**state(12), "superseded": "12 became 6"})
        assert [(1, "superseded", "no list")] == told(said)

    def test_without_any_change_an_empty_history_passes(self) -> None:
        """Without a history there is nothing to judge."""
        assert "p" == history(state(12), state(12, note="x")).code
        assert "n:nothing_compared" == history({"goal": "a"}, {"goal": "a", "x": 1}).code

    def test_a_change_and_a_return_are_two_replacements(self) -> None:
        """The last confirmed value is in the state, both steps in the history."""
        back = entry("constraints.attendees", 6, 12)
        assert "p" == history(state(12), state(6, TO_SIX), state(12, TO_SIX, back)).code
        assert "f" == history(state(12), state(6, TO_SIX), state(12)).code

    def test_a_withdrawn_value_is_replaced_by_nothing(self) -> None:
        """Null and absent are no values, so what comes after them replaces nothing."""
        gone = {"goal": "reserve", "superseded": [{"path": "constraints.attendees", "old": 12}]}
        assert "p" == history(state(12), gone).code
        assert "p" == history(state(None), state(6)).code

    def test_steps_within_a_turn_may_be_told_one_by_one(self) -> None:
        """Two updates in a turn are one replacement or two."""
        steps = (
            updated(1, constraints__attendees=6),
            updated(2, constraints__attendees=8),
            updated(3, committed=False, constraints__attendees=9),
        )
        direct = entry("constraints.attendees", 12, 8)
        assert "p" == history(state(12), state(8, TO_SIX, TO_EIGHT), steps=steps).code
        assert "p" == history(state(12), state(8, direct), steps=steps).code
        assert "f" == history(state(12), state(8, TO_SIX), steps=steps).code
        assert "f" == history(state(12), state(8, TO_SIX, TO_EIGHT)).code

    def test_what_a_turn_before_held_must_be_known(self) -> None:
        """Nobody knows what was replaced in a turn without a state."""
        assert "m:no_recorded_state" == history(state(12), MISSING, state(6, TO_SIX), turn=3).code

    def test_the_world_may_keep_the_history_elsewhere(self) -> None:
        """Entries of the initial state are kept, of a single call too."""
        options: Any = {"type": "superseded_history", "paths": ["n"], "at": "log.old"}
        before = {"n": 1, "log": {"old": [entry("n", 0, 1)]}}
        after = {"n": 2, "log": {"old": [entry("n", 0, 1), entry("n", 1, 2)]}}
        for state, code in ((after, "p"), ({**before, "n": 2}, "f")):
            assert code == judged(options, Context(case(before), evidence(state=state))).code


def rooms(starts_at: str, results: Any, **more: Any) -> dict[str, Any]:
    return {"constraints": {"starts_at": starts_at}, "results": results, **more}


RESULTS: Any = {"result": "results", "depends_on": ["constraints.starts_at"]}
OLD = rooms("15:00", ["amber"])


def invalidated(*states: Any, steps: Any = (), dependency: Any = RESULTS, **options: Any) -> Any:
    options = {"type": "state_invalidated", "of": "active", "dependencies": [dependency], **options}
    return judged(options, conversation([], steps, asked_for=len(states), active=states))


class TestStateInvalidated:
    def test_an_old_result_that_stands_fails(self) -> None:
        """The time changed, and the rooms found for the old time are still there."""
        said = invalidated(OLD, rooms("16:00", ["amber"]))
        note = "constraints.starts_at changed in turn 2: nothing was recomputed"
        assert [(2, "results", note)] == told(said)
        assert (
            "after turn 2: results still stands, neither recomputed nor marked, "
            "although constraints.starts_at changed in turn 2" == said.detail
        )

    @pytest.mark.parametrize("results", [["birch"], [], None, {}])
    def test_a_result_that_is_another_or_none_passes(self, results: Any) -> None:
        """It was recomputed, or taken back."""
        assert "p" == invalidated(OLD, rooms("16:00", results)).code
        assert "p" == invalidated(OLD, {"constraints": {"starts_at": "16:00"}}).code

    def test_other_changes_invalidate_nothing(self) -> None:
        """Nothing that the result depends on moved."""
        later = rooms("15:00", ["amber"], note="please")
        assert "n:no_dependency_changed" == invalidated(OLD, later).code
        assert "n:no_dependency_changed" == invalidated(rooms("15:00", []), OLD).code

    def test_a_marked_result_passes_until_the_mark_is_gone(self) -> None:
        """Then it has to be another one."""
        dependency = {**RESULTS, "marker": "stale"}
        marked = rooms("16:00", ["amber"], stale=True)
        assert "p" == invalidated(OLD, marked, marked, dependency=dependency).code
        said = invalidated(OLD, marked, rooms("16:00", ["amber"]), dependency=dependency)
        assert [3] == [turn for turn, _, _ in told(said)]
        fresh = rooms("16:00", ["birch"])
        assert "p" == invalidated(OLD, marked, fresh, fresh, dependency=dependency).code
        odd = rooms("16:00", ["amber"], stale="yes")
        assert "f" == invalidated(OLD, odd, dependency=dependency).code

    def test_a_stale_result_stays_stale(self) -> None:
        """Every later turn in which it stands is told."""
        new = rooms("16:00", ["amber"])
        assert [2, 3] == [turn for turn, _, _ in told(invalidated(OLD, new, new))]
        assert "f" == invalidated(OLD, new, new, turn=3).code
        recomputed = rooms("16:00", ["birch"])
        assert "n:no_dependency_changed" == invalidated(OLD, new, recomputed, turn=3).code

    def test_what_changed_and_returned_is_valid_again(self) -> None:
        """The result is the one for the last confirmed value."""
        said = invalidated(OLD, rooms("16:00", None), OLD, rooms("15:00", ["amber"], x=1))
        assert "p" == said.code
        stale = rooms("16:00", ["amber"])
        assert "n:no_dependency_changed" == invalidated(OLD, stale, OLD, turn=3).code

    def test_the_same_result_may_be_computed_again(self) -> None:
        """A call of a declared tool, after the state was updated, and that came back."""
        dependency = {**RESULTS, "recomputed_by": ["search_rooms"]}
        new = rooms("16:00", ["amber"])
        update = updated(2, constraints__starts_at="16:00")
        search = called("search_rooms", result=["amber"])
        failing = called("search_rooms", error="down")
        for steps, code in (
            ((update, search), "p"),
            ((search, update), "f"),
            ((update, failing), "f"),
            ((update, called("other", result=1)), "f"),
            ((search,), "p"),
        ):
            said = invalidated(OLD, new, new, steps=steps, dependency=dependency)
            assert code == said.code, steps

    @pytest.mark.parametrize("name", ["results", "shortlist", "shortlist[0]"])
    def test_a_committed_update_may_compute_the_same_result_again(self, name: str) -> None:
        """A local step is as good as a new search, with the change or after it."""
        dependency = {**RESULTS, "recomputed_by": ["search_rooms", name]}
        new = rooms("16:00", ["amber"])
        change = updated(2, constraints__starts_at="16:00")
        place = name.partition("[")[0]
        write: Any = {place: ["amber"]}
        together = updated(2, constraints__starts_at="16:00", **write)
        for steps, code in (
            ((change, updated(3, **write)), "p"),
            ((together,), "p"),
            ((updated(2, **write), change), "f"),
            ((change, updated(3, committed=False, **write)), "f"),
            ((change, updated(3, other=["amber"])), "f"),
            ((change, updated(3, **{place: None})), "f"),
            ((change, called("search_rooms", result=["amber"])), "p"),
        ):
            said = invalidated(OLD, new, new, steps=steps, dependency=dependency)
            assert code == said.code, steps

    @pytest.mark.parametrize("path", ["a[", ""])
    def test_an_update_of_a_path_that_cannot_be_read_counts_for_its_other_paths(
        self, path: str
    ) -> None:
        """An agent wrote it, and the call before the update is as old as without it."""
        dependency = {**RESULTS, "recomputed_by": ["search_rooms"]}
        changed: Any = {path: 1, "constraints.starts_at": "16:00"}
        update = updated(2, **changed)
        search = called("search_rooms", result=["amber"])
        new = rooms("16:00", ["amber"])
        for steps, code in (((update, search), "p"), ((search, update), "f")):
            assert code == invalidated(OLD, new, new, steps=steps, dependency=dependency).code

    def test_several_dependencies_are_named(self) -> None:
        """All that changed in between."""
        dependency = {"result": "results", "depends_on": ["constraints[*]", "goal"]}
        one = {**OLD, "goal": "a"}
        said = invalidated(one, {**rooms("16:00", ["amber"]), "goal": "b"}, dependency=dependency)
        assert "although constraints[*] and goal changed in turn 2" in str(said.detail)

    def test_a_state_that_is_not_there_is_missing(self) -> None:
        """The turns beside it are held against the last one that is."""
        assert "m:no_recorded_state" == invalidated(OLD, MISSING, turn=2).code
        new = rooms("16:00", ["amber"])
        assert "f" == invalidated(OLD, MISSING, new).code

    def test_the_world_begins_with_the_initial_state(self) -> None:
        """Also that of a single call."""
        options: Any = {"type": "state_invalidated", "dependencies": [RESULTS]}
        for results, code in ((["amber"], "f"), ([], "p")):
            context = Context(case(OLD), evidence(state=rooms("16:00", results)))
            assert code == judged(options, context).code

    def test_a_path_that_cannot_be_read_is_refused_with_its_place(self) -> None:
        """Before anything runs."""
        with pytest.raises(ConfigurationError) as caught:
            invalidated(OLD, dependency={"result": "a", "depends_on": ["b..c"]})
        assert "suite:1: [0].dependencies[0].depends_on[0]" == caught.value.where
