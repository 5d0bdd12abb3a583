"""Models over located files: how each kind of fault is said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import pytest
from pydantic import BaseModel, Field, field_validator

from oloproof.suites.explanation import describe
from oloproof.suites.located import read_document
from oloproof.suites.validation import Fields, refuse, validate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from oloproof.errors import ConfigurationError

    Refusal = Callable[..., ConfigurationError]


class Wheel(Fields):
    """A part."""

    size: int
    as_: str = Field(default="round", alias="as")

    not_yet: ClassVar[Mapping[str, str]] = {"motor": "push it"}


class Engine(BaseModel):
    """Another part, of a plain model."""

    model_config = {"extra": "forbid"}

    power: int


class Car(Fields):
    """A whole with parts of every shape."""

    wheels: list[Wheel] = Field(default_factory=list, max_length=2)
    spare: Wheel | None = None
    named: dict[str, Wheel] = Field(default_factory=dict)
    either: Wheel | Engine | list[str] | None = None
    kind: Literal["car", "van"] = "car"
    colour: str = "red"
    ratio: Annotated[float, Field(lt=1)] = 0.5
    plate: str = Field(default="A", pattern="^[A-Z]+$")
    seats: int = 4

    @field_validator("colour")
    @classmethod
    def _painted(cls, colour: str) -> str:
        if colour == "none":
            raise ValueError("a car needs paint")
        return colour

    @field_validator("seats")
    @classmethod
    def _enough(cls, seats: int) -> int:
        if seats == 13:
            raise refuse("13 seats are unlucky", fix="take 12")
        return seats


@pytest.mark.parametrize(
    ("text", "where", "what", "fix"),
    [
        ("wheels: [{size: 1}, {siez: 1}]", ":1: wheels[1].siez", "in `wheels[1]` (and 1", "`size`"),
        ("wheels:\n- size: x", ":2: wheels[0].size", "a whole number, not `x`", "whole number"),
        ("wheels:\n- size: '3'", ":2: wheels[0].size", "not `3`", "without quotes: 3"),
        ("wheels: [{size: 1, a: 2}]", ":1: wheels[0].a", "unknown field `a`", "did you mean `as`?"),
        ("wheels: [{size: 1, motor: 2}]", ":1: wheels[0].motor", "unknown field", "push it"),
        ("wheels: [{size: 1},{size: 1},{size: 1}]", ":1: wheels", "is refused", "correct"),
        ("spare:\n  size: 1.5", ":2: spare.size", "a whole number, not the number 1.5", "whole"),
        ("spare: {}", ":1: spare.size", "`size` is missing in `spare`", "add `size`"),
        ("named:\n  left: {size: a}", ":2: named.left.size", "a whole number", "whole number"),
        ("named:\n  a.b: {size: a}", ':2: named."a.b".size', "a whole number", "whole number"),
        ("either: {sise: 1}", ":1: either.sise", "unknown field `sise`", "`size`"),
        ("either: [1]", ":1: either", "must be", "write"),
        ("kind: 1", ":1: kind", "cannot be the number 1", "known: `car`, `van`"),
        ("kind: vann", ":1: kind", "cannot be `vann`", "did you mean `van`?"),
        ("colour: none", ":1: colour", "is refused: a car needs paint", "correct the value"),
        ("seats: 13", ":1: seats", "13 seats are unlucky", "take 12"),
        ("seats: [4]", ":1: seats", "a whole number, not a list", "write a whole number"),
        ("ratio: 50", ":1: ratio", "must be less than 1, not 50", "fraction: 0.5"),
        ("ratio: 500", ":1: ratio", "must be less than 1, not 500", "less than 1"),
        ("plate: a", ":1: plate", "is refused", "correct the value"),
        ("seats: x\ncolour: 1", ":1: seats", "(and 1 more)", "whole number"),
        ("colour: 1\nseats: x", ":1: colour", "(and 1 more)", 'quote it: "1"'),
    ],
)
def test_each_fault_is_said_where_it_is(
    project: Path, refusal: Refusal, text: str, where: str, what: str, fix: str
) -> None:
    """The first fault is said in full with its place; the others are counted."""
    path = project / "car.yaml"
    path.write_text(text)
    document = read_document(path, "the car")
    refusal(lambda: validate(document, Car), where=f"car.yaml{where}", what=what, fix=fix)


def test_a_part_of_a_document_is_validated_in_its_place(project: Path, refusal: Refusal) -> None:
    """Faults of a part are said by their place in the whole file."""
    path = project / "car.yaml"
    path.write_text("parts:\n- size: 1\n- size: a\n")
    document = read_document(path, "the car")
    assert 1 == validate(document, Wheel, ("parts", 0)).size
    refusal(
        lambda: validate(document, Wheel, ("parts", 1)),
        where="car.yaml:3: parts[1].size",
        what="`parts[1].size` must be a whole number",
    )


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, "empty (null)"),
        (True, "true"),
        (1.0, "the number 1.0"),
        ("x" * 100, "`" + "x" * 59 + "…`"),
        ("", "an empty text"),
        ([], "an empty list"),
        ([1], "a list"),
        ({}, "an object"),
    ],
)
def test_values_are_named_by_their_kind(value: object, expected: str) -> None:
    """What stands in a file is described in a few words, however long it is."""
    assert expected == describe(value)
