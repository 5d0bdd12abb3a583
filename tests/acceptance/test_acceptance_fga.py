"""Dialogues of MultiWOZ with a tracker's working state, judged as their authors published."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from acceptance_data import read_lines

if TYPE_CHECKING:
    from pathlib import Path

    from acceptance_data import JudgedProject

    from oloproof.evaluation.contract import Comparison


@pytest.fixture
def dialogues(data: Path, judged: JudgedProject) -> list[dict[str, Any]]:
    """The dialogues, once they were judged."""
    found = list(read_lines(data / "fga_multiwoz" / "fga_multiwoz.jsonl"))
    judged.write(
        (
            {
                "id": dialogue["id"],
                "turns": [turn["user"] for turn in dialogue["turns"]],
                "expected": {
                    "turns": {
                        str(turn["turn"]): {"active": turn["state"]} for turn in dialogue["turns"]
                    }
                },
            }
            for dialogue in found
        ),
        (
            {
                "case": dialogue["id"],
                "active": [
                    {"turn": turn["turn"], "state": turn["predicted"]} for turn in dialogue["turns"]
                ],
            }
            for dialogue in found
        ),
        [{"type": "state_matches", "of": "active"}],
    )
    judged.run()
    return found


def compared_by_turn(judged: JudgedProject) -> dict[tuple[str, int], list[Comparison]]:
    """What was compared in each turn of each dialogue."""
    out: dict[tuple[str, int], list[Comparison]] = {}
    for name, verdict in judged.verdicts("state_matches"):
        for place in verdict.compared:
            assert place.turn is not None
            out.setdefault((name, place.turn), []).append(place)
    return out


def test_each_turn_agrees_with_the_published_flag(
    dialogues: list[dict[str, Any]], judged: JudgedProject
) -> None:
    """The working state after a turn is the expected one just where the authors found it so."""
    compared = compared_by_turn(judged)
    agree = [
        all(place.passed for place in compared[dialogue["id"], turn["turn"]])
        == turn["matched_published"]
        for dialogue in dialogues
        for turn in dialogue["turns"]
    ]
    assert (751, 751) == (len(agree), sum(agree))


def test_a_revised_slot_is_told_from_one_that_kept_its_old_value(
    dialogues: list[dict[str, Any]], judged: JudgedProject
) -> None:
    """After a revision a slot holds the new value, still the old one, or none."""
    compared = compared_by_turn(judged)
    told = Counter(
        outcome_of(flag["path"], compared[dialogue["id"], turn["turn"]])
        for dialogue in dialogues
        for turn in dialogue["turns"]
        for flag in turn["flags"]
        if flag["kind"] == "revision"
    )
    assert {"new value": 37, "old value": 11, "absent": 1} == told


def outcome_of(path: str, places: list[Comparison]) -> str:
    """What the comparisons of a turn say of one slot."""
    wrong = [p for p in places if not p.passed and (path + ".").startswith(p.path + ".")]
    if not wrong:
        return "new value"
    (place,) = wrong
    if place.note is not None and "still the value of turn" in place.note:
        return "old value"
    return "another value" if place.actual else "absent"
