"""The options by which a check says of which calls it speaks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator, Field

from oloproof.suites.validation import refuse

if TYPE_CHECKING:
    from collections.abc import Iterable


def _named(given: str | tuple[str, ...]) -> str | tuple[str, ...]:
    if not given:
        raise refuse("no name is given", mend="write one, or a list of them")
    return _each_once(given)


def _each_once(given: str | tuple[str, ...]) -> str | tuple[str, ...]:
    listed = (given,) if isinstance(given, str) else given
    for position, name in enumerate(listed):
        place = () if isinstance(given, str) else (position,)
        if not name:
            raise refuse("a name is empty", mend="write the name", at=place)
        if name in listed[:position]:
            raise refuse(f"`{name}` is given twice", mend="keep one of them", at=place)
    return given


Names = Annotated[str | tuple[str, ...], AfterValidator(_named)]
"""A name or a list of names, none of them empty or given twice."""

NameList = Annotated[tuple[str, ...], Field(min_length=1), AfterValidator(_named)]
"""A list of names, none of them empty or given twice."""

AnyNames = Annotated[tuple[str, ...], AfterValidator(_each_once)]
"""A list of names, maybe without any, none of them empty or given twice."""


def names(given: str | Iterable[str]) -> tuple[str, ...]:
    """The names that `Names` holds."""
    return (given,) if isinstance(given, str) else tuple(given)
