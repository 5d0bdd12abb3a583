"""`artefact_not_effect`: something was made instead of an effect, as a draft that is not sent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import Field, model_validator

from oloproof.evaluation.calls import Names, names
from oloproof.evaluation.conversations.bans import see_ban
from oloproof.evaluation.conversations.checks import Sightings, TurnCheck
from oloproof.evaluation.turns import Conversation, TurnOptions
from oloproof.paths import MISSING
from oloproof.suites.validation import refuse

if TYPE_CHECKING:
    from oloproof.evaluation.contract import Context, Evaluator, Verdict
    from oloproof.evaluation.setting import Setting


class Options(TurnOptions):
    """What is to be made, and by which tools the effect would come about."""

    effect: Names
    kind: str | None = Field(default=None, min_length=1)
    name: str | None = Field(default=None, min_length=1)

    @model_validator(mode="after")
    def _names_artefact(self) -> Options:
        if self.kind is None and self.name is None:
            raise refuse(
                "nothing says which artefact is to be made", fix="give its `kind` or its `name`"
            )
        return self


def build(options: Options, setting: Setting) -> list[Evaluator]:  # noqa: ARG001
    """The one evaluator of a line."""
    return [
        ArtefactNotEffect(
            metric=options.criterion_or_type,
            selector=options.selector,
            effect=names(options.effect),
            kind=options.kind,
            name=options.name,
        )
    ]


@dataclass(frozen=True, slots=True)
class ArtefactNotEffect(TurnCheck):
    """The artefacts of the selected turns, and the calls that should not be among them."""

    effect: tuple[str, ...]
    kind: str | None
    name: str | None

    @property
    def named_tools(self) -> frozenset[str]:
        """Those by which the effect would come about."""
        return frozenset(self.effect)

    def evaluate(self, context: Context) -> Verdict:
        """A failure where there is no such artefact, or the effect came about, or waits to."""
        conversation = Conversation(context)
        turns = self.turns(conversation)
        seen = Sightings()
        see_ban(seen, conversation, turns, self.effect, "has the effect that was not asked for")
        wanted = self.name or self.kind
        for turn, step in conversation.steps_in(turns):
            artefact = step.get("artefact") or {}
            if artefact and self._is_meant(artefact):
                seen.hold("artefact", wanted, artefact["name"], turn=turn)
                return seen.verdict(context, turns, whole=True)
        sentence = f"there is no artefact `{wanted}` ({self.selector})"
        seen.fail("artefact", wanted, MISSING, sentence=sentence, seen=False)
        return seen.verdict(context, turns, whole=True)

    def _is_meant(self, artefact: dict[str, object]) -> bool:
        return self.kind in (None, artefact["kind"]) and self.name in (None, artefact["name"])
