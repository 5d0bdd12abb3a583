"""The difference of two texts, word by word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oloproof.reporting.terminal.sides import copy_parts, difference, source_parts

texts = st.text() | st.lists(st.sampled_from(["a", "bb", " ", ", ", "\u6f22"])).map("".join)


def marked(source: str, copy: str) -> tuple[str, str]:
    stretches = difference(source, copy)
    left, right = (
        "".join(part if isinstance(part, str) else part[0] for part in parts(stretches))
        for parts in (source_parts, copy_parts)
    )
    return left, right


@given(texts, texts)
def test_nothing_is_lost_or_made_up(source: str, copy: str) -> None:
    """Without what was added it is the source, without what was removed the copy."""
    stretches = difference(source, copy)
    assert source == "".join(text for mark, text in stretches if mark != "added")
    assert copy == "".join(text for mark, text in stretches if mark != "removed")


@given(texts)
def test_equal_texts_have_no_marks(text: str) -> None:
    """What is the same is not marked."""
    assert (text, text) == marked(text, text)


@pytest.mark.parametrize(
    ("source", "copy", "expected"),
    [
        (
            "Please refund it.",
            "Could you refund it.",
            ("[-Please-] refund it.", "{+Could you+} refund it."),
        ),
        ("Refund it.", "Refund it. NOW", ("Refund it.", "Refund it.{+ NOW+}")),
        (
            "It broke. Help.",
            "It broke. NOW. Help.",
            ("It broke. Help.", "It broke. {+NOW. +}Help."),
        ),
        ("order 12", "order 13", ("order [-12-]", "order {+13+}")),
        ("one two three", "uno dos three", ("[-one two-] three", "{+uno dos+} three")),
        (
            "\u8acb\u9000\u6b3e",
            "\u5feb\u9000\u6b3e",
            ("[-\u8acb-]\u9000\u6b3e", "{+\u5feb+}\u9000\u6b3e"),
        ),
    ],
)
def test_the_differing_words_are_marked(source: str, copy: str, expected: tuple[str, str]) -> None:
    """Whole words are marked, and neighbouring ones together."""
    assert expected == marked(source, copy)
