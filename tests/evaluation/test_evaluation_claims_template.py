"""Messages that are compared with a template filled from the state."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oloproof.errors import ConfigurationError
from oloproof.evaluation.claims.template import Rendering, Template
from oloproof.paths import parse

STATE: Any = {"booking": {"room": "Café", "seats": 6, "paid": False, "a}b": 1.5}, "list": [None]}


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("nothing to fill", "nothing to fill"),
        ("{booking.room} for {booking.seats}.", "Café for 6."),
        ("{booking.paid} {list[0]} {/booking/seats}", "false null 6"),
        ('{booking."a}b"}', "1.5"),
        ("{{{booking.seats}}}", "{6}"),
        ("", ""),
    ],
)
def test_placeholders_are_filled_from_the_state(template: str, text: str) -> None:
    """Texts as they are, other values as JSON; doubled braces are braces."""
    assert Rendering(text) == Template.parse(template).render(STATE)


@pytest.mark.parametrize("path", ["booking.guest", "booking", "list", "list[3]"])
def test_a_template_that_the_state_does_not_fill_equals_no_message(path: str) -> None:
    """What is missing, a list or an object has no text; the place is named."""
    template = Template.parse(f"{{{path}}}")
    assert Rendering(None, parse(path)) == template.render(STATE)
    assert not template.matches("", STATE)


@pytest.mark.parametrize(
    ("message", "equal"),
    [
        ("Café for 6", True),
        (" Cafe\u0301\u00a0for\n6 ", True),
        ("café for 6", False),
        ("Café for 6.", False),
        ("Café for 12", False),
    ],
)
def test_white_space_and_unicode_form_alone_do_not_matter(message: str, equal: bool) -> None:
    """Every other difference is one."""
    assert equal == Template.parse("{booking.room} for {booking.seats}").matches(message, STATE)


@pytest.mark.parametrize(
    ("template", "what"),
    [
        ("a {b", "the template 'a {b' cannot be read at character 3"),
        ("a } b", "the template 'a } b' cannot be read at character 3"),
        ("{}", "the template '{}' cannot be read at character 1"),
        ("{items[*].id}", "the placeholder `{items[*].id}` may name several places"),
        ("{a..b}", "the path 'a..b' cannot be read at character 3"),
    ],
)
def test_a_template_that_cannot_be_read_is_refused(template: str, what: str) -> None:
    """A placeholder is a path to one place, and nothing else."""
    with pytest.raises(ConfigurationError) as raised:
        Template.parse(template)
    assert what == raised.value.what


@given(st.text(), st.one_of(st.text(), st.integers(-(2**63), 2**63 - 1), st.booleans(), st.none()))
def test_a_filled_template_equals_itself(text: str, value: Any) -> None:
    """Any text is a template once its braces are doubled, and its rendering is a match."""
    escaped = text.replace("{", "{{").replace("}", "}}")
    template = Template.parse(escaped + "{value}")
    rendered = template.render({"value": value}).text
    assert rendered is not None
    assert rendered.startswith(text)
    assert template.matches(unicodedata.normalize("NFD", rendered), {"value": value})
