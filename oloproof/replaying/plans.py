"""The declared faults by name, as the plain data that a replay delivers."""

from __future__ import annotations

import importlib
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from oloproof.errors import ConfigurationError, suggest
from oloproof.records.trajectory import FaultKind

if TYPE_CHECKING:
    from oloproof.recording.delivery import FaultPlan

Duration: TypeAlias = int | Literal["once", "always"]
"""How many calls of the tool a fault strikes, the target first."""


def fault_plan(kind: FaultKind, duration: Duration = "once") -> FaultPlan:
    """The plan of a fault; `ConfigurationError` for one that there is not."""
    known = get_args(FaultKind)
    if kind not in known:
        raise ConfigurationError(f"there is no fault `{kind}`", mend=suggest(kind, known))
    found: FaultPlan = importlib.import_module(f"oloproof.replaying.faults.{kind}").PLAN
    return replace(found, calls=_calls(duration))


def _calls(duration: Duration) -> int | None:
    if duration == "always":
        return None
    if duration == "once":
        return 1
    if isinstance(duration, bool) or not isinstance(duration, int) or duration < 1:
        raise ConfigurationError(
            f"a fault cannot last {duration!r} calls",
            mend="`duration` is `once`, `always` or a number of calls",
        )
    return duration
