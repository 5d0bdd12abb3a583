"""What messages say was done, held against sentences whose outcome a careful reader gave."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import unicodedata
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oloproof.errors import ConfigurationError
from oloproof.evaluation.claims import grammar as grammar_module
from oloproof.evaluation.claims.grammar import LONGEST_PHRASE, Grammar, grammar_of, languages
from oloproof.evaluation.claims.reading import ClaimReading, claim_outcome
from oloproof.evaluation.claims.words import fold

DATA: Final = Path(__file__).parent / "data"
GRAMMARS: Final = tuple(map(grammar_of, languages()))

# The sentences were written, with their outcomes, before the rules that they measure.
AS_WRITTEN: Final = {
    "claims.jsonl": "ac09d5463b450d7d82c89f441fb286adeafe91b29c1b9b09e9c37982e82d3151",
    "claims_by_kind.jsonl": "736a118b781e9e85adcbb2fd3e4ab81f52f9e1450dd886f59418fe5d76bb2385",
    "claims_by_kind_first.json": "8ac6c37e83e631ca2baf89db6f3feaa2755155e7d2bce97c8e47ba0514988886",
    "claims_unseen.jsonl": "4540e429f32f6133c75c2d84b3d7e79df5ac198e6f7e654860f2b13dcd19c93f",
}

# What the words cannot tell, with what is read instead.
MISSED: Final = {
    "en-21": "not_asserted",  # "would have ..., but" is read as a mere possibility
    "en-40": "not_asserted",  # "could not be sent" too
    "pl-32": "not_asserted",  # a counterfactual too
    "de-32": "unclear",  # a condition made by word order alone
    "pl-31": "unclear",  # an answer that does not repeat the words
    "ru-14": "unclear",  # a negated verb of saying over a negation
    "ru-27": "unclear",  # a negation after the verb, before another part of the sentence
    "ru-35": "unclear",  # a statement of one's own that is taken back without repeating it
    "ru-36": "asserted",  # another sense of the same word
}

# Written later in two lots, each with its outcomes before its first reading, and then used to fix
# the rules: of the first 57 of 65 were read rightly at once, of the second 41 of 49.
MISSED_FURTHER: Final = {
    "en-further-10": "unclear",  # a main clause under a condition
    "en-second-06": "unclear",  # "after" with a future, without a comma
    "en-second-07": "unclear",  # taken back by "but it wasn't"
    "en-second-08": "asserted",  # done by somebody else
    "en-second-11": "unclear",  # a negated denial, followed by the fact
    "de-second-02": "unclear",  # a negative word under a preposition
    "de-second-07": "not_asserted",  # "could not be cancelled" is read as a mere possibility
    "pl-second-09": "unclear",  # taken back by "but it was not"
    # Labels that were wrong: "everything except the taxi is booked" is not that all is booked
    "en-second-09": "unclear",
    "de-second-05": "unclear",
    "pl-second-05": "unclear",
    "ru-second-05": "unclear",
}

# Six kinds in which the rules were weak, and plain sentences beside them: of the 200, written
# before the rules were fixed, 112 were read rightly. Those misread then are kept by their side.
MISSED_BY_KIND: Final = {
    "en-failed-05": "unclear",  # "after" speaks of the past
    "pl-asks-06": "unclear",  # an aim before "and" may go on behind it
}

# Written when the rules were fixed, read once, and used to fix nothing.
MISSED_UNSEEN: Final = {
    "en-unseen-failed-02": "not_asserted",  # "tried to ... and failed" is read as an attempt
    "de-unseen-failed-02": "not_asserted",  # "tried in vain" too
    "pl-unseen-failed-02": "not_asserted",
    "ru-unseen-failed-02": "not_asserted",
    "en-unseen-gerund-02": "asserted",  # "keeping" is in no list
    "de-unseen-gerund-02": "asserted",
}


def _load(name: str) -> list[dict[str, Any]]:
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


CORPUS: Final = _load("claims.jsonl")
FURTHER: Final = _load("claims_further.jsonl")
BY_KIND: Final = _load("claims_by_kind.jsonl")
UNSEEN: Final = _load("claims_unseen.jsonl")
EVERY: Final = CORPUS + FURTHER + BY_KIND + UNSEEN


def _read(item: dict[str, Any], sentence: str | None = None) -> ClaimReading:
    return claim_outcome(
        item["sentence"] if sentence is None else sentence,
        item["claim"]["patterns"],
        item["language"],
    )


@pytest.mark.parametrize(
    ("items", "missed"),
    [
        (CORPUS, MISSED),
        (FURTHER, MISSED_FURTHER),
        (BY_KIND, MISSED_BY_KIND),
        (UNSEEN, MISSED_UNSEEN),
    ],
    ids=["corpus", "further", "by kind", "unseen"],
)
def test_exactly_the_listed_sentences_are_missed(
    items: list[dict[str, Any]], missed: dict[str, str]
) -> None:
    """A new miss is a regression, and one that is gone is taken from the list."""
    outcomes = {item["id"]: _read(item).outcome for item in items}
    wrong = {item["id"] for item in items if outcomes[item["id"]] != item["outcome"]}
    assert missed == {name: outcomes[name] for name in wrong}


def test_as_many_are_missed_as_is_documented() -> None:
    """The numbers stand here too, so that no line is added to a list unnoticed."""
    assert (149, 9) == (len(CORPUS), len(MISSED))
    assert (114, 12) == (len(FURTHER), len(MISSED_FURTHER))
    assert (200, 2) == (len(BY_KIND), len(MISSED_BY_KIND))
    assert (60, 6) == (len(UNSEEN), len(MISSED_UNSEEN))


@pytest.mark.parametrize("name", AS_WRITTEN)
def test_the_sentences_are_as_they_were_written(name: str) -> None:
    """No outcome is changed and no sentence taken out for the sake of the reader."""
    assert AS_WRITTEN[name] == hashlib.sha256((DATA / name).read_bytes()).hexdigest()


def test_four_sentences_alone_are_asserted_wrongly() -> None:
    """A claim that is not made is hardly ever read as made: that would fail an honest agent."""
    wrongly = [
        item["id"]
        for item in EVERY
        if item["outcome"] != "asserted" and _read(item).outcome == "asserted"
    ]
    assert ["ru-36", "en-second-08", "en-unseen-gerund-02", "de-unseen-gerund-02"] == wrongly


@pytest.mark.parametrize("item", EVERY, ids=lambda item: item["id"])
def test_the_language_is_found_or_does_not_matter(item: dict[str, Any]) -> None:
    """Without a language a message is read as in its own."""
    patterns = item["claim"]["patterns"]
    assert _read(item).outcome == claim_outcome(item["sentence"], patterns).outcome


@pytest.mark.parametrize("item", EVERY, ids=lambda item: item["id"])
def test_unicode_form_and_case_do_not_matter(item: dict[str, Any]) -> None:
    """Composed or not, in capitals or small letters, a sentence says the same."""
    sentence = item["sentence"]
    forms = [unicodedata.normalize(form, sentence) for form in ("NFC", "NFD", "NFKC", "NFKD")]
    variants = [*forms, sentence.upper(), sentence.lower(), sentence.replace("\u2019", "'")]
    variants.append(sentence.replace("ё", "е").replace("е\u0308", "е"))  # noqa: RUF001
    assert {_read(item).outcome} == {_read(item, variant).outcome for variant in variants}


@given(st.sampled_from(EVERY), st.data())
def test_white_space_and_invisible_characters_do_not_matter(
    item: dict[str, Any], data: st.DataObject
) -> None:
    """Any white space within a paragraph parts words, and what nobody sees does not count."""
    space = st.sampled_from([" ", "  ", "\t", "\u00a0", "\u202f", " \u200b", "\u00ad "])
    words = item["sentence"].split(" ")
    spaced = "".join(word + data.draw(space) for word in words)
    assert _read(item).outcome == _read(item, spaced).outcome


def _phrases(grammar: Grammar) -> list[str]:
    return [phrase for listed in grammar.phrases.values() for phrase in listed]


def _around(grammar: Grammar) -> st.SearchStrategy[str]:
    """A pattern among any words that the language's rules know."""
    some = st.lists(st.sampled_from([*_phrases(grammar), ",", "xyz"]), max_size=5).map(" ".join)
    return st.tuples(some, some).map(lambda sides: f"{sides[0]} zzz {sides[1]}")


AROUND: Final = st.sampled_from(GRAMMARS).flatmap(
    lambda grammar: st.tuples(st.just(grammar), _around(grammar))
)


@given(AROUND)
def test_a_question_asserts_and_denies_nothing(drawn: tuple[Grammar, str]) -> None:
    """Whatever words it has, what ends with a question mark is no statement."""
    grammar, words = drawn
    outcome = claim_outcome(f"{words}?", ["zzz"], grammar.language).outcome
    assert outcome in ("not_asserted", "unclear")


@given(AROUND)
def test_what_others_are_quoted_with_asserts_and_denies_nothing(
    drawn: tuple[Grammar, str],
) -> None:
    """Whatever words it has, a quotation is no statement of the speaker's."""
    grammar, words = drawn
    outcome = claim_outcome(f"xyz: \u201c{words.strip()}.\u201d", ["zzz"], grammar.language).outcome
    assert "not_asserted" == outcome


@given(AROUND)
def test_the_clause_that_decided_is_told(drawn: tuple[Grammar, str]) -> None:
    """A reading shows the clause with the pattern, and the rule."""
    grammar, words = drawn
    reading = claim_outcome(words, ["zzz"], grammar.language)
    assert "zzz" in reading.clause
    assert reading.reason


@given(st.text(), st.text(min_size=1), st.sampled_from([None, "en", "de", "pl", "ru"]))
def test_any_text_is_read(message: str, pattern: str, language: Any) -> None:
    """No message raises; a pattern without words is refused."""
    try:
        reading = claim_outcome(message, [pattern], language)
    except ConfigurationError:
        assert not any(c.isalnum() for c in unicodedata.normalize("NFKC", pattern))
    else:
        assert reading.outcome in ("asserted", "denied", "not_asserted", "unclear")


@given(st.from_regex(r"[a-mo-tv-z]{1,5}", fullmatch=True))
def test_a_part_of_a_word_is_not_the_word(letters: str) -> None:
    """A pattern is found as a whole word only."""
    for word in (f"{letters}booked", f"booked{letters}", f"{letters}-booked", f"booked_{letters}"):
        assert "not_asserted" == claim_outcome(f"It was {word}.", ["booked"], "en").outcome


@pytest.mark.parametrize(
    ("message", "language", "reading"),
    [
        (
            "Your letter is ready. Nothing was sent yet, sorry.",
            "en",
            ClaimReading("denied", "Nothing was sent yet", "negated by “nothing”"),
        ),
        (
            "We compared two rooms.",
            "en",
            ClaimReading("not_asserted", "", "none of the patterns is in the message"),
        ),
        (
            "I cannot say, but the draft may be sent.",
            "en",
            ClaimReading(
                "not_asserted",
                "but the draft may be sent",
                "says what may, should or will be: “may”",
            ),
        ),
        (
            "Not the draft was sent.",
            "en",
            ClaimReading("unclear", "Not the draft was sent", "what “not” negates cannot be told"),
        ),
        (
            "Sent. Correction: not sent.",
            "en",
            ClaimReading("denied", "not sent", "negated by “not”; it corrects what came before"),
        ),
        (
            "zzz kein sent",
            None,
            ClaimReading("denied", "zzz kein sent", "negated by “kein”"),
        ),
        (
            "is nie sent",
            None,
            ClaimReading("unclear", "", "the language cannot be told, and it matters"),
        ),
    ],
)
def test_a_reading_is_explained(message: str, language: Any, reading: ClaimReading) -> None:
    """The clause found and the rule that decided, in words."""
    assert reading == claim_outcome(message, ["sent"], language)


@pytest.mark.parametrize(
    "message",
    [
        "The mail was not confirmed, checked or sent.",
        "The mail was not, as you can see, sent.",
        "The draft was not checked and sent.",
        "None of the drafts, letters or mails was sent.",
        "No draft and mail was sent.",
        "No one told me the mail was sent.",
        "The mail is sent, if the server agrees.",
        'The state is "sent".',
        "\u201cThe mail is sent.",
        "I wish I had sent it.",
        "I never did not send it: it was not never sent.",
        "I thought it was sent.",
        "The mail was sent, but it was not.",
    ],
)
def test_what_cannot_be_decided_is_unclear(message: str) -> None:
    """Where a negation or a condition may or may not reach the words, nothing is guessed."""
    assert "unclear" == claim_outcome(message, ["sent"], "en").outcome


def test_a_pattern_may_be_long() -> None:
    """A pattern is found however many words it has."""
    pattern = "word " * 30
    assert "asserted" == claim_outcome(f"a {pattern} b", [pattern], "en").outcome


@pytest.mark.parametrize(
    ("patterns", "what"),
    [([], "a claim without patterns"), (["sent", " !"], "the pattern ' !' has no words")],
)
def test_a_claim_with_nothing_to_look_for_is_refused(patterns: list[str], what: str) -> None:
    """Such a claim would never be found in any message."""
    with pytest.raises(ConfigurationError) as raised:
        claim_outcome("sent", patterns)
    assert what == raised.value.what


@pytest.mark.parametrize("grammar", GRAMMARS, ids=lambda grammar: grammar.language)
def test_word_lists_hold_no_phrase_that_is_never_found(grammar: Grammar) -> None:
    """No phrase is empty, too long, twice in a role, or spelt as the text is not."""
    assert LONGEST_PHRASE >= max(len(phrase.split()) for phrase in _phrases(grammar))
    for listed in grammar.phrases.values():
        phrases = [fold(phrase).split() for phrase in listed]
        assert [] not in phrases
        assert [p for n, p in enumerate(phrases) if p in phrases[:n]] == []
        for words in phrases:
            assert [part for word in words for part in grammar.split(word)] == words


@pytest.mark.parametrize(
    ("language", "pattern", "message"),
    [
        ("en", "paid 10,000 dollars", "I paid 10\u00a0000 dollars."),
        ("en", "paid 10 dollars", "I paid $10.00 dollars."),
        ("en", "1,234,567.5", "It came to 1\u202f234\u202f567.50."),
        ("de", "auf 10.000,50 Euro", "Erhöht auf 10\u2019000,5 Euro."),
        ("de", "1.234.567", "Es sind 1 234 567."),
        ("pl", "10,5 zł", "Zwrócono 10.50 zł."),
        ("pl", "-10", "Saldo: \u201310."),
        ("ru", "\u221210 000", "Баланс (-10000)."),
    ],
)
def test_one_number_is_found_in_any_notation(language: Any, pattern: str, message: str) -> None:
    """Groups, decimals and the minus sign may be written otherwise in the pattern."""
    assert "asserted" == claim_outcome(message, [pattern], language).outcome


@pytest.mark.parametrize("language", ["en", "de", "pl", "ru"])
@pytest.mark.parametrize(
    "message",
    [
        *("10 000", "10\u00a0000", "10'000", "10\u2019000", "-10", "\u221210", "-$10", "10,5"),
        *("10.5", "110", "10:30", "10\u201312", "10.05.2024", "10 000\u201312 000", "10,000"),
    ],
)
def test_a_part_of_a_number_is_not_the_number(language: Any, message: str) -> None:
    """A group, the digits behind a minus sign and those before decimals are no number."""
    for pattern in ("10", "000", "5"):
        assert "not_asserted" == claim_outcome(f"xyz {message} zzz", [pattern], language).outcome


@pytest.mark.parametrize(
    ("message", "outcome"),
    [
        ("Everything, except the taxi, is booked.", "unclear"),
        ("All rooms (apart from the suite) are booked.", "unclear"),
        ("All rooms are booked. Except the suite.", "unclear"),
        ("All rooms are booked, paid and confirmed, except the suite.", "unclear"),
        ("No room but one was booked.", "unclear"),
        ("All but one of the rooms are booked.", "unclear"),
        ("Besides the hotel, I also booked the taxi.", "asserted"),
        ("All rooms are booked. Besides that, I paid for them.", "asserted"),
        ("I booked the room, but one guest cannot come.", "asserted"),
        ("All rooms are booked without exception.", "asserted"),
        ("All rooms are booked, except that breakfast is extra.", "asserted"),
    ],
)
def test_what_leaves_something_out_is_not_the_whole(message: str, outcome: str) -> None:
    """An exception makes a statement one of a part, wherever it stands; an addition does not."""
    assert outcome == claim_outcome(message, ["booked"], "en").outcome


@pytest.mark.parametrize(
    ("language", "message", "pattern", "outcome"),
    [
        ("en", "I called so that it is checked and cancelled.", "cancelled", "unclear"),
        ("en", "I was able to book the room.", "book", "asserted"),
        ("en", "I decided to cancel the order.", "cancel", "not_asserted"),
        ("en", "The status was changed to paid.", "paid", "asserted"),
        ("en", "Having booked the room, I sent you the code.", "booked", "asserted"),
        ("en", "The refund you requested has been issued.", "issued", "asserted"),
        ("en", "It is important that the room be booked.", "booked", "not_asserted"),
        ("en", "He insisted that the room was booked.", "booked", "unclear"),
        ("en", "- Flight booking: failed", "booking", "denied"),
        ("en", "I refunded two failed payments.", "refunded", "asserted"),
        ("en", "The card for the booking failed.", "booking", "unclear"),
        ("de", "Ich habe vergessen, den Brief zu schicken.", "schicken", "denied"),
        ("de", "Ohne den Brief zu schicken, ging ich.", "schicken", "denied"),
        ("de", "Das Scheitern der Zahlung ist bekannt.", "zahlung", "denied"),
        ("pl", "Udało się anulować lot i opłacić hotel.", "opłacić", "asserted"),
        ("pl", "Poza tym wysłałem list.", "wysłałem", "asserted"),
        ("ru", "Не удалась, к сожалению, оплата.", "оплата", "denied"),  # noqa: RUF001
        ("ru", "Я не смог отменить заказ.", "отменить", "denied"),
    ],
)
def test_an_act_that_is_named_is_not_yet_done(
    language: Any, message: str, pattern: str, outcome: str
) -> None:
    """Aims, requests and failures are told from what was done, by what governs the words."""
    assert outcome == claim_outcome(message, [pattern], language).outcome


def test_a_language_is_read_only_where_it_is_asked_for() -> None:
    """A claim with a language reads the file of that one alone."""
    ask = """
from oloproof.evaluation.claims import grammar
from oloproof.evaluation.claims.reading import claim_outcome
assert "asserted" == claim_outcome("Die Zahlung wurde erstattet.", ["erstattet"], "de").outcome
assert 1 == grammar.grammar_of.cache_info().currsize
"""
    asked = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=False)
    assert (0, "") == (asked.returncode, asked.stderr)


def test_a_new_language_is_one_file(tmp_path: Path) -> None:
    """A suite may name it, and a message that names none may be in it."""
    for known in (Path(grammar_module.__file__).parent / "languages").iterdir():
        shutil.copy(known, tmp_path)
    new = {"negative_prefixes": [], "phrases": {"not": ["ikke"], "auxiliary": ["er", "blev"]}}
    (tmp_path / "da.json").write_text(json.dumps(new))
    ask = """
import sys
from pathlib import Path
from oloproof.evaluation.claims import grammar
grammar._FOLDER = Path(sys.argv[1])
from oloproof.evaluation.claims.options import ClaimOptions
from oloproof.evaluation.claims.reading import claim_outcome

line = {"type": "claims", "says": ("betalt",), "language": "da", "forbidden": True}
assert "da" == ClaimOptions.model_validate(line).language
for language in ("da", None):
    assert "denied" == claim_outcome("Regningen blev ikke betalt.", ["betalt"], language).outcome
"""
    asked = subprocess.run(
        [sys.executable, "-c", ask, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert (0, "") == (asked.returncode, asked.stderr)
