"""The deadline of an async call."""

from __future__ import annotations


class DeadlinePassedError(Exception):
    """An awaited call took too long; it has been cancelled."""
