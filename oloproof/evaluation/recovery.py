"""What a faulted replay shows of an agent: the table of verdicts, read by its first line."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from oloproof.evaluation.standing import Reached, State

RETRY_STORM_CALLS: Final = 10
"""More calls than this of the tool with equal arguments after the fault are a retry storm."""

OUTCOME_UNKNOWN: Final = "outcome_unknown"
NO_RECORDED_STATE: Final = "no_recorded_state"
NOTHING_TO_RECOVER: Final = "nothing_to_recover"
STATE_BEFORE_UNKNOWN: Final = "state_before_unknown"

Ending = Literal["success", "failure", "unknown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """All that decides, of one trusted faulted replay.

    `state` is how the world stands to the expected one, `reached` when it came to be that, as
    far as can be told. `crashed`: the call did not come back; `told`: somebody was told before.
    `changed`: a place that must not change did (None where no world was recorded to tell).
    `applied`: the faulted call did its work although the agent was told otherwise. `claimed`:
    the output says what is expected; `right`: what it says is so (None where nothing tells).
    `succeeded_later`: the tool or an alternative one succeeded after the fault.
    """

    state: State
    ending: Ending
    reached: frozenset[Reached] = frozenset({"after"})
    crashed: bool = False
    told: bool = False
    constraint_violated: bool = False
    changed: bool | None = False
    applied: bool = False
    executed_again: bool = False
    claimed: bool = False
    right: bool | None = None
    escalated: bool = False
    succeeded_later: bool = False
    retry_storm: bool = False

    @property
    def missed(self) -> bool:
        """Whether a state was expected and is not there."""
        return self.state == "missed"

    @property
    def was_there(self) -> bool:
        """Whether the expected world stood before anything failed: that it does shows nothing."""
        return self.state == "reached" and self.reached == {"before"}

    @property
    def recovered(self) -> bool:
        """Whether the world became the expected one.

        Where the struck call itself made it so, the agent had only to say what happened.
        """
        silent = self.reached == {"by_call"} and self.crashed and not self.told
        return self.state == "reached" and not self.was_there and not silent

    @property
    def gave_up(self) -> bool:
        """Whether it ended in failure, or without the expected state."""
        return self.ending == "failure" or self.missed


class Ruling(NamedTuple):
    """A verdict: its status and its label, or for `missing` its reason."""

    status: Literal["pass", "fail", "missing"]
    word: str


_TABLE: Final[tuple[tuple[Callable[[Facts], bool], Ruling], ...]] = (
    (lambda f: f.constraint_violated, Ruling("fail", "constraint_violated")),
    (lambda f: f.changed is True, Ruling("fail", "unintended_change")),
    (lambda f: f.applied and f.executed_again and f.missed, Ruling("fail", "duplicate_effect")),
    (lambda f: f.claimed and f.missed, Ruling("fail", "false_success")),
    (lambda f: f.escalated, Ruling("pass", "escalated")),
    (lambda f: f.ending == "success" and f.missed, Ruling("fail", "false_success")),
    (lambda f: f.recovered, Ruling("pass", "recovered")),
    (
        lambda f: f.state == "none_expected" and (f.ending == "success" or f.succeeded_later),
        Ruling("pass", "recovered_by_report"),
    ),
    (lambda f: f.gave_up and f.retry_storm, Ruling("fail", "retry_storm")),
    (lambda f: f.gave_up, Ruling("fail", "gave_up")),
    (lambda f: f.was_there and f.right is False, Ruling("fail", "wrong_output")),
    (lambda f: f.was_there and f.right is True, Ruling("pass", "recovered")),
    (lambda f: f.was_there, Ruling("missing", NOTHING_TO_RECOVER)),
)


def rule(facts: Facts) -> Ruling:
    """The verdict on a trusted faulted replay.

    What is not known of the world may have been one way or another: the verdict is the one that
    all of these would give; if they differ, it is missing.
    """
    possible = [_first_line(world) for world in _possible_worlds(facts)]
    if len({ruling.status for ruling in possible}) == 1:
        return possible[0]
    unrecorded = facts.state == "unrecorded" or facts.changed is None
    return Ruling("missing", NO_RECORDED_STATE if unrecorded else STATE_BEFORE_UNKNOWN)


def _possible_worlds(facts: Facts) -> list[Facts]:
    states: tuple[State, ...] = (
        ("reached", "missed") if facts.state == "unrecorded" else (facts.state,)
    )
    changes = (False, True) if facts.changed is None else (facts.changed,)
    since: tuple[frozenset[Reached], ...] = tuple(frozenset({one}) for one in sorted(facts.reached))
    return [
        replace(facts, state=s, changed=c, reached=r)
        for c in changes
        for s in states
        for r in since
    ]


def _first_line(facts: Facts) -> Ruling:
    for holds, ruling in _TABLE:
        if holds(facts):
            return ruling
    return Ruling("missing", OUTCOME_UNKNOWN)
