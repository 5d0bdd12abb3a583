"""Secrets: what is taken for one, and that none is left anywhere."""

from __future__ import annotations

import json
import typing
from typing import Any, Literal, get_args, get_origin
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from oloproof.canonical import decode, encode, encode_in_order
from oloproof.errors import ConfigurationError
from oloproof.execution.redaction import Redaction
from oloproof.records.shapes import FREE, TRAJECTORY_SHAPE, Shape
from oloproof.records.trajectory import AgentStep, AgentTrajectory

KEY = 'sk-"ünsafe\\\n key/+'
ENVIRONMENT = {"API_KEY": KEY, "PIN": "4711", "TINY": "abc", "LONGER": KEY + "-and-more"}


def redaction(*rules: str, **environment: str) -> Redaction:
    return Redaction(rules, environment or ENVIRONMENT)


class TestText:
    def test_a_variable_is_known_by_its_value(self) -> None:
        """The mark names the variable; where it is not set there is nothing to find."""
        assert "key [redacted:API_KEY]!" == redaction("API_KEY").of_text(f"key {KEY}!")
        assert not redaction("UNSET")

    @pytest.mark.parametrize(
        "write",
        [
            str,
            json.dumps,
            lambda s: json.dumps(s, ensure_ascii=False),
            repr,
            lambda s: quote(s, safe=""),
            lambda s: f"https://user:{quote(s, safe='')}@host/",
            lambda s: json.dumps({"nested": [s]}),
        ],
    )
    def test_it_is_found_as_other_text_writes_it(self, write: Any) -> None:
        """Escaped for JSON, Python or a URL, it is the same secret."""
        cleaned = redaction("API_KEY").of_text(write(KEY))
        assert "[redacted:API_KEY]" in cleaned
        assert "nsafe" not in cleaned

    def test_of_a_secret_that_holds_another_nothing_is_left(self) -> None:
        """The longer one is found first, in whatever order they are declared."""
        for rules in (("API_KEY", "LONGER"), ("LONGER", "API_KEY")):
            assert "[redacted:LONGER]" == redaction(*rules).of_text(KEY + "-and-more")

    def test_a_pattern_replaces_what_it_matches(self) -> None:
        """Names and patterns work side by side."""
        both = redaction("PIN", r"\bcard \d{4}")
        assert "[redacted:PIN] [redacted:pattern]" == both.of_text("4711 card 1234")

    def test_a_tiny_value_is_no_secret(self) -> None:
        """Three letters would blot out half of every text."""
        assert "abc" == redaction("TINY").of_text("abc")

    def test_a_value_that_is_set_late_is_found_from_then_on(self) -> None:
        """Many systems load their keys when they are imported or first called."""
        environment: dict[str, str] = {}
        late = Redaction(["API_KEY"], environment)
        assert not late
        environment["API_KEY"] = "first-value"
        late.refresh()
        environment["API_KEY"] = "second-value"
        late.refresh()
        del environment["API_KEY"]
        late.refresh()
        mark = "[redacted:API_KEY]"
        assert f"{mark} {mark}" == late.of_text("first-value second-value")

    @pytest.mark.parametrize("pattern", ["(", "x*", "a|", "^"])
    def test_a_pattern_that_finds_nothing_or_everything_is_refused(self, pattern: str) -> None:
        """Before anything runs."""
        with pytest.raises(ConfigurationError, match="redaction pattern"):
            redaction(pattern)


class TestValues:
    def test_keys_are_redacted_and_stay_apart(self) -> None:
        """A state may be keyed by what is secret; no entry is lost."""
        value = {"4711": 1, "x4711": 2, "y": {"k4711": "4711"}, "[redacted:PIN]": 3}
        assert {
            "[redacted:PIN]": 1,
            "x[redacted:PIN]": 2,
            "y": {"k[redacted:PIN]": "[redacted:PIN]"},
            "[redacted:PIN]#2": 3,
        } == redaction("PIN").of_value(value)

    def test_a_number_is_redacted_as_a_whole_or_not_at_all(self) -> None:
        """An amount that happens to hold the digits of a PIN is an amount."""
        cleaned = redaction("PIN", r"\d{16}").of_value(
            [4711, 47110, 4711.5, 1234567890123456, True, None, 1]
        )
        assert [
            "[redacted:PIN]",
            47110,
            4711.5,
            "[redacted:pattern]",
            True,
            None,
            1,
        ] == cleaned

    def test_what_holds_no_secret_is_handed_on_itself(self) -> None:
        """Nothing is copied or encoded again."""
        value = {"a": ["b", 1, None]}
        assert value is redaction("PIN").of_value(value)
        data = encode(value)
        assert data is redaction("PIN").of_json(data)

    def test_the_order_of_keys_is_kept(self) -> None:
        """An initial state is kept as the agent sees it."""
        cleaned = redaction("PIN").of_json(encode_in_order({"z": "4711", "a": 1}))
        assert b'{"z":"[redacted:PIN]","a":1}' == cleaned

    @given(
        st.recursive(
            st.text() | st.integers() | st.none() | st.just("4711") | st.just(4711),
            lambda inner: (
                st.lists(inner, max_size=4)
                | st.dictionaries(st.text(max_size=3) | st.just("4711"), inner, max_size=4)
            ),
        )
    )
    def test_no_secret_is_left(self, value: Any) -> None:
        """Wherever a secret stood, its mark stands, and everything else is as it was."""
        cleaned = redaction("PIN").of_value(value)
        texts = list(leaves(cleaned))
        assert not any("4711" in text for text in texts)
        assert len(list(leaves(value))) == len(texts)


def leaves(value: Any) -> Any:
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item)
    elif isinstance(value, str):
        yield value
    else:  # of a number only the whole can be a secret
        yield "4711" if value == 4711 else "no secret"


class TestRecords:
    def test_what_we_write_ourselves_stays(self) -> None:
        """A pattern for long words takes no record apart."""
        step = AgentStep(index=1, kind="tool_result", tool_name="x" * 20, result={"y" * 20: 1})
        record = AgentTrajectory(steps=[step], terminal_status="success")
        plain = decode(encode(record.model_dump(exclude_defaults=True)))
        cleaned = redaction(r"[a-z_]{7,}").of_record(plain, TRAJECTORY_SHAPE)
        mark = "[redacted:pattern]"
        expected = {"index": 1, "kind": "tool_result", "tool_name": mark, "result": {mark: 1}}
        assert {"steps": [expected], "terminal_status": "success"} == cleaned

    def test_every_field_that_can_hold_free_text_is_covered(self) -> None:
        """The shape of a trajectory says of each text or value that it is to be redacted."""
        assert sorted(free_fields(AgentTrajectory)) == sorted(free_in_shape(TRAJECTORY_SHAPE))


def free_fields(model: type[BaseModel], path: str = "") -> Any:
    """The places in a record that hold a text or any JSON, by the types of its fields."""
    for name, field in model.model_fields.items():
        yield from _free(field.annotation, f"{path}.{field.alias or name}")


def _free(kind: Any, path: str) -> Any:
    if kind is str or kind is Any or get_origin(kind) is dict:
        yield path
    elif get_origin(kind) is Literal:
        return
    elif isinstance(kind, type) and issubclass(kind, BaseModel):
        yield from free_fields(kind, path)
    elif isinstance(kind, typing.TypeAliasType if hasattr(typing, "TypeAliasType") else ()):
        yield from _free(kind.__value__, path)
    else:
        for part in get_args(kind):
            yield from _free(part, path)


def free_in_shape(shape: Shape, path: str = "") -> Any:
    if shape is FREE:
        yield path
    else:
        for name, inner in shape.items():
            yield from free_in_shape(inner, f"{path}.{name}")
