"""The options by which a suite says what a message may claim, and what must bear it out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from pydantic import Field, model_validator

from oloproof.errors import ConfigurationError
from oloproof.evaluation.calls import Names  # noqa: TC001  # pydantic resolves it
from oloproof.evaluation.claims.grammar import languages
from oloproof.evaluation.claims.judges import JudgeFields  # pydantic resolves it
from oloproof.evaluation.claims.phrases import Patterns
from oloproof.evaluation.claims.template import Template
from oloproof.evaluation.conversations.sources import SourceOptions, Whose
from oloproof.evaluation.states.options import PlaceText  # noqa: TC001  # pydantic resolves it
from oloproof.records.shapes import (
    Json,  # pydantic resolves it
    empty_object,
)
from oloproof.suites.validation import Fields, refuse

if TYPE_CHECKING:
    from oloproof.suites.places import Place

    Language: TypeAlias = str
else:
    Language = Literal[languages()]


class EvidenceFields(Fields):
    """What bears a claim out: a call that was carried out, or a value in the state."""

    call: Names | None = None
    arguments: dict[PlaceText, Json] = Field(default_factory=empty_object)
    state: PlaceText | None = None
    equals: Json = None

    @model_validator(mode="after")
    def _one_kind(self) -> EvidenceFields:
        if (self.call is None) == (self.state is None):
            raise refuse(
                "evidence is a call or a place of the state",
                fix="write `call: TOOL`, or `state: PATH` with `equals`",
                at=() if self.call is None else ("state",),
            )
        if (self.state is None) == ("equals" in self.model_fields_set):
            raise refuse(
                "`state` and `equals` need each other",
                fix="write the place at `state`, and its value at `equals`",
                at=("equals",) if self.state is None else ("state",),
            )
        if self.arguments and self.call is None:
            raise refuse("`arguments` are those of a call", fix="leave them out", at=("arguments",))
        return self


class ClaimOptions(SourceOptions):
    """By what a claim is known, and what must bear it out."""

    subject: str | None = Field(default=None, min_length=1)
    template: str | None = None
    says: Patterns | None = None
    language: Language | None = None
    needs: EvidenceFields | None = None
    of: Whose = "world"
    forbidden: bool = False
    judge: JudgeFields | None = None

    @model_validator(mode="after")
    def _complete(self) -> ClaimOptions:
        worded = self.says is not None
        if self.forbidden and not (worded or self.subject):
            raise _incomplete("forbidden", "nothing says which claim is forbidden", "`says`")
        if self.forbidden and self.template is not None:
            raise _incomplete("template", "a template is what must be said", "`says`")
        if worded and self.needs is None and not self.forbidden:
            raise _incomplete("says", "nothing says what bears the claim out", "`needs`")
        if self.needs is not None and not (worded or self.subject):
            raise _incomplete("needs", "nothing says which claim needs it", "`says`")
        if self.judge is not None and not worded:
            raise _incomplete("judge", "a judge is asked of unclear patterns", "`says`")
        if self.language is not None and not worded:
            raise _incomplete("language", "`language` is that of the patterns", "`says`")
        if self.forbidden and self.needs is not None and self.needs.call is None:
            raise _incomplete("needs", "a forbidden claim needs no state", "`call` in `needs`")
        return self

    @model_validator(mode="after")
    def _readable_template(self) -> ClaimOptions:
        if self.template is not None:
            try:
                Template.parse(self.template)
            except ConfigurationError as error:
                raise refuse(error.what, fix=error.fix or "", at=("template",)) from None
        return self


def _incomplete(field: str, what: str, needed: str) -> Exception:
    at: Place = (field,)
    return refuse(what, fix=f"give {needed}, or leave `{field}` out", at=at)
