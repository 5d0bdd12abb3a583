"""Schemas and invariants of recorded states."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conversation_samples import conversation, judged, told
from evaluator_samples import case, evidence

from oloproof.errors import ConfigurationError
from oloproof.evaluation.contract import Context
from oloproof.evaluation.registry import bind_all, kept_options, lines_of
from oloproof.paths import MISSING
from oloproof.suites.located import parse_document
from oloproof.suites.suite import RawEvaluator

SCHEMA: Any = {
    "type": "object",
    "required": ["revision", "goal"],
    "properties": {
        "revision": {"type": "integer", "minimum": 1},
        "goal": {"enum": ["search_rooms", "compare_rooms"]},
        "starts_at": {"type": ["string", "null"], "format": "date-time"},
        "features": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
    },
    "additionalProperties": False,
}
GOOD: Any = {"revision": 1, "goal": "search_rooms", "starts_at": "2026-08-07T15:00:00+03:00"}


def fits(*states: Any, schema: Any = SCHEMA, **options: Any) -> Any:
    options = {"type": "state_schema", "of": "active", "schema": schema, **options}
    return judged(options, conversation(asked_for=len(states), active=states))


def holds(*states: Any, invariants: Any, **options: Any) -> Any:
    options = {"type": "state_invariants", "of": "active", "invariants": invariants, **options}
    return judged(options, conversation(asked_for=len(states), active=states))


class TestStateSchema:
    def test_every_snapshot_fits(self) -> None:
        """Null, another order of keys and a value left out are allowed by the schema itself."""
        later = {"goal": "compare_rooms", "features": ["a", "b"], "revision": 2, "starts_at": None}
        assert "p" == fits(GOOD, later).code

    @pytest.mark.parametrize(
        ("change", "path", "detail"),
        [
            ({"revision": 0}, "revision", 'revision is 0, and the schema asks {"minimum":1}'),
            ({"revision": "1"}, "revision", 'asks {"type":"integer"}'),
            ({"goal": "book"}, "goal", '{"enum":["search_rooms","compare_rooms"]}'),
            ({"starts_at": "7 August"}, "starts_at", 'asks {"format":"date-time"}'),
            ({"features": ["a", "a"]}, "features", 'asks {"uniqueItems":true}'),
            ({"features": ["a", 1]}, "features[1]", "features[1] is 1, and the schema asks"),
            ({"room": 1}, "room", 'room is 1, and the schema asks {"additionalProperties":false}'),
        ],
    )
    def test_what_does_not_fit_is_told_by_its_place(
        self, change: Any, path: str, detail: str
    ) -> None:
        """The turn, the place, what is there and the part of the schema that it breaks."""
        said = fits(GOOD, {**GOOD, **change})
        assert [(2, path, "by the schema")] == told(said)
        assert "after turn 2: " in str(said.detail)
        assert detail in str(said.detail)

    def test_what_lacks_is_told_by_its_own_place(self) -> None:
        """Not by that of the object that should have it."""
        said = fits({})
        assert [(1, "goal", "by the schema"), (1, "revision", "by the schema")] == told(said)
        assert 'goal is nothing, and the schema asks {"required":true} (and 1 more)' in str(
            said.detail
        )

    def test_the_scope_and_the_world_hold_here_too(self) -> None:
        """Snapshots that are not selected may be anything; one that is not there is missing."""
        assert "p" == fits({}, GOOD, after=1).code
        assert "m:no_recorded_state" == fits(GOOD, MISSING).code
        options: Any = {"type": "state_schema", "schema": {"type": "object"}}
        assert "p" == judged(options, Context(case(), evidence(state={}))).code
        assert "f" == judged(options, Context(case(), evidence(state=[]))).code

    @pytest.mark.parametrize(
        ("schema", "what", "fix"),
        [
            ({"type": "objekt"}, "what is given is no JSON Schema at /type", "correct the schema"),
            ({"$ref": "#/$defs/x"}, "`$ref: #/$defs/x` leads nowhere", "#/$defs/name"),
            ({"$ref": "#"}, "refers to itself without end", "parts of a value"),
            ({"$schema": "http://json-schema.org/draft-07/schema#"}, "another draft", "2020-12"),
            (5, "must be a schema or the name of a file", "schemas/state.json"),
            ("", "must be a schema or the name of a file", "schemas/state.json"),
            ("state.json", "there is no folder in which `state.json` could be", "instead of"),
        ],
    )
    def test_what_is_no_schema_is_refused(self, schema: Any, what: str, fix: str) -> None:
        """Before anything runs, at the option."""
        with pytest.raises(ConfigurationError) as caught:
            fits(GOOD, schema=schema)
        assert what in caught.value.what
        assert "suite:1: [0].schema" == caught.value.where
        assert fix in str(caught.value.fix)


class TestASchemaInAFile:
    def line(self, folder: Path, name: str = "state.json") -> RawEvaluator:
        text = f"evaluators:\n  - {{type: state_schema, schema: {name}}}\n"
        return RawEvaluator(parse_document(text.encode(), folder / "suite.yaml"), ("evaluators", 0))

    def test_it_is_read_relative_to_the_suite(self, tmp_path: Path) -> None:
        """And a run keeps the schema itself, with which it can be judged again."""
        (tmp_path / "state.json").write_text(json.dumps(SCHEMA))
        line = self.line(tmp_path)
        kept = kept_options(line)
        assert SCHEMA == kept["schema"]
        for made in (bind_all([line], []), bind_all(lines_of([kept], Path("stored run")), [])):
            assert "p" == made[0].evaluate(Context(case(), evidence(state=GOOD))).code
            assert "f" == made[0].evaluate(Context(case(), evidence(state={}))).code

    def test_a_file_that_is_not_there_or_no_schema_is_refused_with_its_line(
        self, tmp_path: Path
    ) -> None:
        """The line of the suite that names it."""
        (tmp_path / "list.json").write_text("[]")
        for name, what in (("state.json", "the file does not exist"), ("list.json", "no JSON Sc")):
            with pytest.raises(ConfigurationError, match=what) as caught:
                bind_all([self.line(tmp_path, name)], [])
            assert str(caught.value.where).endswith("suite.yaml:2: evaluators[0].schema")

    def test_a_file_that_cannot_be_read_is_refused_with_its_own_line(self, tmp_path: Path) -> None:
        """What is wrong in the file is told where it is."""
        (tmp_path / "state.json").write_text('{\n"type": }')
        with pytest.raises(ConfigurationError) as caught:
            bind_all([self.line(tmp_path)], [])
        assert str(caught.value.where).endswith("state.json:2: type")


COMPARE = 'goal == "compare" => not permissions.reserve and present(limit)'
MOVED = "changed(starts_at) => not present(results) or changed(results)"


class TestStateInvariants:
    def test_what_holds_after_every_turn_passes(self) -> None:
        """Also where a condition asks nothing of a state."""
        asked = {"goal": "compare", "permissions": {"reserve": False}, "limit": 2}
        free = {"goal": "search", "permissions": {"reserve": True}}
        assert "p" == holds(free, asked, invariants=[COMPARE, "goal != 'book'"]).code

    def test_what_does_not_hold_is_told_with_the_values(self) -> None:
        """The turn, the condition as written, and what it read."""
        state = {"goal": "compare", "permissions": {"reserve": True}, "limit": 2}
        said = holds(state, invariants=["present(limit)", COMPARE])
        assert "f" == said.code
        values = 'goal is "compare", permissions.reserve is true, limit is 2'
        assert [(1, COMPARE, values)] == told(said)
        assert f"after turn 1: `{COMPARE}` does not hold: {values}" == said.detail

    def test_what_is_unknown_is_missing_and_never_a_pass(self) -> None:
        """A path that is absent leaves it open, unless the rest decides."""
        said = holds({"goal": "compare"}, invariants=[COMPARE])
        assert "f" == said.code  # `present(limit)` is false, which decides it
        said = holds({"goal": "compare", "limit": 1}, invariants=[COMPARE])
        assert "m:invariant_unknown" == said.code
        assert "permissions.reserve is absent" in str(said.detail)
        assert "p" == holds({"goal": "search"}, invariants=[COMPARE]).code

    def test_a_failure_counts_whatever_else_is_unknown(self) -> None:
        """In one state and over the turns."""
        assert "f" == holds({"a": 1}, invariants=["b == 1", "a == 2"]).code
        assert "f" == holds({}, {"a": 2}, invariants=["a == 1"]).code

    def test_a_change_is_one_since_the_turn_before(self) -> None:
        """A dependent result has to change with what it depends on."""
        old = {"starts_at": "15:00", "results": ["amber"]}
        assert "f" == holds(old, {**old, "starts_at": "16:00"}, invariants=[MOVED]).code
        new = {"starts_at": "16:00", "results": ["birch"]}
        assert "p" == holds(old, new, invariants=[MOVED]).code
        assert "p" == holds(old, {"starts_at": "16:00"}, invariants=[MOVED]).code
        assert "p" == holds(old, {**old, "note": "moved?"}, invariants=[MOVED]).code

    def test_nothing_is_said_of_changes_before_the_first_message(self) -> None:
        """Where the state before is not known; the initial world is."""
        state = {"starts_at": "15:00", "results": ["amber"]}
        assert "n:no_state_before" == holds(state, invariants=[MOVED]).code
        assert "p" == holds(state, invariants=[MOVED, "present(results)"]).code
        options: Any = {"type": "state_invariants", "invariants": [MOVED]}
        seen = evidence(state=state)
        assert "p" == judged(options, Context(case({}), seen)).code
        earlier = case({**state, "starts_at": "14:00"})
        assert "f" == judged(options, Context(earlier, seen)).code

    def test_a_state_before_that_was_not_recorded_leaves_a_change_unknown(self) -> None:
        """Later on it should have been there."""
        state = {"starts_at": "15:00", "results": ["amber"]}
        said = holds(state, MISSING, state, invariants=[MOVED], turn=3)
        assert "m:invariant_unknown" == said.code
        assert "m:no_recorded_state" == holds(state, MISSING, invariants=["present(results)"]).code

    def test_what_cannot_be_read_is_refused_with_its_line_and_character(self) -> None:
        """Before anything runs."""
        with pytest.raises(ConfigurationError) as caught:
            holds({}, invariants=["present(a)", "a = 1"])
        assert "the invariant cannot be read at character 3: `=` means nothing" == (
            caught.value.what
        )
        assert "suite:1: [0].invariants[1]" == caught.value.where
        with pytest.raises(ConfigurationError, match="is empty"):
            holds({}, invariants=[])
