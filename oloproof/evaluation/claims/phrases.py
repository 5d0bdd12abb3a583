"""Words that follow each other in a message: whole words, in whatever case and Unicode form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator

from oloproof.evaluation.calls import NameList
from oloproof.evaluation.claims.words import readable, tokens
from oloproof.suites.validation import refuse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oloproof.evaluation.claims.words import Token


def _with_words(given: tuple[str, ...]) -> tuple[str, ...]:
    for position, pattern in enumerate(given):
        if not _words(pattern):
            raise refuse(
                f"the pattern `{pattern}` has no words",
                fix="write the words to be found",
                at=(position,),
            )
    return given


Patterns = Annotated[NameList, AfterValidator(_with_words)]
"""A list of words or phrases to be found."""


def find_phrase(text: str, phrase: str, *, asking: bool = False) -> str | None:
    """The sentence of a message that holds a phrase, or None.

    What is quoted is not the speaker's. With `asking` only questions are looked at.
    """
    wanted = _words(phrase)
    shown = readable(text)
    for sentence, mark in _sentences(tokens(shown)):
        own = [token for token in sentence if token.quotation is None]
        words = [token.text for token in own]
        starts = range(len(words) - len(wanted) + 1)
        if (mark == "?" or not asking) and any(
            words[start : start + len(wanted)] == wanted for start in starts
        ):
            return " ".join(shown[sentence[0].start : sentence[-1].end].split()) + mark
    return None


def _words(phrase: str) -> list[str]:
    return [token.text for token in tokens(readable(phrase)) if token.kind == "word"]


def _sentences(found: list[Token]) -> Iterator[tuple[list[Token], str]]:
    """The words of each sentence, and the mark that ends it."""
    sentence: list[Token] = []
    for token in found:
        if token.kind == "word":
            sentence.append(token)
        elif token.kind == "end" and sentence:
            yield sentence, token.text if token.text in ("?", "!", ".") else ""
            sentence = []
    if sentence:
        yield sentence, ""
