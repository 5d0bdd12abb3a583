"""Strict JSON: what is read, what is refused, and that the fast way changes neither."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from oloproof.canonical import MAX_DEPTH
from oloproof.suites import json_text
from oloproof.suites.json_lines import parse_located
from oloproof.suites.json_text import depth_of, parse
from oloproof.suites.malformed import MalformedError

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
    | st.sampled_from([":", '"a":1', "\\u003a", "12345678901234567890123", "[[{{"])
)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(scalars.map(str), inner, max_size=4)
    ),
    max_leaves=20,
)


def reference(text: str) -> Any:
    """Strict JSON by the standard library alone; raises ValueError for what must be refused."""

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(items)) != len(items):
            raise ValueError("a key twice")
        return dict(items)

    def integer(digits: str) -> int:
        if len(digits) > 20 or not -(2**63) <= int(digits) < 2**64:
            raise ValueError("beyond 64 bits")
        return int(digits)

    def number(digits: str) -> float:
        if not math.isfinite(float(digits)):
            raise ValueError("not finite")
        return float(digits)

    def constant(word: str) -> Any:
        raise ValueError(word)

    value = json.loads(
        text,
        object_pairs_hook=pairs,
        parse_int=integer,
        parse_float=number,
        parse_constant=constant,
    )
    json.dumps(value, ensure_ascii=False).encode("utf-8")
    return value


def exact(value: Any) -> Any:
    """A form in which `1`, `1.0` and `True` differ."""
    if isinstance(value, dict):
        return {key: exact(item) for key, item in value.items()}
    if isinstance(value, list):
        return [exact(item) for item in value]
    return (type(value).__name__, value)


@given(values, st.booleans(), st.sampled_from([None, 0, 2]))
def test_every_json_value_is_read_as_written(value: Any, ascii_only: bool, indent: Any) -> None:
    """Both readers give back exactly the value that was written, escapes and all."""
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    assert exact(value) == exact(parse(text.encode()))
    assert exact(value) == exact(parse_located(text)[0])


@given(
    st.lists(st.tuples(st.sampled_from(["a", "b", "c:", ":"]), values.map(json.dumps)), max_size=5),
    st.booleans(),
)
@example([("a", '"\\u003a"'), ("a", "1")], False)
@example([("a", '":"'), ("a", '{"b": ":", "b": 1}')], False)
def test_a_key_given_twice_is_always_found(items: list[tuple[str, str]], escaped: bool) -> None:
    """An object is refused exactly if one of its keys repeats, whatever colons its texts hold."""
    keys = [json.dumps(key).replace(":", "\\u003a" if escaped else ":") for key, _ in items]
    text = "{" + ",".join(f"{key}:{item}" for key, (_, item) in zip(keys, items, strict=True)) + "}"
    try:
        expected = exact(reference(text))
    except ValueError:
        with pytest.raises(MalformedError):
            parse(text.encode())
    else:
        assert expected == exact(parse(text.encode()))


@given(st.text('{}[]",:\\u003aA ab\n19.-+eE', max_size=30) | st.text(max_size=10))
@example('"\\ud800"')
@example("18446744073709551616")
@example("-9223372036854775809")
@example("[1e999]")
@example("-0")
def test_the_fast_reader_accepts_what_strict_json_is(text: str) -> None:
    """Any text is accepted or refused as the standard library, made strict, does it."""
    data = text.encode("utf-8", "surrogatepass")
    try:
        expected = exact(reference(text))
    except (ValueError, UnicodeError):
        with pytest.raises((MalformedError, UnicodeDecodeError)):
            parse(data)
    else:
        assert expected == exact(parse(data))


@pytest.mark.parametrize("spare", [json_text._SPARE_LEVELS, None])
@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":'])
def test_the_nesting_has_a_bound(
    opening: str, spare: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`MAX_DEPTH` containers inside one another are read, one more is refused, by both readers."""
    monkeypatch.setattr(json_text, "_SPARE_LEVELS", spare)
    each = opening.count("[") + opening.count("{")
    closing = "".join({"[": "]", "{": "}"}[c] for c in reversed(opening) if c in "[{")
    most = MAX_DEPTH // each
    fits = opening * most + "0" + closing * most
    assert MAX_DEPTH == depth_of(parse(fits.encode()))
    assert MAX_DEPTH == depth_of(parse_located(fits)[0])
    for read in (lambda: parse(f"[{fits}]".encode()), lambda: parse_located(f"[{fits}]")):
        with pytest.raises(MalformedError, match="nested more than 200 levels"):
            read()
