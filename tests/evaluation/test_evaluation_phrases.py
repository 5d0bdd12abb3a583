"""Words that follow each other in a message."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oloproof.evaluation.claims.phrases import find_phrase


@pytest.mark.parametrize(
    ("text", "phrase", "found"),
    [
        ("Fine. How many people?", "how many people", "How many people?"),
        ("How many, people?", "how many people", "How many, people?"),
        ("How many. People?", "how many people", None),
        ("Somehow many people", "how many", None),
        ("Take amber-2.", "amber", None),
        ("Take amber-2.", "amber-2", "Take amber-2."),
        ("You said “how many”: six.", "how many", None),
        ("CAFE\u0301 or tea", "café", "CAFÉ or tea"),
        ("", "a", None),
    ],
)
def test_whole_words_are_found_in_one_sentence(text: str, phrase: str, found: str | None) -> None:
    """In whatever case and Unicode form, but not in what is quoted."""
    assert found == find_phrase(text, phrase)


def test_where_only_questions_count_a_statement_does_not() -> None:
    """The mark at the end of the sentence decides."""
    assert "Which day?" == find_phrase("I know. Which day?", "which day", asking=True)
    assert find_phrase("I know which day. Fine?", "which day", asking=True) is None


@given(words=st.lists(st.sampled_from(["ab", "c\u00e9", "Do"]), min_size=1, max_size=4))
def test_a_message_holds_itself_in_any_form(words: list[str]) -> None:
    """Case, composition and white space do not matter."""
    text = " ".join(words)
    for other in (text.upper(), unicodedata.normalize("NFD", text), text.replace(" ", "\u00a0")):
        assert find_phrase(other, text) is not None
