"""Where something stands in a user's file: the place inside the value, and how it is shown."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

from oloproof.paths import render

Place: TypeAlias = tuple[str | int, ...]
"""The keys and list positions that lead to a value."""


def show_place(place: Place) -> str:
    """A place in the words of the path language, such as `rules[0].metric`."""
    return render(place)


def show_path(path: Path) -> str:
    """A path as a person would type it: relative where it lies below the current folder."""
    try:
        return str(path.relative_to(Path.cwd()))
    except (ValueError, OSError):
        return str(path)


def show_where(path: Path, line: int | None = None, place: Place = ()) -> str:
    """`file:line: field`, without the parts that are not known."""
    where = show_path(path) if line is None else f"{show_path(path)}:{line}"
    return f"{where}: {show_place(place)}" if place else where
