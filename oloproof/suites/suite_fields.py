"""The fields of `oloproof.yaml`, each with what it may hold."""

from __future__ import annotations

import re
from collections.abc import Mapping  # noqa: TC003  # pydantic resolves it
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, model_validator

from oloproof.bookkeeping import Bookkeeping
from oloproof.errors import ConfigurationError
from oloproof.paths import parse
from oloproof.records.case import IDENTITY
from oloproof.records.faults import ModelPolicy  # noqa: TC001  # pydantic resolves it
from oloproof.suites.slices import parse_slice
from oloproof.suites.validation import Fields, FormatVersion, PathText, refuse, refuse_repeats

_CALLABLE: Final = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")
_EXCEPTION: Final = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*")
_EVALUATOR: Final = re.compile(r"[a-z][a-z0-9_]*|[^\W\d]\w*([.:][^\W\d]\w*)+")
_ONLY_PYTHON: Final = (
    "this version runs a Python object, `callable: module:attr`, or judges what was recorded "
    "elsewhere, `recorded: FILE`"
)
_OF_CALLABLES: Final = ("kind", "code_paths", "timeout_s", "models")

Text = Annotated[str, Field(min_length=1)]

# Read like an object without fields: one made here would have its model built at import.
_BY_DEFAULT: Final[Any] = Field(default={}, validate_default=True)


def _callable(text: str) -> str:
    if not _CALLABLE.fullmatch(text):
        raise refuse(
            f"`{text}` does not name a Python object",
            fix="write `module:attr`, such as `app:desk` for `desk` in app.py",
        )
    return text


def _exception(text: str) -> str:
    if not _EXCEPTION.fullmatch(text):
        raise refuse(
            f"`{text}` does not name an exception", fix="write its name, such as TransientError"
        )
    return text


def _pattern(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise refuse(
            f"the pattern `{text}` cannot be read: {error}",
            fix="write the name of an environment variable, or a regular expression",
        ) from None
    if re.search(text, ""):
        raise refuse(
            f"the pattern `{text}` matches even the empty text",
            fix="write a pattern that matches nothing but the secret",
        )
    return text


def _slice(text: str) -> str:
    try:
        parse_slice(text)
    except ConfigurationError as error:
        raise refuse(error.what, fix=error.fix or "") from None
    return text


class SystemSpec(Fields):
    """The system that is evaluated; `timeout_s` holds for each call, and for each turn.

    It is a Python object, `callable`, or the file of what was `recorded` of it elsewhere.
    `models` says where model calls behind a fault are answered in a replay. What its sandbox
    writes down by itself stands at the places to `ignore`, and as `generated_keys`.
    """

    name: Text
    version: Text = "auto"
    callable: Annotated[Text, AfterValidator(_callable)] | None = None
    recorded: Text | None = None
    kind: Literal["instance", "class", "factory", "function"] | None = None
    code_paths: tuple[Text, ...] = ()
    timeout_s: float = Field(default=120, gt=0)
    records: tuple[Text, ...] = ()
    models: ModelPolicy = "live"
    ignore: tuple[PathText, ...] = ()
    generated_keys: tuple[PathText, ...] = ()

    not_yet: ClassVar[Mapping[str, str]] = dict.fromkeys(
        ("command", "http", "url", "mcp", "container"), _ONLY_PYTHON
    )

    @model_validator(mode="after")
    def _keys_that_count(self) -> SystemSpec:
        kept = self.bookkeeping
        for position, text in enumerate(self.generated_keys):
            if not kept.counts(parse(text)):
                raise refuse(
                    f"the keys at `{text}` are to be compared by their rows, and to be ignored",
                    fix="leave it out of `ignore` or of `generated_keys`",
                    at=("generated_keys", position),
                )
        return self

    @property
    def bookkeeping(self) -> Bookkeeping:
        """What its sandbox writes down by itself."""
        return Bookkeeping.of(self.ignore, self.generated_keys)

    @model_validator(mode="after")
    def _one_system(self) -> SystemSpec:
        if (self.callable is None) == (self.recorded is None):
            both = "both" if self.callable is not None else "neither"
            raise refuse(
                f"`system` gives {both} of `callable` and `recorded`",
                fix="give `callable: module:attr` to run a system, or `recorded: FILE` to judge "
                "what it did elsewhere",
            )
        for name in _OF_CALLABLES if self.recorded is not None else ():
            if name in self.model_fields_set:
                raise refuse(
                    f"`{name}` says nothing of a system that was recorded: none is run",
                    fix="leave it out",
                    at=(name,),
                )
        return self


class Concurrency(Fields):
    """How many worker processes run the system, each with a sandbox of its own."""

    system: int = Field(default=1, ge=1, le=1024)


class Retries(Fields):
    """How often a call is tried in all, after which exceptions, and how long to wait between."""

    attempts: int = Field(default=1, ge=1)
    on: tuple[Annotated[Text, AfterValidator(_exception)], ...] = ("TransientError",)
    wait_s: float = Field(default=1, ge=0)


class TransformFields(Fields):
    """A way to change one text of a case's input, and the labels that say it keeps its meaning.

    Which way, one further field says: its name is a kind of transform, which checks the value.
    """

    model_config = ConfigDict(extra="allow")

    name: Text
    field: Text
    validity_labels: Text | None = None
    minimum_validity: float = Field(default=0.85, gt=0, lt=1)

    @model_validator(mode="after")
    def _consistent(self) -> TransformFields:
        if not re.fullmatch(r"[^\x00-\x20\x7f-\x9f~]+", self.name):
            raise refuse(
                f"the name `{self.name}` cannot stand in the id of a copy (`case~transform`)",
                fix="leave out `~`, spaces and control characters",
                at=("name",),
            )
        if self.name == IDENTITY:
            raise refuse(
                f"the transform `{IDENTITY}` is built in: it changes nothing",
                fix="give this one another name",
                at=("name",),
            )
        return self


COMMON_FIELDS: Final = frozenset(TransformFields.model_fields)
"""What a transform of any kind may say."""


class Metamorphic(Fields):
    """The transforms that make changed copies of cases."""

    transforms: tuple[TransformFields, ...] = ()

    @model_validator(mode="after")
    def _named_once(self) -> Metamorphic:
        refuse_repeats("transforms", "name", (transform.name for transform in self.transforms))
        return self


class DimensionFields(Fields):
    """A dimension of the scorecard; a `hard` one at 0 fails the case."""

    name: Text
    hard: bool = False


def _by_name(given: Any) -> Any:
    """A dimension that is given by its name alone is not hard."""
    return {"name": given} if isinstance(given, str) else given


class SuiteFields(Fields):
    """Everything that `oloproof.yaml` says. Evaluators are checked by their own types later."""

    version: FormatVersion = 1
    project: Text
    dataset: Text
    system: SystemSpec
    concurrency: Concurrency = _BY_DEFAULT
    replicates: int = Field(default=1, ge=1)
    retries: Retries = _BY_DEFAULT
    redact: tuple[Annotated[Text, AfterValidator(_pattern)], ...] = ()
    metamorphic: Metamorphic = _BY_DEFAULT
    evaluators: tuple[dict[str, Any], ...] = ()
    dimensions: tuple[Annotated[DimensionFields, BeforeValidator(_by_name)], ...] = ()
    slices: tuple[Annotated[Text, AfterValidator(_slice)], ...] = ()
    min_slice_support: int = Field(default=3, ge=1)

    @model_validator(mode="after")
    def _consistent(self) -> SuiteFields:
        refuse_repeats("dimensions", "name", (dimension.name for dimension in self.dimensions))
        for position, options in enumerate(self.evaluators):
            _check_type(options, ("evaluators", position))
        for position, text in enumerate(self.slices):
            if text in self.slices[:position]:
                raise refuse(
                    f"the slice `{text}` is given twice",
                    fix="keep one of them",
                    at=("slices", position),
                )
        return self


def _check_type(options: Mapping[str, Any], at: tuple[str | int, ...]) -> None:
    """An evaluator's type is the name of a module, so that it is no path to anything else."""
    if "type" not in options:
        raise refuse(
            "an evaluator has no `type`", fix="add `type`, such as `type: state_matches`", at=at
        )
    name = options["type"]
    if not isinstance(name, str) or not _EVALUATOR.fullmatch(name):
        raise refuse(
            f"`{name}` cannot be a type of evaluator",
            fix="write a name in small letters, such as `state_matches`, "
            "or name your own: `my_checks:total`",
            at=(*at, "type"),
        )
