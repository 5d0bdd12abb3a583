"""A stored run, as it is read out of the store."""

from __future__ import annotations

from typing import Any, NamedTuple


class RunRecord(NamedTuple):
    """A stored run: its manifest (what was asked) and its summary (what was counted)."""

    number: int
    status: str
    started_at: str
    manifest: dict[str, Any]
    summary: dict[str, Any]
