"""What pydantic finds wrong, said to a person: what, in which line and field, how to fix it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, get_args

import orjson
from pydantic import BaseModel

from oloproof.errors import ConfigurationError, shorten, suggest
from oloproof.suites.places import show_place

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

    from oloproof.canonical import JsonValue
    from oloproof.suites.located import Document
    from oloproof.suites.places import Place

REFUSED: Final = "refused"
"""The type of an error that a validator of ours raised; its context holds what, fix and at."""

_WANTED: Final = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "an object (`name: value`)",
    "model_type": "an object (`name: value`)",
}
_LIMITS: Final = {
    "greater_than": ("gt", "greater than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than": ("lt", "less than"),
    "less_than_equal": ("le", "at most"),
}


def explain(
    error: ValidationError, model: type[BaseModel], document: Document, at: Place = ()
) -> ConfigurationError:
    """The first fault in `error`, found when the part of `document` at `at` was validated."""
    faults = [
        _Fault(details, model, document, at)
        for details in error.errors(include_url=False)
        # Follows from another error in the same object.
        if details["type"] != "default_factory_not_called"
    ]
    # A misspelt field explains the one that is missing, so it comes first.
    faults.sort(key=lambda fault: (fault.kind != "extra_forbidden", fault.line))
    first = faults[0]
    others = len({fault.place for fault in faults}) - 1
    return ConfigurationError(
        first.what() + (f" (and {others} more)" if others else ""),
        where=document.where(first.place),
        fix=first.fix(),
    )


def describe(value: object) -> str:
    """A value of a user's by its kind, such as `the number 1.0` or `a list`."""
    match value:
        case None:
            return "empty (null)"
        case bool():
            return _json(value)
        case int() | float():
            return f"the number {_json(value)}"
        case str():
            return f"`{shorten(value)}`" if value else "an empty text"
        case list() | tuple():
            return "a list" if value else "an empty list"
        case _:
            return "an object"


class _Fault:
    """One error of pydantic's, where it is and what it says."""

    def __init__(
        self, details: ErrorDetails, model: type[BaseModel], document: Document, at: Place
    ) -> None:
        self.kind = details["type"]
        self.given = details["input"]
        self.message = details["msg"]
        self.context: dict[str, Any] = details.get("ctx", {})
        self.name = str(details["loc"][-1]) if details["loc"] else ""
        self.models = _models_around(model, details["loc"])
        self.place = at + _real_place(value_at(document.value, at), details["loc"])
        if self.kind == "missing":
            self.place = (*self.place, self.name)
        elif self.kind == REFUSED:
            self.place = (*self.place, *self.context["at"])
        self.line = document.line_of(self.place)
        self.written = document.written.get(self.place)
        self.is_yaml = document.path.suffix != ".json"

    @property
    def shown(self) -> str:
        return f"`{show_place(self.place)}`" if self.place else "the file"

    @property
    def within(self) -> str:
        around = self.place[:-1]
        return f" in `{show_place(around)}`" if around else ""

    def what(self) -> str:
        kind = self.kind
        if kind == REFUSED:
            return str(self.context["what"])
        if kind == "missing":
            return f"`{self.name}` is missing{self.within}"
        if kind == "extra_forbidden":
            return f"unknown field `{self.name}`{self.within}"
        if kind == "literal_error":
            return f"{self.shown} cannot be {self.described()}"
        if kind in _WANTED and self.given is None and not self.place:
            return "the file is empty"
        if kind in _WANTED:
            return f"{self.shown} must be {_WANTED[kind]}, not {self.described()}"
        if kind in _LIMITS:
            return f"{self.shown} must be {self.limit()}, not {_json(self.given)}"
        if kind in ("too_short", "string_too_short") and not self.given:
            return f"{self.shown} is empty"
        return f"{self.shown} is refused: {self.message.removeprefix('Value error, ')}"

    def described(self) -> str:
        if self.written is not None:
            return f"`{self.written}`, which YAML reads as {_json(self.given)}"
        return describe(self.given)

    def limit(self) -> str:
        name, words = _LIMITS[self.kind]
        return f"{words} {self.context[name]:g}"

    def fix(self) -> str:
        kind = self.kind
        if kind == REFUSED:
            return str(self.context["fix"])
        if kind == "missing":
            return f"add `{self.name}`"
        if kind == "extra_forbidden":
            return self.known_field()
        if kind == "literal_error":
            return self.known_choice()
        if kind == "string_type" and self.is_yaml and isinstance(self.given, bool | int | float):
            return f'quote it: "{self.written or _json(self.given)}"'
        if kind in _WANTED:
            return self.wanted()
        if kind in ("less_than", "less_than_equal") and self.is_percentage():
            return f"write it as a fraction: {self.given / 100:g}"
        if kind in _LIMITS:
            return f"give a number that is {self.limit()}"
        return "write at least one entry" if kind == "too_short" else "correct the value"

    def wanted(self) -> str:
        if self.kind in ("int_type", "float_type", "bool_type") and _is_quoted(self.given):
            return f"write it without quotes: {self.given}"
        return f"write {_WANTED[self.kind]} here"

    def known_field(self) -> str:
        for model in self.models:
            if self.name in (not_yet := getattr(model, "not_yet", {})):
                return str(not_yet[self.name])
        return suggest(
            self.name,
            (
                field.alias or name
                for model in self.models
                for name, field in model.model_fields.items()
            ),
        )

    def known_choice(self) -> str:
        names = [
            part.strip(" '") for part in self.context["expected"].replace(" or ", ",").split(",")
        ]
        if isinstance(self.given, str):
            return suggest(self.given, names)
        return "known: " + ", ".join(f"`{name}`" for name in names)

    def is_percentage(self) -> bool:
        return 1 in (self.context.get("lt"), self.context.get("le")) and 1 < self.given <= 100


def value_at(value: JsonValue, place: Place) -> JsonValue:
    """What is at a place that is known to be there."""
    for part in place:
        value = value[part]  # type: ignore[index]  # known to be there
    return value


def _is_quoted(value: object) -> bool:
    """Whether a text would be a number or a boolean if it were not quoted."""
    try:
        return isinstance(value, str) and type(orjson.loads(value)) in (int, float, bool)
    except orjson.JSONDecodeError:
        return False


def _json(value: object) -> str:
    return orjson.dumps(value).decode()


def _real_place(value: JsonValue, steps: Iterable[str | int]) -> Place:
    """The steps that lead through `value`: pydantic mixes in the names of union members."""
    place: list[str | int] = []
    for step in steps:
        if (isinstance(value, dict) and step in value) or (
            isinstance(value, list) and isinstance(step, int) and step < len(value)
        ):
            value = value[step]  # type: ignore[index]  # checked just above
            place.append(step)
    return tuple(place)


def _models_around(model: type[BaseModel], steps: tuple[str | int, ...]) -> list[type[BaseModel]]:
    """The models that the object around the last of the steps may have."""
    models = [model]
    for step in steps[:-1]:
        annotations = [
            field.annotation
            for owner in models
            for name, field in owner.model_fields.items()
            if step in (name, field.alias)
        ]
        if annotations:
            models = [found for annotation in annotations for found in _models_in(annotation)]
    return models


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [found for part in get_args(annotation) for found in _models_in(part)]
