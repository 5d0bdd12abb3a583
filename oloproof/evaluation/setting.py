"""What an evaluator may know of its suite when it is built."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from oloproof.bookkeeping import NO_BOOKKEEPING, Bookkeeping
from oloproof.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from oloproof.canonical import JsonValue
    from oloproof.evaluation.outputs import OutputCheck
    from oloproof.evaluation.states.expected import ExpectedStates


def _nowhere(*place: str | int) -> str | None:  # noqa: ARG001  # there is no line
    return None


def _no_file(name: str, **_: object) -> JsonValue:
    raise ConfigurationError(
        f"there is no folder in which `{name}` could be",
        fix="give what the file holds instead of its name",
    )


class Setting(NamedTuple):
    """What an evaluator may know of its suite when it is built.

    `expected_states` is how the suite's `state_matches` lines compare (exactly without one),
    `output_checks` are those that tell whether an output is the expected one, `bookkeeping`
    is what counts in no comparison, `with_baselines` whether sources are run again unchanged,
    and `root` the project's folder.
    `where` gives the `file:line: field` of an option of the line that is built, `read` the
    value of a JSON, YAML or JSON Lines (a list) file that an option names, relative to the suite.
    """

    transforms: tuple[str, ...]
    expected_states: ExpectedStates
    bookkeeping: Bookkeeping = NO_BOOKKEEPING
    where: Callable[..., str | None] = _nowhere
    read: Callable[..., JsonValue] = _no_file
    output_checks: tuple[OutputCheck, ...] = ()
    with_baselines: bool = False
    root: Path | None = None
