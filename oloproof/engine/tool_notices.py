"""Notes on tools that no case called: named by checks, or declared while the world changed."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

from oloproof.canonical import equal
from oloproof.gating.wording import counted
from oloproof.paths import Absent
from oloproof.records.calls import called

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oloproof.evaluation.contract import Context, Evaluator

_ALIKE: Final = 0.85
"""How much alike two names are of which one is likely meant to be the other (1 is equal)."""

_SHORTEST: Final = 3
"""Letters of a name; in shorter ones a slip makes any name of any other."""


def _alike(name: str, known: Iterable[str]) -> str | None:
    """The known name that a name is most likely meant to be: one slip away, or nearly the same."""
    from difflib import get_close_matches  # few runs have a name left

    names = sorted(set(known) - {name})
    slip = next((other for other in names if is_one_slip(name, other)), None)
    return slip or next(iter(get_close_matches(name, names, 1, _ALIKE)), None)


def is_one_slip(one: str, other: str) -> bool:
    """Whether a letter more, less or another, or two swapped, makes one name of the other."""
    if min(len(one), len(other)) < _SHORTEST or abs(len(one) - len(other)) > 1:
        return False
    at = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    if at is None:
        return one != other
    left, right = one[at:], other[at:]
    swapped = left[:2] == right[:2][::-1] and left[2:] == right[2:]
    return swapped or left[1:] == right[1:] or left[1:] == right or left == right[1:]


class Uncalled:
    """Looks at the calls of case after case; `declared` names the system's tools, as they load."""

    def __init__(self, evaluators: Iterable[Evaluator], declared: Iterable[str] = ()) -> None:
        self._declared = declared
        checks = tuple(evaluators)
        self._left = {tool: check.metric for check in checks for tool in check.named_tools}
        self._needed = {tool: check.metric for check in checks for tool in check.needed_tools}
        self._called: set[str] = set()

    def see(self, steps: Iterable[dict[str, Any]]) -> None:
        """Take note of the tools and models that the steps of a case call."""
        if not self._left:
            return
        for step in steps:
            found = called(step)
            name = step.get("tool_name") if found is None else found[1]
            if name is not None:
                self._called.add(name)
                self._left.pop(name, None)

    def notices(self) -> list[str]:
        """A sentence for each name that is most likely a mistake."""
        told = []
        declared = set(self._declared)
        for tool, metric in sorted(self._left.items()):
            near = None if tool in declared else _alike(tool, self._called | declared)
            if near is not None:
                told.append(
                    f"`{metric}` names `{tool}`, which no case called: did you mean `{near}`?"
                )
            elif tool in self._needed:
                told.append(
                    f"`{self._needed[tool]}` lists `{tool}`, which no case called: "
                    "its order was not checked"
                )
        return told


_NAMED: Final = 3
"""How many tools a sentence names."""


class Unrecorded:
    """Looks at the calls and the worlds of case after case.

    `declared` fills while they run: whether each tool that the system declares only reads.
    """

    def __init__(self, declared: dict[str, bool]) -> None:
        self._declared = declared
        self._called: set[str] = set()
        self._changed: Counter[frozenset[str]] = Counter()

    def see(self, context: Context) -> None:
        """Take note of a case: what it called, and whether its world changed."""
        if not self._declared:
            return
        evidence = context.evidence
        found = (called(step) for step in evidence.steps)
        tools = frozenset(name for kind, name in filter(None, found) if kind == "tool")
        self._called |= tools
        state = evidence.state
        if not isinstance(state, Absent) and not equal(state, context.case.initial_state):
            self._changed[tools] += 1

    def notices(self) -> list[str]:
        """A sentence where calls were most likely not recorded."""
        never = sorted(
            tool for tool, reads in self._declared.items() if not reads and tool not in self._called
        )
        reading = {tool for tool, reads in self._declared.items() if reads}
        cases = sum(count for tools, count in self._changed.items() if tools <= reading)
        if not never or not cases:
            return []
        named = ", ".join(f"`{tool}`" for tool in never[:_NAMED])
        more = f" and {len(never) - _NAMED} more" if len(never) > _NAMED else ""
        changed = counted(cases, "case")
        return [
            f"no case called the declared {named}{more}, while the world changed in {changed} "
            "without a recorded call: put `@oloproof.tool` below the decorator of a framework, "
            "next to the function"
        ]
