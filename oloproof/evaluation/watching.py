"""Watches for places that checks name: one that no case has is most likely misspelt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from oloproof.errors import ConfigurationError, nearest
from oloproof.evaluation.snapshots import expected_states
from oloproof.paths import render

if TYPE_CHECKING:
    from oloproof.canonical import JsonValue
    from oloproof.evaluation.contract import NamedPlace
    from oloproof.suites.case import Case

_MOST_KEYS: Final = 1000
"""A bound on the keys that are kept to name the nearest: a dataset may have any number."""


class _Naming(Protocol):
    """What names places: an evaluator, or the system."""

    @property
    def metric(self) -> str:
        """What it is called."""

    def worlds(self, case: Case) -> list[JsonValue]:
        """The states given with a case in which its places are looked for."""


@dataclass(frozen=True, slots=True)
class SystemPlaces:
    """The places of the world that an option of the system names."""

    metric: str

    def worlds(self, case: Case) -> list[JsonValue]:
        """The initial state, and those that are expected."""
        given = [] if case.initial_state is None else [case.initial_state]
        return [*given, *expected_states(case)]


class Watch:
    """Looks out for one place in case after case."""

    def __init__(self, by: _Naming, place: NamedPlace) -> None:
        self.place = place
        self._may_come = isinstance(by, SystemPlaces)
        self.could_see = False
        self._by = by
        self._depth = 0
        self._keys: set[str] = set()

    def sees(self, case: Case) -> bool:
        """Whether a state that is given with the case has the place."""
        for world in self._by.worlds(case):
            self.could_see = True
            if self.place.path.is_in(world):
                return True
            for depth, value in self.place.path.breaks(world):
                self._remember(depth, value)
        return False

    def tell(self) -> str | None:
        """That no case has the place, and what was most likely meant.

        A place that only the sandbox will write is nowhere yet: nothing is told without a doubt.
        """
        near = self._near()
        if self._may_come and near is None:
            return None
        meant = f"did you mean `{near}`?" if near else "it can only find what appears there"
        return (
            f"`{self._by.metric}` names the path `{self.place.path}`, "
            f"which no case's initial state has: {meant}"
        )

    def refuse_if_needed(self) -> None:
        """Raises where the check would compare nothing."""
        if not self.place.needed:
            return
        near = self._near()
        raise ConfigurationError(
            f"`{self._by.metric}` compares the path `{self.place.path}`, "
            "which no case's initial or expected state has",
            where=self.place.where,
            mend=f"did you mean `{near}`?"
            if near
            else "name a place that the states have; that nothing appears somewhere is for "
            "`state_unchanged`",
        )

    def _remember(self, depth: int, value: JsonValue) -> None:
        """Keeps the keys that are there where the path breaks off furthest in."""
        if depth > self._depth:
            self._depth, self._keys = depth, set()
        if depth == self._depth and isinstance(value, dict):
            for key in value:
                if len(self._keys) == _MOST_KEYS:
                    return
                self._keys.add(key)

    def _near(self) -> str | None:
        """The path with the nearest key in the place of the one that is not there."""
        segments = self.place.path.segments
        wanted = segments[self._depth]
        key = nearest(wanted, sorted(self._keys)) if isinstance(wanted, str) else None
        return (
            None
            if key is None
            else render((*segments[: self._depth], key, *segments[self._depth + 1 :]))
        )
