"""Numbers as people read them."""

from __future__ import annotations

import pytest

from oloproof.reporting.terminal.text import count, duration, fraction, level, moment, tally


@pytest.mark.parametrize(
    ("value", "apart", "expected"),
    [
        (None, (), "none"),
        (0.0, (), "0.000"),
        (2 / 3, (), "0.667"),
        (1.0, (), "1.000"),
        (0.9997, (), "0.9997"),
        (0.99999, (), "0.99999"),
        (0.00004, (), "0.00004"),
        (0.84996, (0.85,), "0.84996"),
        (0.85, (0.85,), "0.850"),
    ],
)
def test_a_fraction_stays_on_its_side(
    value: float | None, apart: tuple[float, ...], expected: str
) -> None:
    """Rounding never turns nearly all into all, or what misses a bar into what reaches it."""
    assert expected == fraction(value, *apart)


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (0.0312, "31 ms"),
        (2.41, "2.4 s"),
        (61, "1 min 1 s"),
        (3599.7, "1 h 0 min"),
        (7384, "2 h 3 min"),
    ],
)
def test_a_duration_has_the_units_that_matter(seconds: float, expected: str) -> None:
    """Milliseconds for an instant, hours for a night."""
    assert expected == duration(seconds)


@pytest.mark.parametrize(
    ("stamp", "expected"),
    [
        ("2026-03-04T10:11:12.345678+00:00", "2026-03-04 10:11Z"),
        ("2026-03-04T10:11:12+02:00", "2026-03-04 10:11+02:00"),
        ("2026-03-04T10:11:12", "2026-03-04 10:11"),
        ("long ago", "long ago"),
    ],
)
def test_a_moment_keeps_its_zone(stamp: str, expected: str) -> None:
    """A moment is shortened to the minute, never moved."""
    assert expected == moment(stamp)


def test_counts_bear_their_nouns() -> None:
    """One is singular, many are grouped by thousands."""
    assert ("1 case", "2 cases", "1 copy", "1,000 copies") == (
        count(1, "case"),
        count(2, "case"),
        count(1, "copy", "copies"),
        count(1000, "copy", "copies"),
    )
    assert "12 b, 2 a, 2 c" == tally({"a": 2, "b": 12, "c": 2})
    assert ("95 %", "99.9 %") == (level(0.95), level(0.999))
