"""Declared tools that no case called, although the world changed without a recorded call.

Most often a framework calls another function than the declared one: the decorator stands above
its own. That a tool is not called is no mistake in itself, so nothing is said where every change
of the world came with a call that may have made it.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from oloproof.canonical import equal
from oloproof.gating.wording import counted
from oloproof.paths import Absent
from oloproof.records.steps import called

if TYPE_CHECKING:
    from oloproof.evaluation.contract import Context

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
