"""Keeps secrets out of everything that leaves the process of the system."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Final

from oloproof.canonical import JsonValue, decode, encode
from oloproof.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

MARK: Final = "[redacted:"
"""How every redacted place begins; what follows names the rule."""

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SHORTEST_SECRET = 4


class Redaction:
    """Replaces the values of named environment variables and whatever matches a pattern."""

    def __init__(self, rules: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
        environment = os.environ if environment is None else environment
        self._rules = [_compile(rule, environment) for rule in rules]
        self._rules = [rule for rule in self._rules if rule is not None]

    def __bool__(self) -> bool:
        return bool(self._rules)

    def of_json(self, data: bytes) -> bytes:
        """Canonical JSON with every secret in its strings (and keys) replaced."""
        if not self._rules:
            return data
        value = decode(data)
        cleaned = self._clean(value)
        return data if cleaned is value else encode(cleaned)

    def of_text(self, text: str) -> str:
        """`text` with every secret replaced."""
        for rule in self._rules:
            if rule is not None:
                text = rule[0].sub(rule[1], text)
        return text

    def _clean(self, value: JsonValue) -> JsonValue:
        """`value` itself where nothing is secret, else a copy."""
        if isinstance(value, str):
            cleaned = self.of_text(value)
            return value if cleaned == value else cleaned
        if isinstance(value, list):
            items = [self._clean(item) for item in value]
            return value if all(a is b for a, b in zip(items, value, strict=True)) else items
        if isinstance(value, dict):
            pairs = [(self._clean(key), self._clean(item)) for key, item in value.items()]
            same = all(
                new_key is key and new is item
                for (new_key, new), (key, item) in zip(pairs, value.items(), strict=True)
            )
            return value if same else {str(key): item for key, item in pairs}
        return value


def _compile(rule: str, environment: Mapping[str, str]) -> tuple[re.Pattern[str], str] | None:
    if _VARIABLE.fullmatch(rule):
        secret = environment.get(rule, "")
        if len(secret) < _SHORTEST_SECRET:
            return (
                None  # an unset variable has no value to leak; a tiny one would blot out everything
            )
        return re.compile(re.escape(secret)), f"{MARK}{rule}]".replace("\\", r"\\")
    try:
        return re.compile(rule), f"{MARK}pattern]"
    except re.error as error:
        raise ConfigurationError(
            f"the redaction pattern {rule!r} cannot be read: {error}",
            where="oloproof.yaml: redact",
            mend="give the name of an environment variable or a Python regular expression",
        ) from None
