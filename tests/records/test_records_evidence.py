"""Whether a replay may count, in memory and as it is stored."""

from __future__ import annotations

from typing import Any

import pytest

from oloproof.records.evidence import (
    COMPLETED,
    CaseEvidence,
    Divergence,
    ReplayEvidence,
    can_be_replayed,
    is_trusted,
)

RAN = CaseEvidence(COMPLETED)
DIVERGED = Divergence("changed_output", "output", 1, 2)


@pytest.mark.parametrize(
    ("trusted", "case", "reason", "divergence"),
    [
        (True, RAN, None, None),
        (False, None, None, None),
        (False, RAN, "outage", None),
        (False, RAN, None, DIVERGED),
        (False, None, "not_replayable", None),
    ],
)
def test_a_replay_counts_where_it_ran_and_nothing_stands_against_it(
    trusted: bool, case: Any, reason: str | None, divergence: Divergence | None
) -> None:
    """Its stored form says the same as it does itself."""
    replay = ReplayEvidence("resume", 1, "recorded", case, reason=reason, divergence=divergence)
    stored = replay.to_json(None if case is None else {"outcome": COMPLETED.to_json()})
    assert trusted == replay.trusted == is_trusted(stored)
    assert trusted == ReplayEvidence.from_json(stored, None).trusted


@pytest.mark.parametrize(
    ("replayed", "recording"),
    [
        (True, {"outcome": {"status": "completed"}}),
        (True, {"outcome": {"status": "raised"}}),
        (False, {"outcome": {"status": "outage"}}),
        (False, {"outcome": {"status": "completed"}, "effect_after_end": ["pay"]}),
    ],
)
def test_what_met_an_outage_or_went_on_after_its_end_is_not_replayed(
    replayed: bool, recording: Any
) -> None:
    """Nothing that a replay of it did would say anything."""
    assert replayed == can_be_replayed(recording)
