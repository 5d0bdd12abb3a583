"""The path language: what it reads, what it writes, and what it finds."""

from __future__ import annotations

import copy
import pickle
from typing import Any, ClassVar

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from oloproof.errors import ConfigurationError
from oloproof.paths import EVERY, MISSING, Path, from_pointer, parse, render, to_pointer, under

keys = st.text() | st.text(alphabet='a.[]"\\/~*0 \n')
indices = st.integers(0, 10**18 - 1)
paths = st.lists(keys | indices | st.just(EVERY), min_size=1, max_size=5).map(
    lambda segments: Path(tuple(segments))
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(0, 9) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=20,
)


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[tuple[Any, ...], Any]]:
    """Every place in a value, with what is there."""
    found = [(at, value)]
    if isinstance(value, dict):
        for key, item in value.items():
            found += places(item, (*at, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            found += places(item, (*at, index))
    return found


class TestReading:
    @pytest.mark.parametrize(
        ("text", "segments"),
        [
            ("orders", ("orders",)),
            ("orders.ord-999.status", ("orders", "ord-999", "status")),
            ('orders."key.with.dots".x', ("orders", "key.with.dots", "x")),
            ("items[0].price", ("items", 0, "price")),
            ("items[*].price", ("items", EVERY, "price")),
            ('orders["a]b"]', ("orders", "a]b")),
            ('"say \\"hi\\" \\\\"', ('say "hi" \\',)),
            ("[0][1]", (0, 1)),
            ("/orders/ord-999", ("orders", "ord-999")),
            ("/a~1b/m~0n/", ("a/b", "m~n", "")),
            ('""', ("",)),
            ('"/a"', ("/a",)),
        ],
    )
    def test_each_form_is_read(self, text: str, segments: tuple[Any, ...]) -> None:
        """Dots, quotes, brackets, wildcards and JSON Pointers name the same kind of place."""
        assert segments == parse(text).segments

    @pytest.mark.parametrize(
        ("text", "character"),
        [
            ("", 1),
            (".", 1),
            ("a.", 3),
            ("a..b", 3),
            ("a[", 2),
            ("a[x]", 2),
            ("a[01]", 2),
            ("a[-1]", 2),
            ('a"b"', 2),
            ('"a', 1),
            ("a]", 2),
            ("a[" + "9" * 5000 + "]", 2),
            ("a[٣]", 2),
        ],
    )
    def test_what_cannot_be_read_is_refused_at_its_character(
        self, text: str, character: int
    ) -> None:
        """The error says at which character reading stopped, and what a path looks like."""
        with pytest.raises(ConfigurationError, match="cannot be read") as caught:
            parse(text)
        assert caught.value.what.endswith(f"at character {character}")
        assert caught.value.fix is not None

    @given(paths)
    @example(Path(("/a",)))
    @example(Path(("a", "/b", "*", "[*]", "0")))
    @example(Path(("back\\\nslash",)))
    def test_a_written_path_reads_back_as_itself(self, path: Path) -> None:
        """Writing and reading are inverse, for keys of any text."""
        assert path == parse(str(path))
        assert str(path) == render(parse(str(path)).segments)

    @given(st.text(alphabet='a.[]"\\/~*0 \n٣') | st.text())
    def test_any_text_is_read_or_refused(self, text: str) -> None:
        """No text makes the reader fail otherwise than by its own error."""
        try:
            path = parse(text)
        except ConfigurationError:
            return
        assert path == parse(str(path))


class TestPointers:
    @given(json_values)
    def test_every_place_round_trips_through_its_pointer(self, value: Any) -> None:
        """The pointer of a place, read against the value, is that place again."""
        for segments, item in places(value):
            path = Path(segments)
            assert path == from_pointer(to_pointer(path), value)
            assert item is path.get(value)

    @given(json_values)
    def test_a_pointer_is_a_path_of_its_own_right(self, value: Any) -> None:
        """Parsing a pointer as a path finds the same value."""
        for segments, item in places(value):
            if segments:
                assert item is parse(to_pointer(Path(segments))).get(value)

    @pytest.mark.parametrize("token", ["01", "٣", "-1", "9" * 5000, "-"])
    def test_only_plain_numbers_index_a_list(self, token: str) -> None:
        """RFC 6901: no leading zeros, no other digits, no signs."""
        assert MISSING is parse(f"/{token}").get([0, 1, 2, 3])
        assert (token,) == from_pointer(f"/{token}", [0, 1, 2, 3]).segments


class TestSelecting:
    world: ClassVar[Any] = {
        "orders": {"a": {"total": 1}, "b": {"total": None}, "c": {}},
        "log": [{"at": 1}, {"at": 2}],
        "0": "zero",
        "empty": [],
    }

    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("orders.a.total", [("orders.a.total", 1)]),
            ("orders.b.total", [("orders.b.total", None)]),
            ("orders.c.total", [("orders.c.total", MISSING)]),
            ("log[1].at", [("log[1].at", 2)]),
            ("log.1.at", [("log[1].at", 2)]),
            ("/log/1/at", [("log[1].at", 2)]),
            ("log[2].at", [("log[2].at", MISSING)]),
            ("[0]", [("0", "zero")]),
            ("log[*].at", [("log[0].at", 1), ("log[1].at", 2)]),
            (
                "orders[*].total",
                [("orders.a.total", 1), ("orders.b.total", None), ("orders.c.total", MISSING)],
            ),
            ("empty[*].x", []),
            ("nowhere[*].x", [("nowhere[*].x", MISSING)]),
            ("orders.a.total.deeper", [("orders.a.total.deeper", MISSING)]),
        ],
    )
    def test_each_place_is_found_with_its_value(
        self, text: str, found: list[tuple[str, Any]]
    ) -> None:
        """Missing is told from null, and a wildcard gives each item."""
        assert found == [(str(path), value) for path, value in parse(text).select(self.world)]

    @given(json_values, paths)
    def test_what_a_path_selects_lies_within_it(self, value: Any, path: Path) -> None:
        """Every selected place is covered by the path, and holds what was said."""
        for place, item in path.select(value):
            assert path.covers(place)
            assert item is MISSING or item is place.get(value)

    @given(paths, paths)
    def test_a_path_covers_what_lies_below_it(self, path: Path, rest: Path) -> None:
        """A path covers itself and all below, and nothing above."""
        below = Path(path.segments + rest.segments)
        assert path.covers(path)
        assert path.covers(below)
        assert not below.covers(path)

    def test_a_key_that_looks_like_a_wildcard_covers_no_wildcard(self) -> None:
        """The key `[*]` is one key."""
        assert not parse('"[*]"').covers(parse("[*]"))
        assert parse("[*]").covers(parse('"[*]"'))


@pytest.mark.parametrize("marker", [MISSING, EVERY])
def test_markers_stay_themselves_when_copied(marker: object) -> None:
    """Identity of the markers holds across copies and processes."""
    assert marker is copy.deepcopy([marker])[0]
    assert marker is pickle.loads(pickle.dumps(marker))


class TestGoingOn:
    @given(paths, keys)
    def test_a_key_is_added_to_the_text_of_a_path(self, path: Path, key: str) -> None:
        """What comes of it names the place below, whatever the key holds."""
        assert parse(under(str(path), key)).segments == (*parse(str(path)).segments, key)
        assert (key,) == parse(under("", key)).segments


class TestBreaks:
    @given(paths, json_values)
    def test_a_path_breaks_off_where_nothing_is(self, path: Path, value: Any) -> None:
        """It names something exactly if it gets to its end on one way at least."""
        breaks = list(path.breaks(value))
        if not path.has_wildcard:
            assert path.is_in(value) == (breaks == [])
        assert path.is_in(value) or breaks

    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("a.x", []),
            ("b.x", [(0, "whole")]),
            ("a.z.y", [(1, {"x": 1})]),
            ("a.x.y", [(2, 1)]),
            ("l[*].p", [(2, {"q": 2})]),
            ("l[5]", [(1, [{"p": 1}, {"q": 2}])]),
            ("e[*].p", [(1, [])]),
        ],
    )
    def test_it_is_told_where_and_what_is_there(self, text: str, found: Any) -> None:
        """The number of segments that lead somewhere, and the value they lead to."""
        value: Any = {"a": {"x": 1}, "l": [{"p": 1}, {"q": 2}], "e": []}
        expected = [(depth, value if there == "whole" else there) for depth, there in found]
        assert expected == list(parse(text).breaks(value))
