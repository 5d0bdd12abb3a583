"""Keeps secrets out of everything that leaves the process of the system.

Redacted is what a user's code wrote: values with their keys, texts, names. What Oloproof
itself writes around it (field names, kinds, numbers of steps) stays, whatever a pattern says.
"""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, quote_plus

from oloproof.canonical import JsonValue, decode, encode_in_order, quote_key
from oloproof.errors import ConfigurationError
from oloproof.records.shapes import FREE, REDACTED, Shape

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_PATTERN_MARK: Final = f"{REDACTED}pattern]"

SHORTEST_SECRET: Final = 4
"""A shorter value of a variable is no secret, and would blot out half of every text."""

_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def is_variable(rule: str) -> bool:
    """Whether a rule names an environment variable; else it is a pattern."""
    return _VARIABLE.fullmatch(rule) is not None


class Redaction:
    """Replaces the values of named environment variables and whatever matches a pattern.

    A variable's value is found as it is and as JSON, Python or a URL would write it, and stays
    known when the variable changes; `refresh` looks for values that were set since.
    """

    def __init__(self, rules: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
        self._environment = os.environ if environment is None else environment
        self._variables = [rule for rule in rules if _VARIABLE.fullmatch(rule)]
        self._patterns = [_compile(rule) for rule in rules if not _VARIABLE.fullmatch(rule)]
        self._marks: dict[str, str] = {}  # by every form of a secret
        self._secrets: re.Pattern[str] | None = None
        self.refresh()

    def __bool__(self) -> bool:
        return self._secrets is not None or bool(self._patterns)

    @property
    def is_asked_for(self) -> bool:
        """Whether there are rules, be it of variables that have no value yet."""
        return bool(self._variables or self._patterns)

    def refresh(self) -> None:
        """Learn the values that the variables have now: a system may load them late."""
        for name in self._variables:
            secret = self._environment.get(name, "")
            if len(secret) >= SHORTEST_SECRET and secret not in self._marks:
                self._marks |= dict.fromkeys(_forms(secret), f"{REDACTED}{name}]")
                # The longest first: where one lies in another, no rest of the longer may stay.
                longest_first = sorted(self._marks, key=len, reverse=True)
                self._secrets = re.compile("|".join(map(re.escape, longest_first)))

    def of_text(self, text: str) -> str:
        """`text` with every secret replaced."""
        if self._secrets is not None:
            text = self._secrets.sub(lambda found: self._marks[found.group()], text)
        for pattern in self._patterns:
            text = pattern.sub(_PATTERN_MARK, text)
        return text

    def of_json(self, data: bytes) -> bytes:
        """JSON, its keys in the order given, with every secret in texts and keys replaced."""
        if not self:
            return data
        value = decode(data)
        cleaned = self.of_value(value)
        return data if cleaned is value else encode_in_order(cleaned)

    def of_json_text(self, text: str) -> str:
        """Like `of_json`, for JSON that is text in a record: a secret in it is escaped there."""
        return self.of_json(text.encode()).decode() if self else text

    def of_value(self, value: JsonValue) -> JsonValue:
        """`value` itself where nothing is secret, else a copy without the secrets."""
        return self._clean(value, FREE) if self else value

    def of_record(self, record: Any, shape: Shape) -> Any:
        """A record of ours with the secrets in its free fields replaced."""
        return self._clean(record, shape) if self else record

    def _clean(self, value: Any, shape: Shape | None) -> Any:
        if shape is None or value is None or value is True or value is False:
            return value
        if isinstance(value, str):
            cleaned = self.of_text(value)
            return value if cleaned == value else cleaned
        if isinstance(value, list):
            items = [self._clean(item, shape) for item in value]
            return value if all(a is b for a, b in zip(items, value, strict=True)) else items
        if isinstance(value, dict):
            return self._clean_object(value, shape)
        return self._clean_number(value)

    def _clean_object(self, value: dict[str, Any], shape: Shape) -> dict[str, Any]:
        changed = False
        out: dict[str, Any] = {}
        for key, item in value.items():
            name = self.of_text(key) if shape is FREE else key
            kept = self._clean(item, FREE if shape is FREE else shape.get(key))
            changed = changed or kept is not item or name != key
            out[_unused(name, out)] = kept
        return out if changed else value

    def _clean_number(self, value: float) -> JsonValue:
        """The mark where the number as a whole is a secret: its digits alone prove little."""
        text = str(value)
        if text in self._marks:
            return self._marks[text]
        return _PATTERN_MARK if any(p.fullmatch(text) for p in self._patterns) else value


def _unused(name: str, taken: Mapping[str, Any]) -> str:
    """Keys that differed in their secrets alone stay apart: the second gets a number."""
    if name not in taken:
        return name
    number = 2
    while f"{name}#{number}" in taken:
        number += 1
    return f"{name}#{number}"


def _forms(secret: str) -> set[str]:
    """A secret as it is, and as it is written inside other text."""
    quoted = quote_key(secret)
    return {
        secret,
        json.dumps(secret)[1:-1],
        json.dumps(secret, ensure_ascii=False)[1:-1],
        repr(secret)[1:-1],
        quoted[1:-1] if quoted != secret else secret,
        quote(secret, safe="", errors="replace"),
        quote_plus(secret, errors="replace"),
    }


def _compile(pattern: str) -> re.Pattern[str]:
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise _unusable(pattern, f"cannot be read: {error}") from None
    if compiled.search(""):
        raise _unusable(pattern, "matches even the empty text")
    return compiled


def _unusable(pattern: str, why: str) -> ConfigurationError:
    return ConfigurationError(
        f"the redaction pattern {pattern!r} {why}",
        where="oloproof.yaml: redact",
        fix="give the name of an environment variable or a Python regular expression",
    )
