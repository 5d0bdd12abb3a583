"""JSON Schemas (draft 2020-12) of states: read and refused at load, held against states later.

Nothing is ever fetched: a schema refers to its own parts, and to the drafts' own schemas.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import date, time
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from oloproof.evaluation.schemas.keywords import BY_NAME, LISTED, SINGLE, misspelt
from oloproof.paths import MISSING, Absent, Path

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from jsonschema import Draft202012Validator, FormatChecker
    from jsonschema.exceptions import ValidationError

    from oloproof.canonical import JsonValue

DRAFT: Final = "https://json-schema.org/draft/2020-12/schema"

_DATE: Final = r"\d{4}-\d\d-\d\d"
_TIME: Final = r"\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)"
_DATE_ONLY: Final = re.compile(_DATE, re.ASCII)
_TIME_ONLY: Final = re.compile(_TIME, re.ASCII)
_DATE_TIME: Final = re.compile(f"({_DATE})[Tt]({_TIME})", re.ASCII)


class SchemaError(Exception):
    """What is given is no schema: what is wrong, at which JSON Pointer, how to fix it."""

    def __init__(self, what: str, at: str, fix: str) -> None:
        super().__init__(what)
        self.what = what
        self.at = at
        self.fix = fix


class Violation(NamedTuple):
    """A place of a state that does not fit, what is there, and the part of the schema it breaks."""

    path: Path
    actual: JsonValue | Absent
    asked: JsonValue


class Schema:
    """A schema that is known to be one."""

    def __init__(self, written: JsonValue) -> None:
        self.written: Final = written
        self._validator = _validator(written)

    def resolver(self) -> Any:
        """What finds the schemas that references name, all of which are known to lead to one."""
        from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]  # it has no types
        from referencing.jsonschema import DRAFT202012

        return REGISTRY.resolver_with_root(DRAFT202012.create_resource(self.written))

    def violations(self, state: JsonValue) -> list[Violation]:
        """Every place that does not fit, in the order of their paths.

        Raises `RecursionError` for a state that is too deep for the schema.
        """
        found = [
            violation
            for error in self._validator.iter_errors(state)
            for violation in _violations(error)
        ]
        unique = {(str(violation.path), repr(violation.asked)): violation for violation in found}
        return sorted(unique.values(), key=lambda violation: str(violation.path))


def _validator(written: JsonValue) -> Draft202012Validator:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError as Refused
    from jsonschema_specifications import REGISTRY

    if not isinstance(written, dict | bool):
        raise SchemaError("it is no object", "", "write an object such as `{type: object}`")
    draft = written.get("$schema", DRAFT) if isinstance(written, dict) else DRAFT
    if not isinstance(draft, str) or draft.removesuffix("#") != DRAFT:
        raise SchemaError("it is of another draft", "/$schema", f"write it in {DRAFT}")
    try:
        Draft202012Validator.check_schema(written)
    except Refused as error:
        at = "".join(f"/{step}" for step in error.absolute_path)
        raise SchemaError(error.message, at, "correct the schema there") from None
    for word, near, at in misspelt(written):
        fix = f"did you mean `{near}`? Words of your own begin with `x-`."
        raise SchemaError(f"`{word}` is no keyword", at, fix)
    _check_references(written)
    validator = Draft202012Validator(
        _placed(written), registry=REGISTRY, format_checker=_format_checker()
    )
    _check_end(validator)
    return validator


_NEVER: Final[dict[str, Any]] = {"not": {}}


def _placed(schema: Any) -> Any:
    """The same schema with `{"not": {}}` for false, of which jsonschema does not tell the place."""
    if not isinstance(schema, dict):
        return schema
    out = dict(schema)
    for keyword in BY_NAME:
        if isinstance(schema.get(keyword), dict):
            out[keyword] = {
                name: _NEVER if part is False else _placed(part)
                for name, part in schema[keyword].items()
            }
    for keyword in LISTED:
        if isinstance(schema.get(keyword), list):
            out[keyword] = [_NEVER if part is False else _placed(part) for part in schema[keyword]]
    return out | {keyword: _placed(out[keyword]) for keyword in SINGLE if keyword in out}


def _check_references(written: JsonValue) -> None:
    """Raises for the first reference that leads nowhere."""
    from jsonschema_specifications import REGISTRY
    from referencing.exceptions import Unresolvable
    from referencing.jsonschema import DRAFT202012

    root = DRAFT202012.create_resource(written)
    waiting = [(root, REGISTRY.resolver_with_root(root))]
    seen: set[int] = set()
    while waiting:
        resource, resolver = waiting.pop()
        contents: Any = resource.contents
        if not isinstance(contents, dict) or id(contents) in seen:
            continue
        seen.add(id(contents))
        for keyword in ("$ref", "$dynamicRef"):
            if keyword not in contents:
                continue
            try:
                found = resolver.lookup(contents[keyword])
            except Unresolvable:
                raise SchemaError(
                    f"`{keyword}: {contents[keyword]}` leads nowhere",
                    "",
                    "refer to a part of the schema itself: `#/$defs/name`",
                ) from None
            waiting.append((DRAFT202012.create_resource(found.contents), found.resolver))
        waiting += [(sub, resolver.in_subresource(sub)) for sub in resource.subresources()]


def _check_end(validator: Draft202012Validator) -> None:
    """Raises for a schema that refers to itself at the same place, and so has no end."""
    values: tuple[JsonValue, ...] = (None, True, 0, "", [], {})
    for value in values:
        try:
            validator.is_valid(value)
        except RecursionError:
            raise SchemaError(
                "it refers to itself without end", "", "let references lead into parts of a value"
            ) from None


def _violations(error: ValidationError) -> Iterator[Violation]:
    """What one error says, by the place that is wrong rather than the object around it."""
    path = Path(tuple(error.absolute_path))
    keyword = error.validator
    asked: Any = error.validator_value
    value: Any = error.instance
    if keyword == "required":
        for name in asked:
            if name not in value:
                yield Violation(Path((*path.segments, name)), MISSING, {"required": True})
    elif keyword == "additionalProperties" and asked is False:
        for name in _undeclared(value, error.schema):
            yield Violation(Path((*path.segments, name)), value[name], {keyword: False})
    else:
        never = keyword is None or {keyword: asked} == _NEVER
        yield Violation(path, value, False if never else {str(keyword): asked})


def _undeclared(value: dict[str, JsonValue], schema: Any) -> list[str]:
    """The keys of an object that neither `properties` nor `patternProperties` declare."""
    patterns: Iterable[str] = schema.get("patternProperties", {})
    return [
        name
        for name in value
        if name not in schema.get("properties", {})
        and not any(re.search(pattern, name) for pattern in patterns)
    ]


@cache
def _format_checker() -> FormatChecker:
    """The formats that are checked, whatever else is installed; others only describe."""
    import ipaddress
    from uuid import UUID

    from jsonschema import FormatChecker

    checker = FormatChecker(formats=())
    tests: dict[str, Any] = {
        "date-time": _is_date_time,
        "date": _is_date,
        "time": _is_time,
        "ipv4": ipaddress.IPv4Address,
        "ipv6": ipaddress.IPv6Address,
        "regex": re.compile,
        "uuid": lambda text: UUID(text) and re.fullmatch(r"[0-9a-fA-F-]{36}", text),
    }
    for name, test in tests.items():
        checker.checks(name)(_fits(test))
    return checker


def _fits(test: Any) -> Any:
    """Whether a text passes a test, which may also raise; what is no text has no format."""

    def check(value: object) -> bool:
        if not isinstance(value, str):
            return True
        with suppress(ValueError, re.error):
            return test(value) is not None and test(value) is not False
        return False

    return check


def _is_date(text: str) -> bool:
    return bool(_DATE_ONLY.fullmatch(text) and date.fromisoformat(text))


def _is_time(text: str) -> bool:
    """A full time of RFC 3339: with an offset, and a leap second where there may be one."""
    if not _TIME_ONLY.fullmatch(text):
        return False
    hour, minute, second = int(text[:2]), int(text[3:5]), int(text[6:8])
    time(hour, minute, min(second, 59))
    return second <= 59 or (second == 60 and minute % 30 == 29)


def _is_date_time(text: str) -> bool:
    found = _DATE_TIME.fullmatch(text)
    return bool(found and _is_date(found.group(1)) and _is_time(found.group(2)))
