"""Judgements of a language model on claims whose words are unclear, taken from their record."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, cast, get_args

from pydantic import Field, ValidationError

from oloproof.canonical import encode
from oloproof.evaluation.options import OptionError
from oloproof.suites.validation import Fields

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from oloproof.canonical import JsonValue

ClaimOutcome = Literal["asserted", "denied", "not_asserted", "unclear"]


class Reading(NamedTuple):
    """What one place says, and the rule that decided, in words."""

    outcome: ClaimOutcome
    reason: str

    @property
    def definite(self) -> bool:
        """Whether it says that the thing was done or was not."""
        return self.outcome in ("asserted", "denied")


_OUTCOMES: Final = get_args(ClaimOutcome)


class Judgement(NamedTuple):
    """What the model said, raw, and the outcome that is read from it."""

    raw: str
    outcome: ClaimOutcome


class Judge(NamedTuple):
    """A model with its version and instruction, and its judgements by digest."""

    model: str
    version: str
    instruction: str
    known: Mapping[str, Judgement]

    def digest(self, message: str, patterns: Sequence[str]) -> str:
        """What a judgement is known by, 64 hexadecimal digits."""
        parts: list[JsonValue] = [self.model, self.version, self.instruction, message]
        return sha256(encode([*parts, *patterns])).hexdigest()

    def of(self, message: str, patterns: Sequence[str]) -> Judgement | None:
        """The judgement on a message, or None where the model was not asked."""
        return self.known.get(self.digest(message, patterns))


class JudgementFields(Fields):
    """One judgement in the file: for whom it holds, and the raw verdict."""

    digest: str = Field(pattern="^[0-9a-f]{64}$")
    model: str
    version: str
    instruction: str
    message: str
    says: tuple[str, ...]
    raw: str


class JudgeFields(Fields):
    """A model that is asked of unclear claims, and the file that keeps what it said."""

    model: str = Field(min_length=1)
    version: str = Field(min_length=1)
    instruction: str = Field(min_length=1)
    judgements: str | tuple[JudgementFields, ...]


def judge_of(fields: JudgeFields, read: Callable[..., Any]) -> Judge:
    """The judge of a line; a file of judgements that is not there yet holds none."""
    given = fields.judgements
    if isinstance(given, str):
        given = _read(given, read(given, missing=[]))
    known = {one.digest: Judgement(one.raw, outcome_of(one.raw)) for one in given}
    return Judge(fields.model, fields.version, fields.instruction, known)


def _read(name: str, given: JsonValue) -> tuple[JudgementFields, ...]:
    try:
        if not isinstance(given, list):
            raise TypeError
        return tuple(JudgementFields.model_validate_json(encode(item)) for item in given)
    except (TypeError, ValidationError) as error:
        number = "" if isinstance(error, TypeError) else f": {error.errors()[0]['msg']}"
        raise OptionError(
            "judge",
            f"`{name}` is no list of judgements{number}",
            fix="take the lines as `oloproof judge` wrote them, or remove the file",
        ) from None


def outcome_of(raw: str) -> ClaimOutcome:
    """The outcome that a raw verdict begins with; unclear for whatever begins otherwise."""
    text = "_".join(raw.casefold().replace("-", " ").replace("_", " ").split())
    for outcome in sorted(_OUTCOMES, key=len, reverse=True):
        rest = text.removeprefix(outcome)
        if rest != text and not rest[:1].isalpha():
            return cast("ClaimOutcome", outcome)
    return "unclear"
