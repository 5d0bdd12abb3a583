"""One JSON form and one digest for everything that is stored, compared or keyed.

The canonical form is UTF-8 JSON without white space and with sorted keys.
Numbers keep the form they were given in (`1` and `1.0` differ as text): a digest
may tell apart what `equal` takes for equal, never the other way round.
"""

from __future__ import annotations

import hashlib
import math
import re
from typing import Any, Final, NamedTuple, TypeAlias

import orjson

from oloproof.errors import NotJsonError

JsonValue: TypeAlias = bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"] | None

_STRICT: Final = (
    orjson.OPT_PASSTHROUGH_DATETIME
    | orjson.OPT_PASSTHROUGH_DATACLASS
    | orjson.OPT_PASSTHROUGH_SUBCLASS
)
_SORTED: Final = _STRICT | orjson.OPT_SORT_KEYS

MAX_DEPTH: Final = 200
"""Containers inside containers beyond which a value is refused."""

_ORJSON_DEPTH: Final = 254  # where orjson itself stops; a test holds it to that

_SHOWN_PATH: Final = 60
_SHOWN_REPR: Final = 60

_PLAIN_KEY: Final = re.compile(r"[^/.\[\]\"][^.\[\]\"]*")


def digest(data: bytes) -> str:
    """SHA-256 of `data`, 64 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def encode(value: JsonValue) -> bytes:
    """The canonical form of a value known to be JSON, such as one that was parsed."""
    return orjson.dumps(value, option=_SORTED)


def encode_in_order(value: JsonValue) -> bytes:
    """Like `encode`, with the keys in the order given: what an agent sees."""
    return orjson.dumps(value, option=_STRICT)


def decode(data: bytes) -> JsonValue:
    """The value of bytes that this program wrote."""
    value: JsonValue = orjson.loads(data)
    return value


class Encoded(NamedTuple):
    """A value that a user's code made: its canonical form, and a plain copy nobody else holds."""

    data: bytes
    value: JsonValue


def encode_foreign(value: object, what: str) -> Encoded:
    """The canonical form of a value that a user's code made, and the value as plain JSON types.

    Tuples become lists, and subclasses of text and numbers (named constants too) their plain
    value. Anything else that JSON does not have raises `NotJsonError` with the path of the
    offending value; `what` names the value in the message.
    """
    found = _round_trip(value, _SORTED)
    if found is not None:
        return found
    plain = _walk(value, what)
    return Encoded(orjson.dumps(plain, option=_SORTED), plain)


def to_json(value: object, what: str) -> JsonValue:
    """Like `encode_foreign`, only the value, with the keys of objects in the order given."""
    found = _round_trip(value, _STRICT)
    return _walk(value, what) if found is None else found.value


def encode_foreign_in_order(value: object, what: str) -> bytes:
    """Like `encode_foreign`, only the JSON, with the keys of objects in the order given."""
    found = _round_trip(value, _STRICT)
    return orjson.dumps(_walk(value, what), option=_STRICT) if found is None else found.data


def _round_trip(value: object, option: int) -> Encoded | None:
    """The encoding of plain JSON; None where it is not certain to be that."""
    try:
        data = orjson.dumps(value, option=option)
        plain = orjson.loads(data)
        # What orjson lets pass is found so: NaN as null, UUIDs as text.
        return Encoded(data, plain) if plain == value and not _too_deep(value, data) else None
    except Exception:  # also what the value's own methods raise: the slow way says it
        return None


def _too_deep(value: object, data: bytes) -> bool:
    if data.count(b"[") + data.count(b"{") <= MAX_DEPTH:
        return False
    # Wrapped this often, a value deeper than allowed goes beyond what orjson takes:
    # a fifth of the time that walking a large value in Python needs.
    for _ in range(_ORJSON_DEPTH - MAX_DEPTH):
        value = [value]
    try:
        orjson.dumps(value, option=_STRICT)
    except TypeError:
        return True
    return False


def _walk(value: object, what: str) -> JsonValue:
    """A fresh copy of `value` made of plain JSON types, or `NotJsonError` with the path."""
    try:
        return _to_json(value, what, "", 0)
    except NotJsonError:
        raise
    except Exception as error:
        raise NotJsonError(
            f"{what} cannot be read: looking into it raised {type(error).__name__}",
            where="(top)",
            fix="give plain objects, lists, text and numbers",
        ) from error


def _to_json(value: Any, what: str, path: str, depth: int) -> JsonValue:
    if isinstance(value, dict | list | tuple):
        if depth == MAX_DEPTH:
            raise NotJsonError(
                f"{what} is nested more than {MAX_DEPTH} levels deep",
                where=_beginning(path),
                fix="give a flatter value; a structure that contains itself has no JSON form",
            )
        if isinstance(value, dict):
            return _object(value, what, path, depth)
        return [_to_json(v, what, f"{path}[{i}]", depth + 1) for i, v in enumerate(value)]
    if value is None or value is True or value is False:
        return value
    if isinstance(value, str):
        return _text(value, what, path)
    if isinstance(value, int):
        number = int.__index__(value)
        if not -(2**63) <= number < 2**64:
            raise _refused(value, what, path, "give integers beyond 64 bits as text")
        return number
    if isinstance(value, float):
        if not math.isfinite(value):
            raise _refused(value, what, path, "use null or text for a number that is not finite")
        return float.__float__(value)
    raise _refused(value, what, path, "give objects, lists, text, numbers, true, false or null")


def _object(value: dict[Any, Any], what: str, path: str, depth: int) -> JsonValue:
    result: dict[str, JsonValue] = {}
    for key, item in value.items():
        if not isinstance(key, str):
            raise _refused(key, what, path, "object keys must be text")
        name = _text(key, what, path)
        below = f"{path}.{quote_key(name)}" if path else quote_key(name)
        result[name] = _to_json(item, what, below, depth + 1)
    return result


def quote_key(key: str) -> str:
    """A key as the path language writes it: in quotes where it would be misread without."""
    if _PLAIN_KEY.fullmatch(key):
        return key
    return '"' + key.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _beginning(path: str) -> str:
    """The start of a long path: its first segments, whole."""
    if len(path) <= _SHOWN_PATH:
        return path
    quote = path.find('"', 0, _SHOWN_PATH)  # a quoted key may hold dots
    cut = _SHOWN_PATH if quote < 0 else quote
    return path[: max(path.rfind(".", 0, cut), path.rfind("[", 0, cut), 0)] + "…"


def _text(value: str, what: str, path: str) -> str:
    try:
        str.encode(value)
    except UnicodeEncodeError:
        raise _refused(
            value, what, path, "text must be valid Unicode (no lone surrogates)"
        ) from None
    return str.__str__(value)  # plain text, whatever subclass it was


def _refused(value: object, what: str, path: str, fix: str) -> NotJsonError:
    kind = type(value).__name__
    shown = _safe_repr(value)
    return NotJsonError(
        f"{what} is not JSON: {kind} {shown} at {path or 'the top'}",
        where=path or "(top)",
        fix=fix,
    )


def _safe_repr(value: object) -> str:
    """A short value as Python writes it; of a longer one nothing.

    Never a part: a secret that was cut in two could no longer be found and redacted.
    """
    try:
        text = repr(value).encode("utf-8", "backslashreplace").decode()
    except Exception:
        return "(without a repr)"
    return text if len(text) <= _SHOWN_REPR else f"({len(text)} characters)"


def equal(left: JsonValue, right: JsonValue) -> bool:
    """Equality by JSON value: `1` equals `1.0`, `True` never equals `1`, key order is nothing."""
    if left is right:
        return True
    if isinstance(left, dict | list):
        # Python's `==` only errs by taking booleans for numbers, and equal bytes rule that out.
        if left != right:
            return False
        return encode(left) == encode(right) or _equal(left, right)
    return _equal(left, right)


def _equal(left: JsonValue, right: JsonValue) -> bool:
    if isinstance(left, dict):
        return (
            isinstance(right, dict)
            and len(left) == len(right)
            and all(key in right and _equal(item, right[key]) for key, item in left.items())
        )
    if isinstance(left, list):
        return (
            isinstance(right, list)
            and len(left) == len(right)
            and all(_equal(a, b) for a, b in zip(left, right, strict=True))
        )
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    return left == right
