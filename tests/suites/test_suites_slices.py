"""Slices: their texts, their ranges, and where a case falls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oloproof.errors import ConfigurationError
from oloproof.suites.slices import parse_slice

if TYPE_CHECKING:
    from oloproof.canonical import JsonValue


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tool_calls:1,2", ("<=1", "2", ">=3")),
        ("tool_calls:1", ("<=1", ">=2")),
        ("trajectory_length:2,4", ("<=2", "3-4", ">=5")),
        ("tool_calls: 1, 5, 6", ("<=1", "2-5", "6", ">=7")),
        ("metadata.category", ()),
    ],
)
def test_ranges_are_named_by_their_bounds(text: str, expected: tuple[str, ...]) -> None:
    """`1,2` means at most 1, exactly 2, and 3 or more."""
    assert expected == parse_slice(text).ranges()


@given(st.lists(st.integers(1, 30), min_size=1, unique=True).map(sorted), st.integers(0, 40))
def test_every_count_falls_into_the_one_range_that_names_it(bounds: list[int], count: int) -> None:
    """The ranges cover every count once, and each label says what it holds."""
    spec = parse_slice("tool_calls:" + ",".join(map(str, bounds)))
    label = spec.place(tool_calls=count, trajectory_length=None, metadata=None)
    holding = []
    for name in spec.ranges():
        low, high = 0, 10**9
        if name.startswith("<="):
            high = int(name[2:])
        elif name.startswith(">="):
            low = int(name[2:])
        else:
            low, high = int(name.partition("-")[0]), int(name.rpartition("-")[2])
        if low <= count <= high:
            holding.append(name)
    assert [label] == holding


def test_each_kind_looks_at_its_own_count() -> None:
    """Tool calls and the length of the trajectory are not mixed up; unknown stays unknown."""
    calls, length = parse_slice("tool_calls:2"), parse_slice("trajectory_length:2")
    assert "<=2" == calls.place(tool_calls=1, trajectory_length=9, metadata=None)
    assert ">=3" == length.place(tool_calls=1, trajectory_length=9, metadata=None)
    assert None is calls.place(tool_calls=None, trajectory_length=None, metadata=None)


@pytest.mark.parametrize(
    ("text", "metadata", "expected"),
    [
        ("metadata.kind", {"kind": "late"}, "late"),
        ("metadata.kind", {"kind": True}, "true"),
        ("metadata.kind", {"kind": None}, "null"),
        ("metadata.kind", {"kind": ["a", 1]}, '["a",1]'),
        ("metadata.kind", {}, None),
        ("metadata.kind", None, None),
        ("metadata.user.tier", {"user": {"tier": 2}}, "2"),
        ('metadata."a.b"', {"a.b": "x"}, "x"),
        ("metadata.tags[0]", {"tags": ["x", "y"]}, "x"),
    ],
)
def test_metadata_groups_by_its_value(
    text: str, metadata: dict[str, JsonValue] | None, expected: str | None
) -> None:
    """A case falls into the group of the value at the path, or into none if nothing is there."""
    spec = parse_slice(text)
    assert expected == spec.place(tool_calls=1, trajectory_length=1, metadata=metadata)


@pytest.mark.parametrize(
    ("text", "what", "fix"),
    [
        ("tool_call:1,2", "divides by nothing", "did you mean `tool_calls`?"),
        ("tools", "divides by nothing", "tool_calls"),
        ("tool_calls", "no list of whole numbers", "tool_calls:1,2"),
        ("tool_calls:", "no list of whole numbers", "tool_calls:1,2"),
        ("tool_calls:1,,2", "no list of whole numbers", "tool_calls:1,2"),
        ("tool_calls:1.5", "no list of whole numbers", "tool_calls:1,2"),
        ("tool_calls:-1", "no list of whole numbers", "tool_calls:1,2"),
        ("tool_calls:0,1", "do not grow from 1", "positive"),
        ("tool_calls:2,2", "do not grow from 1", "greater"),
        ("trajectory_length:4,2", "do not grow from 1", "greater"),
        ("metadata", "divides by nothing", "metadata"),
        ("metadata.", "cannot be read", "dots"),
        ("metadata.a[*]", "many values", "one value"),
        ("metadta.category", "divides by nothing", "did you mean `metadata`?"),
    ],
)
def test_a_slice_that_cannot_be_read_is_refused(text: str, what: str, fix: str) -> None:
    """What is wrong with a slice is said, with what may have been meant."""
    with pytest.raises(ConfigurationError) as caught:
        parse_slice(text)
    assert what in caught.value.what
    assert fix in (caught.value.fix or "")
