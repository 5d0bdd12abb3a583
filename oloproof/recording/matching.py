"""Finds, for each call of a replay, the recorded call that it is, and keeps their order."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from oloproof.canonical import decode, equal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from oloproof.recording.events import Event, Said

Role: TypeAlias = Literal["serve", "body", "live", "late"]
"""What a replay does at a recorded call: answer from the recording; run a body that was
already at work at the checkpoint; run it on the restored sandbox; or run it there once the
fault has struck, since what it read may have been the struck call's work."""


class Mismatch(NamedTuple):
    """A call that is not the recorded one, and the recorded one it stands in place of."""

    kind: Literal["changed_args", "unexpected_call", "reordered"]
    expected: Event | None


class Script:
    """The recorded events as a replay from one checkpoint sees them.

    What ended before moment `at` is in the checkpoint's state and is served, and with it
    everything called inside; model calls are served, unless tools that must run are inside.
    """

    def __init__(
        self,
        events: Sequence[Event],
        said: Sequence[Said],
        *,
        at: int,
        target: int | None,
        faulted: bool,
        clean: Callable[[str], str],
        clean_text: Callable[[str], str],
    ) -> None:
        self.events = events
        self._struck = events[target] if faulted and target is not None else None
        self._clean = clean
        self._clean_text = clean_text
        self._at = at
        self._open = self._needed_bodies(target)
        self.roles: list[Role] = [self._role(event) for event in events]
        self.hidden: list[bool] = []
        for event in events:
            parent = event.parent
            self.hidden.append(
                parent is not None and (self.hidden[parent] or self.roles[parent] == "serve")
            )
        self.used = [False] * len(events)
        self._by_identity: dict[str, Event] = {}
        self._by_call: defaultdict[tuple[object, ...], list[Event]] = defaultdict(list)
        self._by_id: defaultdict[tuple[str, str, str], list[Event]] = defaultdict(list)
        self._children: defaultdict[int | None, list[Event]] = defaultdict(list)
        self._told: defaultdict[int | None, list[Said]] = defaultdict(list)
        for event in events:
            self._children[event.parent].append(event)
        for one in said:
            self._told[one.within].append(one)
        for event in self.visible():
            self._by_identity[event.identity] = event
            self._by_call[event.parent, event.kind, event.name, event.arguments].append(event)
            if event.call_id is not None:
                self._by_id[event.kind, event.name, event.call_id].append(event)

    def visible(self) -> Iterator[Event]:
        """The events that a replay is to meet: those not inside a served call."""
        return (event for event in self.events if not self.hidden[event.index])

    def missing(self) -> Event | None:
        """The first call that was not made again; those that never came back may fail to."""
        return next(
            (e for e in self.visible() if not self.used[e.index] and e.ended is not None), None
        )

    def match(self, event: Event) -> Event | Mismatch:
        """The recorded event of a call; it is then used up."""
        arguments = self._clean(event.arguments)
        above = None if event.outer is None else event.outer.parent
        if above is not None and above.source is None:
            return Mismatch("unexpected_call", None)
        parent = None if above is None or above.source is None else above.source.index
        found = self._find(event, parent, arguments)
        if found is None:
            return self._mismatch(event, parent)
        if not self._is_ready(found) and found.after is not None:
            return Mismatch("reordered", self.events[found.after])
        if found.arguments != arguments and not _same(found.arguments, arguments):
            return Mismatch("changed_args", found)
        self.used[found.index] = True
        return found

    def match_late(self, event: Event, *, before: int | None) -> Event | None:
        """A recorded event that a call behind the fault still is, or None.

        Only such that began before moment `before` in the recording: what the fault changed
        cannot have changed them. Without one, a struck model's question may be asked again.
        """
        above = None if event.outer is None else event.outer.parent
        if above is not None and above.source is None:
            return None
        parent = None if above is None or above.source is None else above.source.index
        key = (parent, event.kind, event.name, self._clean(event.arguments))
        for candidate in self._by_call.get(key, ()):
            again = before is None and candidate is self._struck
            unused = not self.used[candidate.index]
            if again or (unused and (before is None or candidate.started < before)):
                self.used[candidate.index] = True
                return candidate
        return None

    def contents(self, served: Event) -> list[Event | Said]:
        """What was called and told inside a served call."""
        found: list[Event | Said] = list(self._told.get(served.index, ()))
        for event in self._children.get(served.index, ()):
            found += [event, *self.contents(event)]
        return found

    def _find(self, event: Event, parent: int | None, arguments: str) -> Event | None:
        if event.call_id is not None:
            named = self._by_id.get((event.kind, event.name, self._clean_text(event.call_id)), ())
            for candidate in named:
                if not self.used[candidate.index]:
                    return candidate
        exact = self._by_identity.get(event.identity)
        if exact is not None and not self.used[exact.index] and exact.parent == parent:
            return exact
        key = (parent, event.kind, event.name, arguments)
        return self._first_ready(self._by_call.get(key, [])) or self._equal(
            event, parent, arguments
        )

    def _first_ready(self, candidates: list[Event]) -> Event | None:
        """The first unused one whose turn it is, else the first unused one."""
        while candidates and self.used[candidates[0].index]:
            candidates.pop(0)
        unused = [event for event in candidates if not self.used[event.index]]
        return next((e for e in unused if self._is_ready(e)), unused[0] if unused else None)

    def _is_ready(self, event: Event) -> bool:
        return event.after is None or self.used[event.after] or self.hidden[event.after]

    def _equal(self, event: Event, parent: int | None, arguments: str) -> Event | None:
        """A call with the same arguments in another form, such as 1.0 for 1."""
        siblings = self._siblings(event, parent)
        return next((e for e in siblings if _same(e.arguments, arguments)), None)

    def _siblings(self, event: Event, parent: int | None) -> Iterator[Event]:
        """The unused calls of the same tool at the same place."""
        return (
            e
            for e in self.visible()
            if not self.used[e.index]
            and (e.parent, e.kind, e.name) == (parent, event.kind, event.name)
        )

    def _mismatch(self, event: Event, parent: int | None) -> Mismatch:
        siblings = list(self._siblings(event, parent))
        if siblings:
            in_lane = [e for e in siblings if e.lane == event.lane]
            return Mismatch("changed_args", (in_lane or siblings)[0])
        unused = (e for e in self.visible() if not self.used[e.index] and e.parent == parent)
        return Mismatch("unexpected_call", next(unused, None))

    def _needed_bodies(self, target: int | None) -> set[int]:
        """The calls inside of which something has to run: the target, or a tool that is live."""
        needed: set[int] = set()
        for event in self.events:
            ended_before = event.ended is not None and event.ended < self._at
            live = event.kind == "tool" and not ended_before and not self._is_read(event)
            if live or event.index == target:
                parent = event.parent
                while parent is not None and parent not in needed:
                    above = self.events[parent]
                    if above.ended is None or above.ended >= self._at:
                        needed.add(parent)
                    parent = above.parent
        return needed

    def _is_read(self, event: Event) -> bool:
        """Whether a call only looked at the sandbox, and did so before the checkpoint."""
        return event.reads and event.started < self._at

    def _role(self, event: Event) -> Role:
        if event.ended is not None and event.ended < self._at:
            return "serve"
        if event.kind == "model":
            return "body" if event.index in self._open else "serve"
        if event.started < self._at:
            if not event.reads or event.index in self._open:
                return "body"
            return "late" if self._may_have_seen_target(event) else "serve"
        return "live"

    def _may_have_seen_target(self, event: Event) -> bool:
        """Whether a call that reads came back after the call that a fault now strikes."""
        struck = self._struck
        if struck is None or struck.ended is None:
            return False
        return event.ended is None or event.ended > struck.ended


def _same(left: str, right: str) -> bool:
    """Whether two JSON texts have equal values; where a secret was cut out, only equal text."""
    try:
        return equal(decode(left.encode()), decode(right.encode()))
    except ValueError:
        return left == right


class Order:
    """Which calls have ended, against the order in which they did when they were recorded."""

    def __init__(self, script: Script) -> None:
        # Streams that were left, and calls ended from outside, end when their reader is cleared
        # away: nothing waits for them.
        ended = [
            (event.ended, event.index)
            for event in script.visible()
            if event.ended is not None and event.ending in ("returned", "raised")
        ]
        ended.sort()
        self._order = [index for _, index in ended]
        self._rank = {index: rank for rank, index in enumerate(self._order)}
        self._moments = [moment for moment, _ in ended]
        self._done: set[int] = set()
        self._upto = 0

    def finish(self, source: Event) -> None:
        """A recorded call ended again."""
        self._done.add(source.index)
        while self._upto < len(self._order) and self._order[self._upto] in self._done:
            self._upto += 1

    def may_begin(self, source: Event) -> bool:
        """Whether everything ended that had ended before this call began."""
        return self._upto >= bisect_left(self._moments, source.started)

    def may_end(self, source: Event) -> bool:
        """Whether everything ended that had ended before this call did."""
        return self._upto >= self._rank.get(source.index, 0)

    def first_awaited(self) -> int:
        """The first event, in the recorded order of ends, that has not ended again."""
        return self._order[self._upto]
