"""What an error says, and the words it is put in."""

from __future__ import annotations

import pytest

from oloproof.errors import ConfigurationError, shorten, suggest


def test_an_error_is_told_in_three_lines() -> None:
    """What happened, where, and how to fix it; a part that is not known is left out."""
    assert "bad" == str(ConfigurationError("bad"))
    assert "bad\n  where: a:1\n  fix:   do y" == str(
        ConfigurationError("bad", where="a:1", fix="do y")
    )


@pytest.mark.parametrize(
    ("name", "choices", "said"),
    [
        ("statsu", ["status", "amount"], "did you mean `status`?"),
        ("xyz", ["status", "amount"], "known: `amount`, `status`"),
        ("STATUS", ["status", "amount"], "did you mean `status`?"),
        ("fr", ["de", "ru"], "known: `de`, `ru`"),
        ("not_recorded", ["killed", "not_json"], "known: `killed`, `not_json`"),
        ("xyz", [], "there is none to choose from"),
    ],
)
def test_the_nearest_choice_is_suggested(name: str, choices: list[str], said: str) -> None:
    """Where none is near all are listed, in order."""
    assert said == suggest(name, choices)


@pytest.mark.parametrize(("text", "shown"), [("abc", "abc"), ("abcd", "abcd"), ("abcde", "abc…")])
def test_a_long_text_is_cut(text: str, shown: str) -> None:
    """What is shown is never longer than allowed, and what was cut says so."""
    assert shown == shorten(text, 4)
