from __future__ import annotations

from oloproof.gating.drops import tell_drops
from oloproof.statistics.tally import Tally


def tally(*codes: str) -> Tally:
    counted = Tally()
    for code in codes:
        counted.add(None, [code])
    return counted


def test_a_metric_that_speaks_of_less_is_told() -> None:
    """It is said how much less, since which run, and what is excluded since."""
    now = tally(*["p"] * 18, *["n:fault_target_not_called"] * 6, *["n:metamorphic_copy"] * 24)
    then = tally(*["p"] * 18, *["f"] * 6, *["n:metamorphic_copy"] * 24)
    expected = (
        "`recovers` speaks of 18 results, and spoke of 24 in run 3: "
        "more is excluded (fault_target_not_called 6)."
    )
    assert [expected] == tell_drops({"recovers": now}, {"recovers": then}, run=3)


def test_fewer_cases_are_told_without_a_reason() -> None:
    """Where nothing more is excluded, the numbers alone are said."""
    expected = "`m` speaks of 1 result, and spoke of 2 in run 1."
    assert [expected] == tell_drops({"m": tally("p")}, {"m": tally("p", "f")}, run=1)


def test_what_is_missing_is_still_spoken_of() -> None:
    """A result that is missing is counted as such, and is no drop; nor is a new metric."""
    now = {"m": tally("p", "m:outage"), "new": tally("p")}
    assert [] == tell_drops(now, {"m": tally("p", "p"), "gone": tally("p")}, run=1)
