"""Reports in which every free text tries to get out: markup, escapes, width and length."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from oloproof.records.report import Report

    R = TypeVar("R", bound=Report)

HOSTILE: Final = (
    "[bold red]\x1b[31mPASS\x1b[0m[/] \u202e\u6f22\u5b57\u7d75\U0001f600e\u0301 \r\n\t"
    "/" + "very_long_folder/" * 8 + "name.json  two  spaces"
)
"""Appended to every text that a user, a model or a file could have written."""

_CLOSED: Final = frozenset(
    {"status", "verdict", "method", "kind", "as", "phase", "started_at", "duration"}
)
"""Fields that only take words of ours."""

_FREE_KEYS: Final = frozenset(
    {
        *("missing", "excluded", "passes", "failures", "failed", "outcomes"),
        *("state", "input", "expected", "actual"),
    }
)
"""Fields whose value is an object with names of the user's."""


def hostile(report: R) -> R:
    """`report` with the hostile text in every field and every name that is not ours."""
    return type(report).model_validate(_spoil(report.model_dump()))


def _spoil(value: Any, field: str = "") -> Any:
    if isinstance(value, str):
        return value if field in _CLOSED else value + HOSTILE
    if isinstance(value, list):
        return [_spoil(item, field) for item in value]
    if isinstance(value, dict):
        suffix = HOSTILE if field in _FREE_KEYS else ""
        return {key + suffix: _spoil(item, field if suffix else key) for key, item in value.items()}
    return value
