"""The options of a line under `evaluators:`, as every type of evaluator has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from pydantic import Field

from oloproof.errors import ConfigurationError
from oloproof.suites.validation import Fields

if TYPE_CHECKING:
    from oloproof.bookkeeping import Bookkeeping


class Line(Protocol):
    """Where the options of a line stand, and what they cannot name."""

    @property
    def bookkeeping(self) -> Bookkeeping:
        """What counts in no comparison."""

    def where(self, *place: str | int) -> str | None:
        """The `file:line: field` of an option."""


class EvaluatorOptions(Fields):
    """The fields of one line under `evaluators:` in the suite; each type adds its own.

    `dimension` is the part of the scorecard that the metric counts in, and `cases` whom the
    check is for (ids, with `*` and `?`); no evaluator reads them.
    """

    type: str
    criterion: str | None = Field(default=None, min_length=1)
    dimension: str | None = Field(default=None, min_length=1)
    cases: tuple[str, ...] | None = Field(default=None, min_length=1)

    @property
    def criterion_or_type(self) -> str:
        """The name of the one metric of a line: its criterion, or else its type."""
        return self.criterion or self.type


class OptionError(ConfigurationError):
    """An option that is wrong in its suite, raised by an evaluator's `build`.

    The registry adds the file and the line of `field`.
    """

    def __init__(self, field: str, what: str, *, fix: str) -> None:
        super().__init__(what, where=field, fix=fix)
        self.field = field
