"""Snapshots: stored whole or as patches, and always rebuilt to the same bytes."""

from __future__ import annotations

import copy
import enum
import math
import uuid
from typing import Any

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from oloproof.canonical import decode, digest, encode, encode_in_order
from oloproof.errors import NotJsonError
from oloproof.execution import trajectories
from oloproof.execution.redaction import Redaction
from oloproof.execution.worlds import PATCH_FROM_BYTES, Worlds
from oloproof.patches import apply

FILLER = {f"key-{n}": [n, {"text": "x" * 10}] for n in range(40)}

scalars = st.none() | st.booleans() | st.sampled_from([0, 1, 0.0, 1.0, -0.0, "", "1", "a"])
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc/~"), inner, max_size=3)
    ),
    max_leaves=10,
)


class Colour(enum.StrEnum):
    RED = "red"


def stored(snapshot: object, initial: Any, rules: Redaction | None = None) -> dict[str, Any]:
    """What is stored of a snapshot, as a reader finds it."""
    state_json = None if initial is None else encode_in_order(initial)
    section = Worlds(rules or Redaction(())).store(snapshot, state_json)
    return dict(orjson.loads(orjson.dumps(section)))


def rebuilt(section: dict[str, Any], initial: Any) -> Any:
    return apply(initial, section["patch"]) if "patch" in section else section["state"]


class TestStoredForm:
    @given(values, values)
    @example(True, 1)
    @example([True], [1])
    @example({"a": 1}, {"a": 1.0})
    @example({"a": 0.0}, {"a": -0.0})
    @example({"a": [1, 2]}, {"a": (1, 2)})
    @example({"a": None}, {})
    @example({"/": {"~": 1}}, {"/": {"~": 2}})
    def test_it_is_rebuilt_to_the_same_bytes(self, before: Any, after: Any) -> None:
        """Small or large, patched or whole: canonical form and digest are those of the snapshot."""
        for initial, snapshot in (
            (before, after),
            ({"filler": FILLER, "v": before}, {"filler": FILLER, "v": after}),
            ({"filler": FILLER, "v": before}, {"filler": copy.deepcopy(FILLER), "v": before}),
            (FILLER, after),
            (before, FILLER),
        ):
            section = stored(snapshot, initial)
            whole = rebuilt(section, initial)
            assert encode(snapshot) == encode(whole)
            assert digest(encode(whole)) == section["digest"]

    def test_a_large_world_with_one_change_is_a_small_patch(self) -> None:
        """What a snapshot costs is what changed."""
        initial = {"orders": FILLER}
        snapshot = copy.deepcopy(initial)
        snapshot["orders"]["key-3"][1]["text"] = "y"  # type: ignore[index]
        assert [{"op": "replace", "path": "/orders/key-3/1/text", "value": "y"}] == stored(
            snapshot, initial
        )["patch"]
        assert [] == stored(copy.deepcopy(initial), initial)["patch"]

    def test_tuples_for_lists_are_no_change(self) -> None:
        """A system may keep its rows as tuples: each would pass for changed."""
        initial = {"rows": [[n, "x" * 20] for n in range(50)]}
        snapshot = {"rows": tuple(tuple(row) for row in initial["rows"])}
        assert [] == stored(snapshot, initial)["patch"]
        mixed = {"rows": [tuple(row) for row in initial["rows"]]}
        assert [] == stored(mixed, initial)["patch"]

    def test_a_small_world_is_kept_whole(self) -> None:
        """A patch would save nothing worth its cost."""
        assert {"a": 1} == stored({"a": 1}, {"a": 2})["state"]

    def test_a_world_that_changed_throughout_is_kept_whole(self) -> None:
        """The smaller of the two is stored."""
        initial = {str(n): "a" for n in range(100)}
        assert "state" in stored(dict.fromkeys(initial, "b"), initial)

    def test_without_an_initial_state_it_is_kept_whole(self) -> None:
        """There is nothing to patch."""
        assert FILLER == stored(FILLER, None)["state"]

    @pytest.mark.parametrize("named", [Colour.RED, "red"])
    def test_named_constants_are_their_value(self, named: str) -> None:
        """Whether they changed or not."""
        for before in ("red", "blue"):
            initial = {"filler": FILLER, "v": before}
            section = stored({"filler": FILLER, "v": named}, initial)
            assert '"v":"red"' in encode(rebuilt(section, initial)).decode()

    def test_a_snapshot_shared_with_the_sandbox_is_stored_as_it_was(self) -> None:
        """What happens to it afterwards reaches no evidence."""
        initial = {"filler": FILLER, "log": [{"n": 0}]}
        snapshot = {"filler": FILLER, "log": [{"n": 1}, {"n": 2}]}
        section = Worlds(Redaction(())).store(snapshot, encode(initial))
        snapshot["log"].clear()  # type: ignore[union-attr]
        assert [{"n": 1}, {"n": 2}] == rebuilt(decode(encode(section)), initial)["log"]  # type: ignore[arg-type]

    def test_states_of_different_cases_are_not_mixed_up(self) -> None:
        """The parsed initial state is kept for the next case only while it is the same."""
        worlds = Worlds(Redaction(()))
        for number in (1, 2, 1):
            initial = {"filler": FILLER, "n": number}
            section = decode(encode(worlds.store({"filler": FILLER, "n": 3}, encode(initial))))  # type: ignore[arg-type]
            assert {"filler": FILLER, "n": 3} == rebuilt(section, initial)  # type: ignore[arg-type]


class TestRefusals:
    @pytest.mark.parametrize(
        ("before", "bad"),
        [
            (None, math.nan),
            ("00000000-0000-0000-0000-000000000000", uuid.UUID(int=0)),
            ([1, 2], {1, 2}),
            ("x", b"x"),
            (1, 2**64),
            ("x", "\ud800"),
            ({"1": "x"}, {1: "x"}),
            ("x", object()),
        ],
    )
    def test_what_is_not_json_is_refused_with_its_path(self, before: Any, bad: object) -> None:
        """Also where its encoded form would equal what stood there before."""
        for filler in (FILLER, {}):
            with pytest.raises(NotJsonError) as caught:
                stored({"filler": filler, "v": [bad]}, {"filler": filler, "v": [before]})
            assert "v[0]" == caught.value.where

    def test_depth_is_bounded_by_the_whole_value(self) -> None:
        """A change that is not deep itself may reach too deep where it is put."""
        initial: Any = 0
        for _ in range(150):
            initial = {"a": initial}
        initial = {"filler": FILLER, "v": initial}
        deep: Any = 0
        for _ in range(100):
            deep = [deep]
        snapshot = copy.deepcopy(initial)
        inner = snapshot["v"]
        for _ in range(149):
            inner = inner["a"]
        inner["a"] = deep
        with pytest.raises(NotJsonError, match="nested more than 200 levels"):
            stored(snapshot, initial)

    def test_a_world_too_large_to_be_kept_is_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Whole or patched."""
        monkeypatch.setattr(trajectories, "LARGEST_VALUE_BYTES", 1000)
        for initial in (FILLER, None):
            with pytest.raises(NotJsonError, match="at most 0 are kept"):
                stored(FILLER, initial)


class TestRedaction:
    def test_no_secret_is_in_patch_or_state(self) -> None:
        """What was secret in the initial state is no change; what came later is marked."""
        rules = Redaction(["KEY"], {"KEY": "hush-hush"})
        initial = {"filler": FILLER, "key": "hush-hush", "other": 1}
        snapshot = {"filler": FILLER, "key": "hush-hush", "other": "hush-hush", "hush-hush": 1}
        section = stored(snapshot, initial, rules)
        assert "hush" not in str(section)
        assert {"/other", "/[redacted:KEY]"} == {change["path"] for change in section["patch"]}
        assert "hush" not in str(stored({"key": "hush-hush"}, {"key": "hush-hush"}, rules))

    def test_the_threshold_is_about_what_is_stored(self) -> None:
        """A world is patched when it is large, not when the initial state is."""
        assert len(encode(FILLER)) >= PATCH_FROM_BYTES
        assert "state" in stored({"a": 1}, FILLER)
