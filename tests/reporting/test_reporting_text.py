"""Text made safe to print, and cut into lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from oloproof.reporting.terminal.text import hanging, lines, visible

texts = st.text() | st.text("ab _/.\u6f22\u0301\ufe0f\u2764", max_size=200)


@given(st.text(), st.sampled_from(["utf-8", "ascii", "latin-1"]))
def test_what_is_visible_is_printable_and_encodable(text: str, encoding: str) -> None:
    """Whatever comes in, what goes out can be written and moves no cursor."""
    shown = visible(text, encoding)
    assert shown.isprintable()
    shown.encode(encoding)


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126)))
def test_plain_text_stays_as_it_is(text: str) -> None:
    """Nothing is escaped that shows itself."""
    assert text == visible(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\x1b[31m", "\\u001b[31m"),
        ("a\nb\tc\r", "a\\nb\\tc\\r"),
        ("\u202eevil", "\\u202eevil"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("no\xa0break", "no\\u00a0break"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\U000e0041"),
    ],
)
def test_what_does_not_show_itself_is_escaped(text: str, expected: str) -> None:
    """Control, format, surrogate and tag characters and odd spaces are seen."""
    assert expected == visible(text)


@given(texts, st.integers(2, 90))
def test_lines_lose_nothing(text: str, width: int) -> None:
    """The lines joined are the text, character by character."""
    found = lines(text, width)
    assert text == "".join(text[start:end] for start, end in found)


@given(texts.map(visible), st.integers(2, 90))
def test_lines_fit(text: str, width: int) -> None:
    """No line is wider than it may be, but for one space at its end."""
    for start, end in lines(text, width):
        assert cell_len(text[start:end].removesuffix(" ")) <= width


def test_words_stay_whole_where_they_fit() -> None:
    """A word is only folded where it is longer than a line by itself."""
    text = "one two three four"
    assert ["one two ", "three ", "four"] == [text[a:b] for a, b in lines(text, 8)]


def test_a_long_name_is_folded_at_a_seam() -> None:
    """A path or an identifier is folded after a separator where there is one near."""
    text = "recovers_from_error_at_issue_refund"
    assert ["recovers_from_error_", "at_issue_refund"] == [text[a:b] for a, b in lines(text, 22)]


@given(texts.map(lambda text: text.lstrip(" ")), st.integers(8, 90), st.integers(0, 6))
def test_hanging_lines_keep_every_word_whole(text: str, width: int, hang: int) -> None:
    """Nothing but spaces is lost between the lines; only a word too long for one exceeds it."""
    found = hanging(text, width, hang)
    words = [word for word in text.split(" ") if word]
    assert words == [word for line in found for word in line.split(" ") if word]
    for line in found:
        fits = all(cell_len(word) <= width - hang for word in line.split(" "))
        assert cell_len(line) <= width or not fits


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one two three four", ["one two", "  three", "  four"]),
        ("a  b", ["a  b"]),
        ("see /a/very/long/name now", ["see", "  /a/very/long/name", "  now"]),
        ("/a/very/long/name now", ["/a/very/long/name", "  now"]),
        ("  /a/very/long/name", ["  /a/very/long/name"]),
        ("", [""]),
    ],
)
def test_lines_after_the_first_hang(text: str, expected: list[str]) -> None:
    """A word that fits on no line has one of its own, unless it would begin where it does."""
    assert expected == hanging(text, 8, 2)
