"""What the explanation of claims says of sentences is what comes of reading them."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from docs_pages import ROOT

from oloproof.evaluation.claims.reading import claim_outcome

if TYPE_CHECKING:
    from collections.abc import Callable

PAGE = (ROOT / "docs" / "explanation" / "claims.md").read_text(encoding="utf-8")
DATA = ROOT / "tests" / "evaluation" / "data"
LOTS = {
    "corpus": "",
    "further, first lot": "further",
    "further, second lot": "second",
    "by kind": "by kind",
    "unseen": "unseen",
}
KINDS = {
    "aims": "aim",
    "what failed": "failed",
    "exceptions": "except",
    "acts as subjects": "gerund",
    "requests": "asks",
    "numbers": "numbers",
    "plain statements and denials": "plain",
}
LANGUAGES = {"English": "en", "German": "de", "Polish": "pl", "Russian": "ru"}
SENTENCES: list[dict[str, Any]] = [
    json.loads(line)
    for name in (
        "claims.jsonl",
        "claims_further.jsonl",
        "claims_by_kind.jsonl",
        "claims_unseen.jsonl",
    )
    for line in (DATA / name).read_text(encoding="utf-8").splitlines()
]
MISREAD_FIRST: dict[str, str] = json.loads((DATA / "claims_by_kind_first.json").read_text())
READ = {
    item["id"]: claim_outcome(item["sentence"], item["claim"]["patterns"], item["language"]).outcome
    for item in SENTENCES
}


def rows(head: str) -> list[list[str]]:
    """The rows of the table whose first row begins with `head`."""
    _, _, rest = PAGE.partition(f"\n| {head} |")
    lines = rest.partition("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def told(outcome: str) -> str:
    return outcome.replace("_", " ")


def lot_of(item: dict[str, Any]) -> str:
    found = re.search(r"-(further|second|unseen)-", item["id"])
    return found[1] if found else "by kind" if "kind" in item else ""


def right(items: list[dict[str, Any]]) -> str:
    hits = sum(READ[item["id"]] == item["outcome"] for item in items)
    return f"{hits} of {len(items)}"


def test_the_sentences_shown_are_read_as_shown() -> None:
    """Each sentence of the examples has the outcome that stands beside it."""
    shown = rows("sentence")
    read = [told(claim_outcome(sentence, [word], "en").outcome) for sentence, word, _ in shown]
    assert [outcome for *_, outcome in shown] == read
    assert {"asserted", "denied", "not asserted", "unclear"} == set(read)


def test_how_many_are_read_rightly() -> None:
    """The page counts the sentences by lot and by language, as they are read now."""
    by_lot = {lot: [s for s in SENTENCES if lot_of(s) == word] for lot, word in LOTS.items()}
    assert {lot: right(items) for lot, items in by_lot.items()} == {
        lot: now for lot, _, now in rows("sentences")
    }
    spoken = {name: [s for s in SENTENCES if s["language"] == c] for name, c in LANGUAGES.items()}
    assert {name: right(items) for name, items in spoken.items()} == dict(rows("language"))
    assert f"held against {len(SENTENCES)} sentences" in PAGE


def test_the_first_readings_stand_as_they_were() -> None:
    """What came of a first reading is never improved afterwards."""
    first = {lot: count for lot, count, _ in rows("sentences")}
    assert ["138 of 149", "57 of 65", "41 of 49", "112 of 200", "54 of 60"] == list(first.values())
    by_kind = [item["id"] for item in SENTENCES if lot_of(item) == "by kind"]
    assert 200 - 112 == len(MISREAD_FIRST.keys() & by_kind)


def by_language(items: list[dict[str, Any]], cell: Callable[[list[dict[str, Any]]], str]) -> Any:
    spoken = [[s for s in items if s["language"] == code] for code in LANGUAGES.values()]
    return [cell(some) for some in [*spoken, items]]


def fixed(items: list[dict[str, Any]]) -> str:
    return f"{sum(item['id'] not in MISREAD_FIRST for item in items)} → {right(items)}"


@pytest.mark.parametrize(
    ("head", "lot", "cell"), [("kind", "by kind", fixed), ("kind, unseen", "unseen", right)]
)
def test_how_many_of_each_kind_are_read_rightly(
    head: str, lot: str, cell: Callable[[list[dict[str, Any]]], str]
) -> None:
    """The hits by kind and language are those of the first reading and of now."""
    items = [item for item in SENTENCES if lot_of(item) == lot]
    counted = {
        name: by_language([item for item in items if item["kind"] == kind], cell)
        for name, kind in KINDS.items()
    }
    counted["together"] = by_language(items, cell)
    assert counted == {row[0]: row[1:] for row in rows(head)}


def test_every_sentence_that_is_misread_is_listed() -> None:
    """The list has exactly the misread ones, word for word, with what is right and what is read."""
    missed = [
        [item["id"], item["sentence"], told(item["outcome"]), told(READ[item["id"]])]
        for item in SENTENCES
        if READ[item["id"]] != item["outcome"]
    ]
    listed = rows("id")
    assert missed == [row[:4] for row in listed]
    assert all(why for *_, why in listed)


def test_what_the_misreadings_cost() -> None:
    """The page counts them by what they are read as, and no claim that is made is overlooked."""
    read = Counter(row[3] for row in rows("id"))
    words = re.search(
        r"Of the (\d+) that are misread now, (\d+) are unclear.*\n(\w+) denials count as not "
        r"asserted.*\n(\w+) count as asserted",
        PAGE,
    )
    assert words is not None
    numbers = {"Four": 4, "Eight": 8}
    total, unclear, not_asserted, asserted = (numbers.get(w) or int(w) for w in words.groups())
    assert total == read.total()
    assert {"unclear": unclear, "not asserted": not_asserted, "asserted": asserted} == read
    assert {"denied"} == {row[2] for row in rows("id") if row[3] == "not asserted"}
    assert {"unclear"} == {row[3] for row in rows("id") if row[2] == "asserted"}
