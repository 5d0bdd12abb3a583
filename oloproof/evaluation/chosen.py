"""A check that is for some cases only: those whose ids its line names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from oloproof.evaluation.contract import not_applicable
from oloproof.evaluation.outputs import NOTHING, OutputCheck

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oloproof.canonical import JsonValue
    from oloproof.evaluation.contract import Context, Evaluator, FaultDemand, NamedPlace, Verdict
    from oloproof.evaluation.outputs import Since, Statement
    from oloproof.records.case import Case

_ANOTHER_CASE: Final = not_applicable("another_case")


def fits(pattern: str, name: str) -> bool:
    """Whether an id fits a pattern: `*` is any text, `?` one character, all else itself."""
    return _compiled(pattern).fullmatch(name) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    signs = {"*": ".*", "?": "."}
    return re.compile("".join(signs.get(sign, re.escape(sign)) for sign in pattern), re.DOTALL)


def fits_any(patterns: Iterable[str], case: Case) -> bool:
    """Whether the id of a case, of a copy that of its source, fits one of some patterns."""
    return any(fits(pattern, case.source or case.id) for pattern in patterns)


def speaks_of(evaluator: Evaluator, case: Case) -> bool:
    """Whether a check is for a case."""
    return not isinstance(evaluator, ForCases) or evaluator.speaks_of(case)


@dataclass(frozen=True, slots=True)
class ForCases:
    """The `inner` check, of cases whose id (a copy's is its source's) fits one of the `patterns`.

    `*` stands for any text, `?` for one character. `where` is the `file:line: field` of them.
    """

    inner: Evaluator
    patterns: tuple[str, ...]
    where: str | None

    def speaks_of(self, case: Case) -> bool:
        """Whether a case is one of those."""
        return fits_any(self.patterns, case)

    @property
    def metric(self) -> str:
        """That of the check."""
        return self.inner.metric

    @property
    def transform(self) -> str | None:
        """That of the check."""
        return self.inner.transform

    @property
    def of_output(self) -> bool:
        """As the check says."""
        return self.inner.of_output

    @property
    def needs_initial_state(self) -> bool:
        """As the check says."""
        return self.inner.needs_initial_state

    @property
    def expected_fields(self) -> frozenset[str]:
        """Those that the check reads."""
        return self.inner.expected_fields

    @property
    def named_places(self) -> tuple[NamedPlace, ...]:
        """Those that the check names."""
        return self.inner.named_places

    @property
    def named_tools(self) -> frozenset[str]:
        """Those that the check names."""
        return self.inner.named_tools

    @property
    def needed_tools(self) -> frozenset[str]:
        """Those that the check needs."""
        return self.inner.needed_tools

    def worlds(self, case: Case) -> list[JsonValue]:
        """The states in which its places are looked for; none of another case."""
        return self.inner.worlds(case) if self.speaks_of(case) else []

    def demands(self) -> tuple[FaultDemand, ...]:
        """The faulted replays that the check needs."""
        return self.inner.demands()

    def check_case(self, case: Case) -> None:
        """Refuses what the check could never judge, of its own cases."""
        if self.speaks_of(case):
            self.inner.check_case(case)

    def output_said(self, context: Context, since: Since) -> Statement:
        """What the check makes of an output; nothing of another case's."""
        inner = self.inner
        if isinstance(inner, OutputCheck) and self.speaks_of(context.case):
            return inner.output_said(context, since)
        return NOTHING

    def evaluate(self, context: Context) -> Verdict:
        """Not applicable to another case."""
        return self.inner.evaluate(context) if self.speaks_of(context.case) else _ANOTHER_CASE
