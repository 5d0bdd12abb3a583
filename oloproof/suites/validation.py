"""Models over located files: strict, frozen, and refused with file, line and field."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, ClassVar, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError
from pydantic_core import PydanticCustomError

from oloproof.canonical import encode
from oloproof.errors import ConfigurationError
from oloproof.paths import parse
from oloproof.suites.explanation import REFUSED, explain, value_at

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oloproof.suites.located import Document
    from oloproof.suites.places import Place

Model = TypeVar("Model", bound=BaseModel)


class Fields(BaseModel):
    """An object in a user's file: frozen, and unknown fields are refused.

    `not_yet` names fields that this version leaves out on purpose, with what to do instead.
    """

    # Built when first used: most commands need few of the models.
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)
    not_yet: ClassVar[Mapping[str, str]] = {}


def refuse(what: str, *, fix: str, at: Place = ()) -> PydanticCustomError:
    """The error that a validator raises; `at` leads from the validated value to the culprit."""
    return PydanticCustomError(REFUSED, "{what}", {"what": what, "fix": fix, "at": at})


def refuse_repeats(listed: str, field: str, names: Iterable[str]) -> None:
    """Raises for the first name that occurs twice among the entries of the list `listed`."""
    seen: dict[str, int] = {}
    for position, name in enumerate(names):
        if name in seen:
            raise refuse(
                f"the {field} `{name}` is given twice in `{listed}`",
                fix=f"rename or remove one of them (the first is `{listed}[{seen[name]}]`)",
                at=(listed, position, field),
            )
        seen[name] = position


def validate(document: Document, model: type[Model], at: Place = ()) -> Model:
    """The part of `document` at `at` as a `model`; `ConfigurationError` names the first fault."""
    try:
        # From JSON, since strict validation of Python values takes no list for a tuple.
        return model.model_validate_json(encode(value_at(document.value, at)))
    except ValidationError as error:
        raise explain(error, model, document, at) from None


def _readable(text: str) -> str:
    try:
        parse(text)
    except ConfigurationError as error:
        raise refuse(error.what, fix=error.fix or "") from None
    return text


def _one_place(text: str) -> str:
    if parse(text).has_wildcard:
        raise refuse(
            f"the path `{text}` may name several places", fix="name one place, without `[*]`"
        )
    return text


PathText = Annotated[str, AfterValidator(_readable)]
"""A path as written, known to be readable."""

PlaceText = Annotated[PathText, AfterValidator(_one_place)]
"""Like `PathText`, known to have no wildcard."""


def _first_format(version: int) -> int:
    if version != 1:
        raise refuse(
            f"`version` is {version}, a form of this file that is not known here",
            fix="write `version: 1`, or use a newer Oloproof",
        )
    return version


FormatVersion = Annotated[int, AfterValidator(_first_format)]
"""The `version` at the top of a file: that of the file's form, which is 1."""
