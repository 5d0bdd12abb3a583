"""Where a value stands in a text as a whole part of it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oloproof.evaluation.conversations.recurrences import wanted
from oloproof.paths import MISSING

WHOLE, PART, UNCLEAR, NOT = "whole", "part", "unclear", "not"


def found(old: Any, value: Any) -> str:
    one = wanted(old)
    if one.is_whole(value):
        return WHOLE
    spans = one.spans(value) if isinstance(value, str) else []
    if not spans:
        return NOT
    return PART if any(span.certain for span in spans) else UNCLEAR


TEXTS = {
    "out/reports": {
        WHOLE: ["out/reports"],
        PART: [
            "mkdir -p out/reports && cp a.md b",
            "cp x out/reports",
            "cp x out//reports",
            "cp x out\\/reports",
            "out/./reports/may.txt",
            "out/reports/may.txt",
            "/srv/out/reports/may.txt",
            "./out/reports",
            "--dir=out/reports",
            "'out/reports'",
            "(out/reports)",
            "dir:out/reports,mode:w",
            "x@out/reports",
            "Write it to out/reports.",
            "out/reports: written",
            "folder=out%2Freports&n=1",
        ],
        NOT: [
            "out/reports-new",
            "out/reports-index.md",
            "out/reports.bak",
            "out/reports2",
            "out/reports_old",
            "myout/reports",
            "my-out/reports",
            "out/report",
            "out reports",
        ],
    },
    "out/reports/": {PART: ["out/reports", "out/reports/may.txt"], NOT: ["out/reports-new/a"]},
    "./out": {PART: ["out/may.txt"]},
    "/tmp/a": {
        PART: ["cat </tmp/a", "file:///tmp/a", "/tmp/a/b"],
        NOT: ["/var/tmp/a", "./tmp/a", "~/tmp/a", "/tmp/ab"],
    },
    "C:\\out": {PART: ["copy C:\\out\\a.txt D:\\"], NOT: ["C:\\output"]},
    "New York": {
        PART: ["to New  York,", "New\nYork's", "q=New%20York"],
        NOT: ["New Yorker", "new york"],
    },
    "Berlin": {PART: ["In Berlin!", "“Berlin”"], NOT: ["Berlin-Mitte", "Berliner", "Oberlin"]},
    "München": {PART: ["Fahrt nach Mu\u0308nchen"]},
    "Łódź": {PART: ["Jedź do: Łódź."], NOT: ["Łódźka"]},
    "C": {PART: ["C, D"], NOT: ["C++ 17", "C#", "ABC"]},
    "a@x.org": {PART: ["To: <a@x.org>"], NOT: ["aa@x.org", "a@x.org.uk"]},
    "2026-05-01": {PART: ["from 2026-05-01T10:00"], NOT: ["2026-05-011", "12026-05-01"]},
    "10:00": {PART: ["2026-05-01T10:00:00", "10:00Z"], NOT: ["110:00"]},
    "on": {WHOLE: ["on"], PART: ["x=on"], UNCLEAR: ["a report on May", "On, on."], NOT: ["one"]},
    "12": {WHOLE: [12, "12", 12.0], PART: ["for 12 people"], NOT: [True, "A12"]},
    "007": {WHOLE: ["007"], NOT: [7, "7", "for 7 people"]},
    "": {NOT: ["a", " "]},
}

NUMBERS = {
    12: {
        WHOLE: [12, 12.0, "12", "12.0", " 12\n", "+12"],
        PART: [
            "for 12 people",
            "12 people",
            "n=12",
            "n:12;",
            "(12)",
            "12.",
            "12, then 3",
            "10, 12, 14",
            "#12",
            "12%",
            "€12",
            "'12'",
            "12.00 each",
            "orders/12/lines",
            "localhost:12",
            "n=12%20",
        ],
        UNCLEAR: ["12,5", "10,12,14", "12,000", "12 000", "12.000", "12.000 Euro", "3/12"],
        NOT: [
            True,
            None,
            [12],
            "112",
            "121",
            "A12",
            "v12",
            "12a",
            "A-12",
            "A-1204",
            "12-A",
            "12.5",
            "3.12",
            "1.12.3",
            ".12",
            "012",
            "x_12",
            "12_x",
            "-12",
            "to -12",
            "1e12",
            "12.pdf",
            "12:30",
            "at 9:12",
            "2026-12-05",
            "2026-05-01T12:00:00Z",
            "12/05/2026",
            "12.05.2026",
        ],
    },
    12.5: {WHOLE: ["12.50"], PART: ["for 12.5 kg"], UNCLEAR: ["12,5"], NOT: ["112.5", "12.55"]},
    12000: {
        WHOLE: ["12000"],
        UNCLEAR: [
            "12,000",
            "12.000",
            "12 000",
            "12\u202f000",
            "12\u2019000",
            "12,000.00",
            "12.000,00",
        ],
        NOT: ["112,000", "12,0000", "12"],
    },
    -5: {WHOLE: ["-5"], PART: ["at -5 degrees", "x=\u22125"], NOT: ["5", "3-5"]},
    1: {NOT: [True, "true"]},
}

ROWS = [
    (old, value, how)
    for table in (TEXTS, NUMBERS)
    for old, kinds in table.items()
    for how, values in kinds.items()
    for value in values
]


@pytest.mark.parametrize(("old", "value", "how"), ROWS)
def test_a_value_stands_between_separators_or_not_at_all(old: Any, value: Any, how: str) -> None:
    """Longer names and numbers that begin or end alike are other values."""
    assert how == found(old, value)


@pytest.mark.parametrize("old", [None, True, [12], {"a": 12}, [], {}])
def test_what_is_neither_text_nor_number_is_only_found_as_a_whole(old: Any) -> None:
    """No text shows it."""
    assert [WHOLE, NOT, NOT] == [found(old, value) for value in (old, str(old), "12")]
    assert [] == wanted(MISSING).spans("nothing")


names = st.text(st.sampled_from("abé1_"), min_size=1, max_size=6)
values = names | st.integers(-9999, 9999) | st.decimals(0, 999, places=1).map(float)
words = st.text(st.sampled_from("ab12.,:/-_'\" %+T"), max_size=12)


@given(values, st.sampled_from(' "=/(@;|<'), st.sampled_from(' ")/;|>\n'))
def test_between_two_separators_every_value_is_found(value: Any, before: str, after: str) -> None:
    """Whatever stands farther off."""
    assert NOT != found(value, f"words{before}{value}{after}more")


@given(values, words)
def test_any_text_can_be_searched(value: Any, text: str) -> None:
    """What is found lies within it."""
    assert all(0 <= span.start < span.end <= len(text) for span in wanted(value).spans(text))
