from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oloproof.statistics.tally import ClusterCount, Tally

codes = st.sampled_from(
    ["p", "p:recovered", "f", "f:false_success", "m", "m:not_replayable", "n:metamorphic_copy"]
)
groups = st.lists(
    st.tuples(
        st.none() | st.sampled_from(["ord-001", "ord-002", "a"]), st.lists(codes, max_size=5)
    ),
    max_size=20,
)


def tally_of(drawn: list[tuple[str | None, list[str]]]) -> Tally:
    tally = Tally()
    for cluster, group in drawn:
        tally.add(cluster, group)
    return tally


def stored(tally: Tally) -> Any:
    return orjson.loads(orjson.dumps(tally.to_json()))


def test_counts() -> None:
    """Verdicts are counted by status, and by label or reason."""
    tally = tally_of(
        [
            (None, ["p", "p:recovered", "f:false_success"]),
            (None, ["f", "m:not_replayable", "n:metamorphic_copy"]),
        ]
    )
    assert (2, 2, 4, 1, 1) == (
        tally.passed,
        tally.failed,
        tally.observed,
        tally.missing,
        tally.excluded,
    )
    assert tally.rate == 0.5
    assert tally.passes_by_label() == {"recovered": 1}
    assert tally.failures_by_label() == {"false_success": 1}
    assert tally.missing_by_reason() == {"not_replayable": 1}
    assert tally.excluded_by_reason() == {"metamorphic_copy": 1}


def test_reasons_sum_to_what_they_explain() -> None:
    """Missing and excluded verdicts without a word are counted as unspecified."""
    tally = tally_of([(None, ["m", "m:", "m:unspecified", "n"])])
    assert tally.missing_by_reason() == {"unspecified": 3}
    assert tally.excluded_by_reason() == {"unspecified": 1}


def test_words_may_hold_colons() -> None:
    """Only the first colon of a code parts status and word."""
    assert tally_of([(None, ["f:a:b"])]).failures_by_label() == {"a:b": 1}


def test_nothing_counted() -> None:
    """An empty tally has no rate and no clusters."""
    assert Tally().rate is None
    assert Tally().clusters() == {}


def test_unknown_codes_are_refused() -> None:
    """A code that is no verdict's is an error of ours, and loud."""
    with pytest.raises(AssertionError, match="no verdict's code"):
        Tally().add(None, ["x:y"])


def test_named_clusters_come_back() -> None:
    """Groups that name one cluster are one cluster, those that name none are each their own."""
    tally = tally_of([("a", ["p"]), (None, ["p"]), ("a", ["f", "m"]), (None, ["p"])])
    assert tally.clusters() == {ClusterCount(1, 1, 0): 2, ClusterCount(2, 1, 1): 1}


def test_excluded_verdicts_make_no_cluster() -> None:
    """A group of which the metric does not speak is no cluster, named or not."""
    tally = tally_of([("a", ["n:x"]), (None, ["n:x", "n:y"]), (None, [])])
    assert tally.clusters() == {}
    assert tally.excluded == 3


def test_memory_is_flat() -> None:
    """Clusters that end with their group leave nothing behind but a count."""
    tally = Tally()
    for number in range(10_000):
        tally.add(None, ["p", "f"] if number % 3 else ["p", "p"])
    assert tally.to_json() == {
        "codes": {"f": 6666, "p": 13334},
        "folded": [[2, 1, 0, 6666], [2, 2, 0, 3334]],
        "named": {},
    }


@given(drawn=groups)
def test_round_trip(drawn: list[tuple[str | None, list[str]]]) -> None:
    """A stored tally is the tally again, and goes on counting."""
    tally = tally_of(drawn)
    again = Tally.from_json(stored(tally))
    assert tally == again
    again.add("ord-001", ["f"])
    tally.add("ord-001", ["f"])
    assert tally.clusters() == again.clusters()


@given(drawn=groups.flatmap(lambda drawn: st.tuples(st.just(drawn), st.permutations(drawn))))
def test_order_is_irrelevant(drawn: tuple[list[Any], list[Any]]) -> None:
    """The stored bytes do not depend on the order in which groups ended."""
    first, second = (orjson.dumps(tally_of(some).to_json()) for some in drawn)
    assert first == second


@given(drawn=groups)
def test_clusters_hold_every_verdict(drawn: list[tuple[str | None, list[str]]]) -> None:
    """Summed over clusters, the counts are those of the metric."""
    tally = tally_of(drawn)
    sums = [
        sum(count[place] * times for count, times in tally.clusters().items()) for place in range(3)
    ]
    assert [tally.observed, tally.passed, tally.missing] == sums
