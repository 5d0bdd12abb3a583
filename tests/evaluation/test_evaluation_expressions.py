"""Conditions on states: how they are read and written, and what they come to."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oloproof.canonical import equal
from oloproof.evaluation.conditions.expressions import MAX_DEPTH, parse_expression
from oloproof.evaluation.conditions.nodes import (
    COMPARISONS,
    Call,
    Expression,
    Joined,
    Literal,
    Place,
    States,
    truth,
)
from oloproof.evaluation.conditions.tokens import ExpressionError
from oloproof.paths import EVERY, MISSING, Path, parse

UNKNOWN = MISSING

STATE: Any = {
    "goal": "compare",
    "n": 6,
    "none": None,
    "on": True,
    "off": False,
    "list": [1, "a", None],
    "empty": [],
    "object": {"k": 1},
    "rooms": [{"id": "amber", "price": 18}, {"id": "birch"}],
    "count": 3,
    "key with.dot": {"ключ": "да"},
}


def value(text: str, now: Any = STATE, before: Any = MISSING) -> Any:
    return parse_expression(text).value(States(now, before))


class TestValues:
    @pytest.mark.parametrize(
        "text",
        [
            'goal == "compare"',
            "goal == 'compare'",
            "goal != 'reserve'",
            "n == 6.0",
            "on != 1",
            "none == null",
            "n < 7 and n <= 6 and n > 5.5 and n >= 6",
            "'a' < 'b'",
            "n in [5, 6]",
            "'k' in object",
            "'omp' in goal",
            "not off",
            "on and not off or off",
            "off => off",
            "on => on",
            "off => off => off",
            "not (on => off)",
            "(n == 6) == on",
            "list == [1, 'a', null]",
            "list[1] == 'a'",
            "rooms[0].price == 18",
            "count(list) == 3 and count(object) == 1 and count(empty) == 0",
            "count(rooms[*]) == 2 and count(rooms[*].price) == 1 and count(empty[*].x) == 0",
            "present(none) and not present(nothing) and present(rooms[*].price)",
            "$.count == 3",
            '$."key with.dot".ключ == "да"',
            '$["key with.dot"]["ключ"] == "да"',
        ],
    )
    def test_what_holds(self, text: str) -> None:
        """Numbers compare by value, booleans are no numbers, null is a value."""
        assert value(text) is True

    @pytest.mark.parametrize(
        "text",
        [
            "nothing",
            "nothing == 1",
            "nothing != 1",
            "nothing == nothing",
            "not nothing",
            "nothing in [1]",
            "n < 'a'",
            "on < 2",
            "none < 1",
            "1 in goal",
            "1 in 2",
            "n",
            "none",
            "count(nothing) == 0",
            "count(nothing[*]) == 0",
            "count(goal) == 1",
            "changed(n)",
            "on and nothing",
            "off or nothing",
            "on => nothing",
            "nothing => off",
        ],
    )
    def test_what_is_unknown(self, text: str) -> None:
        """An absent path, values without an order, and what is no condition are unknown."""
        assert truth(value(text)) is UNKNOWN

    @pytest.mark.parametrize(
        ("text", "holds"),
        [
            ("off and nothing", False),
            ("nothing and off", False),
            ("on or nothing", True),
            ("nothing or on", True),
            ("off => nothing", True),
            ("nothing => on", True),
            ("present(nothing) and nothing > 1", False),
        ],
    )
    def test_what_the_rest_decides_is_known(self, text: str, holds: bool) -> None:
        """Kleene's tables: one side may decide whatever the other is."""
        assert value(text) is holds

    @pytest.mark.parametrize(
        ("text", "before", "holds"),
        [
            ("changed(n)", {"n": 12}, True),
            ("changed(n)", {"n": 6.0}, False),
            ("changed(n)", {}, True),
            ("changed(nothing)", {"nothing": 1}, True),
            ("changed(nothing)", {}, False),
            ("changed(rooms[*].id)", {"rooms": [{"id": "amber"}, {"id": "birch"}]}, False),
            ("changed(rooms[*].id)", {"rooms": [{"id": "amber"}]}, True),
        ],
    )
    def test_what_changed_since_the_turn_before(self, text: str, before: Any, holds: bool) -> None:
        """A value that came or went changed, and one that is in neither state did not."""
        assert value(text, before=before) is holds


@pytest.mark.parametrize(
    ("text", "position", "what", "fix"),
    [
        ("", 1, "the end is not expected", "a literal or a condition"),
        ("a = 1", 3, "`=` means nothing", "write `==`"),
        ("a <", 4, "the end is not expected", "a literal or a condition"),
        ("a < b < c", 7, "`<` is not expected", "two values at a time"),
        ("a b", 3, "`b` is not expected", "join conditions"),
        ("(a", 3, "the end is not expected", "close the parenthesis"),
        ("a)", 2, "`)` is not expected", "join conditions"),
        ("size(a)", 1, "there is no function `size`", "known: `changed`, `count`, `present`"),
        ("count", 1, "`count` stands without a path", "$.count"),
        ("present(1)", 9, "`1` is not expected", "name a path"),
        ("a[*] == 1", 1, "may name several places", "`count`"),
        ("x == 'a", 6, "a text is not closed", "end it with '"),
        (r"x == 'a\q'", 6, r"`\q` in a text means nothing", "backslash"),
        ("[1 2]", 4, "`2` is not expected", "commas"),
        ("a @ b", 3, "`@` means nothing here", "in quotes"),
        ("$ == 1", 1, "`$` alone is no path", "$[0]"),
        ("a == 1e999", 6, "the number 1e999 is too large", "64 bits"),
        ("a == 99999999999999999999", 6, "is too large", "64 bits"),
        ("not " * (MAX_DEPTH + 1) + "a", 205, "nested more than 50", "several invariants"),
        ("(" * 60 + "a", 52, "nested more than 50", "several invariants"),
        ("[" * 60, 52, "nested more than 50", "several invariants"),
        ("a => " * 60 + "a", 256, "nested more than 50", "several invariants"),
    ],
)
def test_what_cannot_be_read_is_told_with_its_character(
    text: str, position: int, what: str, fix: str
) -> None:
    """The position counts from 1, and the error says how to fix it."""
    with pytest.raises(ExpressionError) as caught:
        parse_expression(text)
    assert position == caught.value.position
    assert what in caught.value.what
    assert fix in caught.value.fix


literals = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(-1e15, 1e15)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=4,
).map(Literal)
keys = st.sampled_from(["a", "and", "true", "count", "1", "a-b", "a.b", 'q"', "", "é"]) | st.text(
    max_size=4
)
segments: Any = st.one_of(keys, st.integers(0, 99))
paths = st.lists(segments, min_size=1, max_size=3).map(lambda found: Path(tuple(found)))
wild = st.lists(st.one_of(segments, st.just(EVERY)), min_size=1, max_size=3).map(
    lambda found: Path(tuple(found))
)
leaves: Any = st.one_of(
    literals,
    paths.map(Place),
    st.builds(Call, st.sampled_from(["present", "changed", "count"]), wild),
)


def joined(inner: Any) -> Any:
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return st.one_of(
        st.builds(Joined, st.sampled_from(["and", "or"]), several),
        st.builds(Joined, st.just("not"), st.tuples(inner)),
        st.builds(Joined, st.just("=>"), st.tuples(inner, inner)),
        st.builds(Joined, st.sampled_from(sorted(COMPARISONS)), st.tuples(inner, inner)),
    )


expressions = st.recursive(leaves, joined, max_leaves=8)


@given(expressions)
def test_a_condition_parses_to_itself(expression: Expression) -> None:
    """Whatever is written can be read, and says the same."""
    assert expression == parse_expression(str(expression))


@given(st.text(max_size=20))
def test_any_text_is_read_or_refused(text: str) -> None:
    """Nothing but an error of its own comes of a text, at a character that is there."""
    refused_at = position_of(text)
    assert refused_at is None or 1 <= refused_at <= len(text) + 1


def position_of(text: str) -> int | None:
    try:
        parse_expression(text)
    except ExpressionError as error:
        return error.position
    return None


numbers = st.integers(-3, 3) | st.sampled_from([0.5, 1.0])
states = st.fixed_dictionaries(
    {
        "n": numbers,
        "m": numbers,
        "s": st.sampled_from(["", "a", "ab"]),
        "t": st.sampled_from(["a", "b"]),
        "p": st.booleans(),
        "q": st.booleans(),
        "l": st.lists(numbers | st.sampled_from(["a"]), max_size=3),
    }
)
ordered = st.sampled_from(["==", "!=", "<", "<=", ">", ">="])
comparisons: Any = st.one_of(
    st.tuples(st.sampled_from("nm") | numbers.map(repr), ordered, st.sampled_from("nm")),
    st.tuples(st.sampled_from("st"), ordered, st.sampled_from(["s", "t", "'a'"])),
    st.tuples(st.sampled_from(["n", "t", "'a'"]), st.just("in"), st.just("l")),
    st.tuples(st.just("t"), st.just("in"), st.just("s")),
    st.sampled_from(["p", "q"]).map(lambda name: (name,)),
).map(" ".join)
# Each condition with its text in Python, where only the implication is written otherwise.
conditions = st.recursive(
    comparisons.map(lambda text: (text, text)),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(
            lambda found: tuple(f"{found[0][n]} {found[1]} {found[2][n]}" for n in (0, 1))
        ),
        inner.map(lambda found: (f"not {found[0]}", f"not {found[1]}")),
        inner.map(lambda found: (f"({found[0]})", f"({found[1]})")),
        st.tuples(inner, inner).map(
            lambda found: (
                f"(({found[0][0]}) => {found[1][0]})",
                f"((not ({found[0][1]})) or ({found[1][1]}))",
            )
        ),
    ),
    max_leaves=6,
)


@given(conditions, states)
def test_a_condition_comes_to_what_python_says(
    texts: tuple[str, str], state: dict[str, Any]
) -> None:
    """On values that have an order nothing is unknown, and all binds as in Python."""
    ours, theirs = texts
    assert bool(eval(theirs, {}, state)) is value(ours, state)


@given(st.sampled_from(["p", "q", "nothing"]), st.sampled_from(["p", "q", "nothing"]), states)
def test_the_laws_of_de_morgan_hold_with_unknowns(
    one: str, other: str, state: dict[str, Any]
) -> None:
    """Also of what is neither true nor false."""
    assert value(f"not ({one} and {other})", state) is value(f"not {one} or not {other}", state)
    assert value(f"{one} => {other}", state) is truth(value(f"not {one} or {other}", state))


def test_the_paths_that_are_read_are_told() -> None:
    """They are looked for in the cases, and shown with their values."""
    condition = parse_expression("a.b == 1 => not present(c[*]) or changed(d)")
    assert [parse("a.b"), parse("c[*]"), parse("d")] == list(condition.paths())
    assert condition.uses_before
    assert not parse_expression("a.b == 1").uses_before
    assert equal(6, value("n"))
