"""What is wrong with a case in a file, before the file's name and line are known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oloproof.suites.explanation import describe
from oloproof.suites.places import show_place

if TYPE_CHECKING:
    from oloproof.canonical import JsonValue
    from oloproof.suites.places import Place


class FaultyCaseError(Exception):
    """A case is wrong: what, at which place in it, and how to fix it."""

    def __init__(self, what: str, place: Place, fix: str) -> None:
        super().__init__(what)
        self.what = what
        self.place = place
        self.fix = fix


def wrong_type(place: Place, wanted: str, value: JsonValue) -> FaultyCaseError:
    """The error of a value that is of another type than is `wanted`."""
    shown = f"`{show_place(place)}`" if place else "the entry"
    return FaultyCaseError(
        f"{shown} must be {wanted}, not {describe(value)}", place, f"write {wanted} here"
    )
