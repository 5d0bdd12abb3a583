"""What an evaluator is: it states what it needs, looks at evidence, and returns a verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, Protocol

from oloproof.bookkeeping import NO_BOOKKEEPING, Bookkeeping
from oloproof.records.faults import Duration, EffectKind, fault_label

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oloproof.canonical import JsonValue
    from oloproof.paths import Absent, Path
    from oloproof.records.case import Case
    from oloproof.records.evidence import CaseEvidence, FaultReplay

Status = Literal["pass", "fail", "not_applicable", "missing"]


# Comparisons and verdicts are made for every check of every case: as named tuples in a third
# of the time that frozen dataclasses take.
class Comparison(NamedTuple):
    """One place that was compared, after `turn` in a conversation; the whole value's path is empty.

    `MISSING` on a side means that nothing is there.
    """

    path: str
    expected: JsonValue | Absent
    actual: JsonValue | Absent
    passed: bool
    note: str | None = None
    turn: int | None = None


class Verdict(NamedTuple):
    """What an evaluator says of a case.

    `reason` is a stable word for why it is not applicable or missing, `label` a stable word
    for what was seen (such as `false_success`), `detail` one sentence for people.
    """

    status: Status
    reason: str | None = None
    label: str | None = None
    detail: str | None = None
    compared: tuple[Comparison, ...] = ()

    @property
    def code(self) -> str:
        """The verdict as one short word: `p`, `f`, `n` or `m`, with `:label or reason`."""
        word = self.reason or self.label
        return _LETTER[self.status] + (f":{word}" if word else "")


_LETTER: Final[Mapping[Status, str]] = {
    "pass": "p",
    "fail": "f",
    "not_applicable": "n",
    "missing": "m",
}


def passed(
    *, label: str | None = None, detail: str | None = None, compared: tuple[Comparison, ...] = ()
) -> Verdict:
    """A pass."""
    return Verdict("pass", label=label, detail=detail, compared=compared)


def failed(
    *, label: str | None = None, detail: str | None = None, compared: tuple[Comparison, ...] = ()
) -> Verdict:
    """A failure."""
    return Verdict("fail", label=label, detail=detail, compared=compared)


def not_applicable(
    reason: str, *, detail: str | None = None, compared: tuple[Comparison, ...] = ()
) -> Verdict:
    """The check does not speak of this case; it is excluded, with the reason counted."""
    return Verdict("not_applicable", reason=reason, detail=detail, compared=compared)


def missing(
    reason: str, *, detail: str | None = None, compared: tuple[Comparison, ...] = ()
) -> Verdict:
    """The check should speak but cannot: it is bounded by worst and best, never dropped."""
    return Verdict("missing", reason=reason, detail=detail, compared=compared)


class FaultDemand(NamedTuple):
    """A fault to be tried: the `occurrence`-th call (from 1) of the tool `name` gets `fault`.

    As many calls of it from there on get it as `duration` says. With a `turn`, the calls of
    that turn are counted. Where a tool and a model share a name, `kind` chooses one.
    """

    name: str
    fault: str
    occurrence: int = 1
    duration: Duration = "once"
    turn: int | None = None
    kind: EffectKind = "tool"

    @property
    def label(self) -> str:
        """The kind of fault with its duration."""
        return fault_label(self.fault, self.duration)


class NamedPlace(NamedTuple):
    """A place of the world that an option names; one that no case has is most likely misspelt.

    `where` is the `file:line: field` of the option. Without a place that is `needed` nothing
    would be compared; another one is only to be told.
    """

    path: Path
    where: str | None
    needed: bool = False


class Context(NamedTuple):
    """All that an evaluator may look at: one case, its evidence, its replays, its source.

    `baseline` is what became of the source when it was run again unchanged.
    What the sandbox writes down by itself, its `bookkeeping`, counts in no comparison of worlds.
    """

    case: Case
    evidence: CaseEvidence
    replays: Mapping[FaultDemand, FaultReplay] = {}
    source: Context | None = None
    bookkeeping: Bookkeeping = NO_BOOKKEEPING
    baseline: Context | None = None


class Evaluator(Protocol):
    """One check that makes one metric. Built-in evaluators are pure."""

    @property
    def metric(self) -> str:
        """The name of the metric it makes."""

    @property
    def transform(self) -> str | None:
        """The transform whose pairs it judges, or None for a check of single cases."""

    @property
    def of_output(self) -> bool:
        """Whether it looks at nothing but the output, which is given when a case ends."""

    @property
    def needs_initial_state(self) -> bool:
        """Whether it can judge only cases that have an `initial_state`."""

    @property
    def expected_fields(self) -> frozenset[str]:
        """The fields of a case's `expected` that it reads."""

    @property
    def named_places(self) -> tuple[NamedPlace, ...]:
        """The places of the world that some case should have."""

    @property
    def named_tools(self) -> frozenset[str]:
        """The tools that it names: one that nobody ever calls is most likely misspelt."""

    @property
    def needed_tools(self) -> frozenset[str]:
        """Those of them without any call of which it shows nothing."""

    def worlds(self, case: Case) -> list[JsonValue]:
        """The states given with a case in which the named places are looked for."""

    def demands(self) -> tuple[FaultDemand, ...]:
        """The faulted replays it needs."""

    def check_case(self, case: Case) -> None:
        """Raises `ConfigurationError` for a case that it could never judge, before a run."""

    def evaluate(self, context: Context) -> Verdict:
        """The verdict on one case; never raises for what a user's system did."""


@dataclass(frozen=True, slots=True)
class CaseCheck:
    """What most evaluators begin with: a check of single cases that needs only their evidence."""

    metric: str

    @property
    def transform(self) -> str | None:
        """None: it judges single cases."""
        return None

    @property
    def of_output(self) -> bool:
        """False: it looks at calls or states."""
        return False

    @property
    def expected_fields(self) -> frozenset[str]:
        """None: what is expected does not matter to it."""
        return frozenset()

    @property
    def needs_initial_state(self) -> bool:
        """False: the evidence is enough."""
        return False

    @property
    def named_places(self) -> tuple[NamedPlace, ...]:
        """None: it names no place, or one that may as well be nowhere."""
        return ()

    @property
    def named_tools(self) -> frozenset[str]:
        """None: it is no check of calls."""
        return frozenset()

    @property
    def needed_tools(self) -> frozenset[str]:
        """None: that a tool is not called may be what it asks for."""
        return frozenset()

    def worlds(self, case: Case) -> list[JsonValue]:
        """The initial state, if there is one."""
        return [] if case.initial_state is None else [case.initial_state]

    def demands(self) -> tuple[FaultDemand, ...]:
        """No replay."""
        return ()

    def check_case(self, case: Case) -> None:
        """Every case will do."""
