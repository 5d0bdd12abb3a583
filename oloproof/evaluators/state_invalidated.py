"""`state_invalidated`: a result is recomputed or marked once what it depends on has changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pydantic import Field

from oloproof.evaluation.comparing.differences import told_more
from oloproof.evaluation.contract import Comparison, failed, not_applicable, passed
from oloproof.evaluation.conversations.dependencies import (
    Dependency,
    Recomputation,
    Standing,
    standings,
)
from oloproof.evaluation.states.options import PathText, PlaceText, parse_all
from oloproof.evaluation.states.snapshots import (
    SnapshotOptions,
    StateCheck,
    named_place,
    unrecorded,
)
from oloproof.evaluation.turns import Conversation
from oloproof.paths import MISSING, Absent, parse
from oloproof.suites.validation import Fields

if TYPE_CHECKING:
    from oloproof.evaluation.contract import Context, Evaluator, Verdict
    from oloproof.evaluation.setting import Setting

_NOTHING_CHANGED: Final = not_applicable(
    "no_dependency_changed", detail="nothing changed on which a result that was there depends"
)


class DependencyFields(Fields):
    """A result at a path, and the paths it depends on.

    It may also be marked as stale by true at `marker`, or be computed again by a tool or a
    committed update of a place that `recomputed_by` names, with whatever outcome.
    """

    result: PlaceText
    depends_on: tuple[PathText, ...] = Field(min_length=1)
    marker: PlaceText | None = None
    recomputed_by: tuple[str, ...] = ()

    def dependency(self) -> Dependency:
        """What these fields declare."""
        return Dependency(
            result=parse(self.result),
            depends_on=parse_all(self.depends_on),
            marker=None if self.marker is None else parse(self.marker),
            recomputed_by=Recomputation.by(self.recomputed_by),
        )


class Options(SnapshotOptions):
    """What depends on what."""

    dependencies: tuple[DependencyFields, ...] = Field(min_length=1)


def build(options: Options, setting: Setting) -> list[Evaluator]:
    """The one evaluator of a line."""
    counts = options.of == "world"
    places = tuple(
        named_place(setting, text, "dependencies", position, *at, counts=counts)
        for position, fields in enumerate(options.dependencies)
        for at, text in (
            (("result",), fields.result),
            *((("depends_on", n), path) for n, path in enumerate(fields.depends_on)),
        )
    )
    return [
        StateInvalidated(
            metric=options.criterion_or_type,
            of=options.of,
            selector=options.selector,
            places=places,
            dependencies=tuple(fields.dependency() for fields in options.dependencies),
        )
    ]


@dataclass(frozen=True, slots=True)
class StateInvalidated(StateCheck):
    """No result outlives what it was computed from, turn by turn."""

    dependencies: tuple[Dependency, ...]

    def evaluate(self, context: Context) -> Verdict:
        """A failure where a stale result stands unmarked."""
        conversation = Conversation(context)
        found = [
            standing
            for dependency in self.dependencies
            for standing in standings(dependency, conversation, self.of)
        ]
        return self.judge_turns(context, lambda seen, turn: self._judge(seen, turn, found))

    def _judge(self, conversation: Conversation, turn: int, found: list[Standing]) -> Verdict:
        if isinstance(conversation.state(self.of, turn), Absent):
            return unrecorded(conversation, self.of, turn)
        ours = [standing for standing in found if standing.turn == turn]
        compared = tuple(_compared(standing) for standing in ours)
        stale = [standing for standing in ours if standing.stale]
        if stale:
            return failed(detail=_told(stale[0]) + told_more(stale), compared=compared)
        if not ours:
            return _NOTHING_CHANGED
        return passed(compared=compared)


def _compared(standing: Standing) -> Comparison:
    changed = f"{_changed(standing)} changed in turn {standing.changed_in}"
    note = f"{changed}: {standing.how}"
    expected = MISSING if standing.stale else standing.result
    return Comparison(str(standing.path), expected, standing.result, not standing.stale, note)


def _told(standing: Standing) -> str:
    return (
        f"{standing.path} still stands, neither recomputed nor marked, "
        f"although {_changed(standing)} changed in turn {standing.changed_in}"
    )


def _changed(standing: Standing) -> str:
    return " and ".join(map(str, standing.changed))
