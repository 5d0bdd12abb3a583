"""The options by which a suite says which fault strikes where, and what may happen then."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from oloproof.errors import suggest
from oloproof.evaluation.contract import FaultDemand
from oloproof.evaluation.options import EvaluatorOptions
from oloproof.evaluation.states.comparison import Mode  # noqa: TC001  # pydantic resolves it
from oloproof.evaluation.states.options import PathText  # noqa: TC001  # pydantic resolves it
from oloproof.records.faults import (
    Duration,
    EffectKind,
    fault_names,
    faults_at,
    is_duration,
    plan_of,
)
from oloproof.suites.explanation import describe
from oloproof.suites.validation import refuse

if TYPE_CHECKING:
    from collections.abc import Iterable

_LASTING: Final[dict[Duration, str]] = {"once": "", "always": "_always"}


class Refusal(NamedTuple):
    """Why something cannot be, and what to write instead."""

    what: str
    fix: str


def refused_at_model(fault: str | None) -> Refusal | None:
    """Why a fault cannot strike a model; None where it can."""
    if fault not in fault_names() or not plan_of(fault).applied:
        return None
    return Refusal(
        f"`{fault}` cannot strike a model: it is about an effect, and a model has none",
        "name one of " + _listed(faults_at("model")),
    )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _known_faults(given: str | tuple[str, ...]) -> str | tuple[str, ...]:
    if given == "all":
        return given
    if not given:
        every = _listed(faults_at("tool"))
        raise refuse("`fault` is empty", fix=f"name one or a list of {every}, or `all`")
    names = (given,) if isinstance(given, str) else given
    for position, name in enumerate(names):
        place = () if isinstance(given, str) else (position,)
        if name == "all":
            raise refuse("`all` stands in a list of faults", fix="write `fault: all`", at=place)
        if name not in fault_names():
            raise refuse(f"`{name}` is no fault", fix=suggest(name, fault_names()), at=place)
        if name in names[:position]:
            raise refuse(f"the fault `{name}` is given twice", fix="keep one", at=place)
    return given


def _known_duration(given: object) -> object:
    if is_duration(given):
        return given
    raise refuse(
        f"`duration` cannot be {describe(given)}",
        fix="write `once`, `always`, or a number of calls: for how many it lasts",
    )


class FaultOptions(EvaluatorOptions):
    """Which call fails, how and how often, and what may and may not happen then.

    The call is one of a `tool` or of a `model`. `fault` is one, a list (each makes its own
    metric) or `all`. With a `turn` the calls of
    that turn are counted. `mode` replaces the mode of `state_matches` in which the expected
    state is compared.
    """

    tool: str | None = Field(default=None, min_length=1)
    model: str | None = Field(default=None, min_length=1)
    fault: Annotated[str | tuple[str, ...], AfterValidator(_known_faults)]
    occurrence: int = Field(default=1, ge=1)
    turn: int | None = Field(default=None, ge=1)
    duration: Annotated[Duration, BeforeValidator(_known_duration)] = "once"
    escalate_tools: tuple[str, ...] = ()
    alternative_tools: tuple[str, ...] = ()
    unchanged: tuple[PathText, ...] = ()
    mode: Mode | None = None

    @model_validator(mode="after")
    def _names_one_call(self) -> FaultOptions:
        if self.tool is None and self.model is None:
            raise refuse(
                "neither a tool nor a model is named: nothing says which call fails",
                fix="write `tool: NAME`, or `model: NAME` for a call of a language model",
                at=("tool",),
            )
        if self.tool is not None and self.model is not None:
            raise refuse(
                "a tool and a model are named, and one call fails",
                fix="write a line for each of them",
                at=("model",),
            )
        names = (self.fault,) if isinstance(self.fault, str) else self.fault
        for position, fault in enumerate(names):
            refused = None if self.model is None else refused_at_model(fault)
            if refused is not None:
                at = ("fault",) if isinstance(self.fault, str) else ("fault", position)
                raise refuse(refused.what, fix=refused.fix, at=at)
        return self

    @property
    def target(self) -> str:
        """The name of the tool or model whose call fails."""
        return self.tool or self.model or ""

    def demands(self) -> list[FaultDemand]:
        """The faults that are to be tried, in the order given."""
        kind: EffectKind = "tool" if self.model is None else "model"
        names = faults_at(kind) if self.fault == "all" else self.fault
        names = (names,) if isinstance(names, str) else names
        lasts: Duration = "once" if self.duration == 1 else self.duration
        return [
            FaultDemand(self.target, name, self.occurrence, lasts, self.turn, kind)
            for name in names
        ]

    def metric(self, demand: FaultDemand) -> str:
        """The name of the metric that one of the demands makes."""
        if self.criterion is not None:
            single = isinstance(self.fault, str) and self.fault != "all"
            return self.criterion if single else f"{self.criterion}_{demand.fault}"
        name = f"recovers_from_{demand.fault}_at_{self.target}"
        if self.occurrence > 1:
            name += f"_call_{self.occurrence}"
        if self.turn is not None:
            name += f"_in_turn_{self.turn}"
        return name + _LASTING.get(demand.duration, f"_for_{demand.duration}_calls")
