"""What a sandbox writes down by itself, and worlds compared without it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oloproof.bookkeeping import NO_BOOKKEEPING, Bookkeeping
from oloproof.canonical import decode, encode, equal
from oloproof.evaluation.comparing.rules import Tolerance
from oloproof.evaluation.states.comparison import StateComparison
from oloproof.paths import MISSING, parse


def kept(*ignore: str, keys: tuple[str, ...] = ()) -> Bookkeeping:
    return Bookkeeping.of(ignore, keys)


@pytest.mark.parametrize(
    ("ignore", "left"),
    [
        (["audit"], {"orders": {"7": {"s": 1, "at": 2}}, "log": [{"n": 1}, {"n": 2}]}),
        (["orders[*].at", "audit"], {"orders": {"7": {"s": 1}}, "log": [{"n": 1}, {"n": 2}]}),
        (["orders.7", "audit", "log[*].n"], {"orders": {}, "log": [{}, {}]}),
        (["/orders/7", "audit", "log[0]"], {"orders": {}, "log": [{"n": 2}]}),
        (["log[*]", "audit", "orders"], {"log": []}),
        (["nowhere.at", "log[7]", "audit[*].x", "audit"], None),
    ],
)
def test_what_is_ignored_is_gone_at_every_place(ignore: list[str], left: Any) -> None:
    """Wildcards name each of them; a place that is nowhere is nothing, and the world stays."""
    world: Any = {
        "orders": {"7": {"s": 1, "at": 2}},
        "log": [{"n": 1}, {"n": 2}],
        "audit": [],
    }
    before = encode(world)
    expected = {k: v for k, v in world.items() if k != "audit"} if left is None else left
    assert expected == kept(*ignore).without(world)
    assert before == encode(world)


def test_what_is_not_declared_counts() -> None:
    """Without a declaration two worlds are compared as they are, and no world at all is none."""
    world: Any = {"a": 1}
    assert (world, MISSING) == NO_BOOKKEEPING.sides(world, MISSING, None)
    assert (MISSING, world) == kept("b", keys=("a",)).sides(MISSING, world, {})
    assert [True, False, False, True] == [
        kept("a[*].at").counts(parse(text)) for text in ("a", "a.x.at", "a[*].at.y", "a[*]")
    ]


def same(expected: Any, actual: Any, *keys: str, initial: Any = None, **options: Any) -> bool:
    """Whether two worlds are equal but for generated keys, and neither of them is touched."""
    before = encode([expected, actual])
    if options:
        compared = StateComparison(**options).compare(expected, actual, initial, kept(keys=keys))
        result = all(place.passed for place in compared)
    else:
        left, right = kept(keys=keys).sides(expected, actual, initial)
        result = equal(left, right)
    assert before == encode([expected, actual])
    return result


class TestKeysOfAnObject:
    def test_rows_are_set_beside_rows(self) -> None:
        """New rows are the same under other keys and in another order, each as often as it is."""
        one, two = {"item": "a", "n": 1}, {"item": "b", "n": 1}
        expected = {"orders": {"ord-1a": one, "ord-2b": two}}
        assert same(expected, {"orders": {"ord-9f": two, "ord-8e": one}}, "orders")
        assert not same(expected, {"orders": {"ord-9f": one, "ord-8e": one}}, "orders")
        assert not same(expected, {"orders": {"ord-9f": two}}, "orders")
        assert not same({"orders": {"x": one}}, {"orders": {"y": one, "z": one}}, "orders")

    def test_a_key_that_was_there_before_is_no_generated_one(self) -> None:
        """Another row of the initial state that was touched is another effect."""
        initial = {"orders": {"7": {"s": "open"}, "8": {"s": "open"}}}
        expected = {"orders": {"7": {"s": "gone"}, "8": {"s": "open"}}}
        actual = {"orders": {"7": {"s": "open"}, "8": {"s": "gone"}}}
        assert same(expected, actual, "orders", initial={})
        assert not same(expected, actual, "orders", initial=initial)

    def test_keys_may_be_exchanged(self) -> None:
        """Numbers that are given in turn may stand at each other's rows."""
        expected = {"orders": {"1": {"item": "a"}, "2": {"item": "b"}}}
        assert same(expected, {"orders": {"1": {"item": "b"}, "2": {"item": "a"}}}, "orders")
        third = {"orders": {"1": {"item": "c"}, "2": {"item": "a"}, "3": {"item": "b"}}}
        assert not same(expected, third, "orders")

    def test_a_row_may_bear_its_own_key_and_refer_to_others(self) -> None:
        """A text that is a generated key as a whole means the same row, wherever it stands."""

        def world(first: str, second: str, mailed: str) -> Any:
            return {
                "orders": {
                    first: {"id": first, "item": "a", "after": None},
                    second: {"id": second, "item": "b", "after": first},
                },
                "mails": [{"to": mailed}, {"text": "your order 17"}],
            }

        expected = world("ord-1a", "ord-2b", "ord-1a")
        assert same(expected, world("ord-9f", "ord-8e", "ord-9f"), "orders")
        assert not same(expected, world("ord-9f", "ord-8e", "ord-8e"), "orders")

    def test_what_may_mean_anything_is_taken_for_no_key_elsewhere(self) -> None:
        """A number, or a short or plain word, that happens to be a key is not renamed."""
        expected = {"orders": {"1": {"n": 2}}, "floor": "2", "count": 2, "grade": "A"}
        assert same(expected, expected | {"orders": {"2": {"n": 2}}}, "orders")
        assert same(expected, expected | {"orders": {"A": {"n": 2}}}, "orders")

    def test_tables_within_rows(self) -> None:
        """A wildcard names the table of every row; what is above it is declared first."""
        expected = {"users": {"u-1a": {"orders": {"o-1a": {"n": 1}}}, "u-2b": {"orders": {}}}}
        actual = {"users": {"u-8e": {"orders": {}}, "u-9f": {"orders": {"o-7d": {"n": 1}}}}}
        assert not same(expected, actual, "users")
        by_name = {"users": {"ann": {"orders": {"o-1a": {"n": 1}}}}}
        other = {"users": {"ann": {"orders": {"o-9f": {"n": 1}}}}}
        assert same(by_name, other, "users[*].orders")

    def test_a_row_that_refers_to_another_table_comes_after_it(self) -> None:
        """Once the keys of the first table are known, rows of the second can be told apart."""

        def world(a: str, b: str, x: str, y: str) -> Any:
            return {
                "users": {a: {"name": "Ann"}, b: {"name": "Bob"}},
                "orders": {x: {"by": a}, y: {"by": b}},
            }

        expected, actual = world("u-1", "u-2", "o-1", "o-2"), world("u-22", "u-11", "o-22", "o-11")
        assert same(expected | {"orders": {}}, actual | {"orders": {}}, "users")
        long = world("user-1", "user-2", "ord-11", "ord-12")
        assert same(long, world("user-8", "user-9", "ord-29", "ord-28"), "users", "orders")


class TestKeysInAField:
    def test_numbers_of_rows_in_a_list(self) -> None:
        """Each row of a list has its number in a field, and the rows stay in their order."""
        initial = {"tickets": [{"id": 1, "t": "old"}]}
        expected = {"tickets": [{"id": 1, "t": "old"}, {"id": 2, "t": "a"}, {"id": 3, "t": "b"}]}

        def numbered(*tickets: tuple[int, str]) -> Any:
            return {"tickets": [{"id": number, "t": text} for number, text in tickets]}

        def is_same(*tickets: tuple[int, str]) -> bool:
            return same(expected, numbered(*tickets), "tickets[*].id", initial=initial)

        assert is_same((1, "old"), (17, "a"), (18, "b"))
        assert is_same((1, "old"), (3, "a"), (2, "b"))
        assert not is_same((1, "old"), (17, "b"), (18, "a"))
        assert not is_same((4, "old"), (17, "a"), (18, "b"))
        assert not is_same((1, "old"), (17, "a"))

    def test_the_field_may_lie_deeper_and_the_rows_in_an_object(self) -> None:
        """What stands before the last wildcard is the table, what stands behind it the field."""
        expected = {"users": {"ann": {"notes": {"x": {"meta": {"key": "n-1a"}}}}, "last": "n-1a"}}
        actual = {"users": {"ann": {"notes": {"x": {"meta": {"key": "n-9f"}}}}, "last": "n-9f"}}
        assert same(expected, actual, "users[*].notes[*].meta.key")
        assert not same(expected, actual, "users[*].notes[*].key")


class TestRowsThatFit:
    def test_a_subset_finds_the_rows_that_hold_it(self) -> None:
        """As many partners as possible: no row is taken that another one needs."""
        expected = {"orders": {"x": {"a": 1, "b": 1}, "y": {"b": 1, "c": 1}}}
        actual = {"orders": {"1": {"a": 1, "b": 1, "c": 1}, "2": {"a": 1, "b": 1}, "3": {}}}
        assert same(expected, actual, "orders", mode="subset")
        assert not same(expected, actual, "orders", mode="exact")
        assert not same(expected, {"orders": {"1": {"a": 1}}}, "orders", mode="subset")

    def test_rules_hold_at_the_rows(self) -> None:
        """What is ignored, tolerated or in any order in a row is so when partners are sought."""
        expected = {"orders": {"x": {"price": 10, "tags": [1, 2], "at": 0}, "y": {"price": 20}}}
        actual = {"orders": {"1": {"price": 20.4}, "2": {"price": 9.6, "tags": [2, 1], "at": 9}}}
        rules: dict[str, Any] = {
            "ignore": [parse("orders[*].at")],
            "unordered": [parse("orders[*].tags")],
        }
        near = Tolerance(absolute=0.5)
        assert same(expected, actual, "orders", mode="tolerance", tolerance=near, **rules)
        assert not same(expected, actual, "orders", mode="exact", **rules)

    def test_lists_of_a_subset_are_compared_whole(self) -> None:
        """A row in a list may hold no more than is expected of it."""
        expected = {"tickets": [{"id": 1, "t": "a"}]}
        actual = {"tickets": [{"id": 9, "t": "a", "more": 1}]}
        assert not same(expected, actual, "tickets[*].id", mode="subset")

    def test_a_difference_is_told_at_its_deepest_place(self) -> None:
        """Rows without a partner are set side by side under the expected key."""
        expected = {"orders": {"ord-1a": {"item": "a", "n": 1}}}
        compared = StateComparison().compare(
            expected, {"orders": {"ord-9f": {"item": "a", "n": 2}}}, {}, kept(keys=("orders",))
        )
        assert ["orders.ord-1a.n"] == [place.path for place in compared if not place.passed]


ROWS = st.lists(
    st.fixed_dictionaries({"a": st.integers(0, 2), "b": st.sampled_from(["x", "y"])}), max_size=6
)


@given(rows=ROWS, other=ROWS, data=st.data())
def test_worlds_are_the_same_exactly_where_their_rows_are(
    rows: list[Any], other: list[Any], data: st.DataObject
) -> None:
    """Whatever the keys: the rows of both are the same multiset."""

    def world(rows: list[Any]) -> Any:
        names = data.draw(st.permutations([f"k-{n}{n}" for n in range(8)] + ["1", "2", "3"]))
        return {"t": {name: row | {"own": name} for name, row in zip(names, rows, strict=False)}}

    mixed = data.draw(st.permutations(rows))
    assert same(world(rows), world(mixed), "t", initial={}, ignore=[parse("t[*].own")])
    alike = sorted(map(encode, rows)) == sorted(map(encode, other))
    assert alike == same(world(rows), world(other), "t", initial={}, ignore=[parse("t[*].own")])


def test_many_rows_take_no_time_to_speak_of() -> None:
    """Rows that are equal are not tried on each other one by one."""
    world: Any = {"t": {f"key-{n}": {"n": n, "id": f"key-{n}"} for n in range(3000)}}
    other = decode(encode(world).replace(b"key-", b"row-"))
    assert same(world, other, "t")


@pytest.mark.parametrize("about", [0, 1, 2])
def test_of_equal_rows_those_are_partners_that_are_spoken_of_alike(about: int) -> None:
    """Else the mail about the second ticket would be one about the first by chance."""

    def world(names: list[str], told: int) -> Any:
        rows = {name: {"member": "m"} for name in names}
        return {"t": rows, "mail": [{"text": "hello"}, {"about": names[told], "of": names[0]}]}

    ours, theirs = ["tk-1a", "tk-2b", "tk-3c"], ["tk-9f", "tk-8e", "tk-7d"]
    for order in (theirs, theirs[::-1], [theirs[1], theirs[2], theirs[0]]):
        assert same(world(ours, about), world(order, about), "t", initial={})
        others = {0, 1, 2} - {about}
        if about == 0:
            assert not any(same(world(ours, 0), world(order, n), "t", initial={}) for n in others)
        else:
            assert not same(world(ours, about), world(order, 0), "t", initial={})


def test_many_equal_rows_take_no_time_to_speak_of() -> None:
    """What stands beside thousands of keys is not looked at for each of them."""
    names = [f"key-{n}a" for n in range(2000)]
    world: Any = {"t": {name: {"a": 1} for name in names}, "order": names, "last": names[-1]}
    other = decode(encode(world).replace(b"key-", b"row-"))
    assert same(world, other, "t")
