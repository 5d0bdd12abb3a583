"""Text that does not have the form it should have."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from oloproof.suites.places import Place


class MalformedError(Exception):
    """No strict JSON or YAML: what is wrong, on which line (from 1), and how to fix it."""

    def __init__(self, what: str, *, line: int, fix: str, place: Place = ()) -> None:
        super().__init__(what)
        self.what = what
        self.line = line
        self.fix = fix
        self.place = place
