"""The screen of `oloproof replay`: recording and replay side by side."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import partial
from itertools import zip_longest
from typing import TYPE_CHECKING, Final, TypeAlias

from oloproof.canonical import encode, equal
from oloproof.reporting.terminal.control import (
    fault_of,
    method_of,
    write_end,
    write_replay_verdict,
)
from oloproof.reporting.terminal.sides import Sides
from oloproof.reporting.terminal.steps import first_difference, write_output, write_step
from oloproof.reporting.terminal.values import sorted_keys, write_context

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from oloproof.canonical import JsonValue
    from oloproof.records.case_report import OutcomeReport, ReplayReport, ReplaySide
    from oloproof.reporting.terminal.page import Page
    from oloproof.reporting.terminal.sides import Writer
    from oloproof.reporting.terminal.steps import Step

    _Pair: TypeAlias = tuple[Step | None, Step | None]

_LABELS_AT: Final = 8
_DONE: Final = ("kind", "agent", "turn", "tool_name", "arguments")
"""The fields of a step by which two sides are set beside each other."""


def write_replays(page: Page, reports: Sequence[ReplayReport]) -> None:
    """One replay after the other."""
    for number, report in enumerate(reports):
        if number:
            page.gap()
        write_replay(page, report)


def write_replay(page: Page, report: ReplayReport) -> None:
    """The verdict and its control, the two sides step by step, and where they ended."""
    page.write((report.case, "bold"), f"  {fault_of(report)}", method_of(report.method), hang=2)
    write_replay_verdict(page, report)
    recording, control = report.recording, report.control
    if recording is None:
        return
    if control is not None and not control.trusted and control.replay is not None:
        _write_sides(page, recording, control.replay, "control, nothing changed")
    if report.replay is not None:
        _write_sides(page, recording, report.replay, f"replay under {report.fault}")
        page.gap()
        page.write(("what the replay left otherwise than the recording", "bold"))
        with page.indented():
            write_end(page, report)


@dataclass(frozen=True, slots=True)
class _Row:
    """What each side has in one place, and in words how the two differ.

    What came back `struck` by a fault is shown though the agent cannot tell it from the other.
    """

    label: str
    left: Writer
    right: Writer
    difference: str | None
    turn: int | None = None
    struck: bool = False


def _write_sides(page: Page, recording: ReplaySide, replay: ReplaySide, name: str) -> None:
    rows = [*_step_rows(recording, replay), *_end_rows(recording, replay)]
    first = next((row for row in rows if row.difference), None)
    page.gap()
    page.write(("first difference", "bold"), f": {first.difference if first else 'none'}", hang=2)
    page.gap()
    sides = Sides(page, ("recording", name), at=_LABELS_AT)
    turn = None
    for row in rows:
        if row.turn is not None and row.turn != turn:
            turn = row.turn
            page.write((f"turn {turn}", "dim"))
        right = row.right if row.difference or row.struck else None
        sides.row(row.label, row.left, right, pointed_at=row is first)


def _step_rows(recording: ReplaySide, replay: ReplaySide) -> Iterator[_Row]:
    for left, right in _aligned(recording.steps, replay.steps):
        step = left or right or {}
        yield _Row(
            label=_label(left, right),
            left=partial(_write_step, step=left),
            right=partial(_write_step, step=right),
            difference=_difference(left, right),
            turn=step.get("turn"),
            struck=right is not None and right["kind"] != "tool_call" and "fault" in right,
        )


def _aligned(left: Sequence[Step], right: Sequence[Step]) -> Iterator[_Pair]:
    """The steps of both sides in pairs: what was done alike stands beside each other.

    What both begin with comes first, so that the call that a fault strikes is never taken for
    a later one that repeats it.
    """
    keys = [[_key(step) for step in side] for side in (left, right)]
    pairs = zip(*keys, strict=False)
    start = next((n for n, (was, now) in enumerate(pairs) if was != now), min(map(len, keys)))
    yield from zip(left[:start], right[:start], strict=True)
    codes = SequenceMatcher(None, keys[0][start:], keys[1][start:], autojunk=False).get_opcodes()
    for _, first, last, begin, end in codes:
        yield from zip_longest(
            left[start + first : start + last], right[start + begin : start + end]
        )


def _key(step: Step) -> bytes:
    """What a step does, whatever came of it."""
    return encode([step.get(name) for name in _DONE])


def _label(left: Step | None, right: Step | None) -> str:
    """The number of a step; of both sides where they are not the same."""
    was, now = ("-" if step is None else str(step.get("index")) for step in (left, right))
    return was if was == now else f"{was}/{now}"


def _difference(left: Step | None, right: Step | None) -> str | None:
    if left is None:
        return f"only the replay has its step {(right or {}).get('index')}"
    if right is None:
        return f"only the recording has its step {left.get('index')}"
    field = first_difference(left, right)
    return None if field is None else f"step {_label(left, right)}, in its {field}"


def _end_rows(recording: ReplaySide, replay: ReplaySide) -> Iterator[_Row]:
    ends: list[tuple[str, Callable[..., None], str, bool]] = [
        ("ended", _write_ended, "how the two ended", _ended(recording) == _ended(replay)),
        ("output", _write_output, "the output", equal(_output(recording), _output(replay))),
        ("state", _write_state, "the end state", equal(_state(recording), _state(replay))),
    ]
    for label, write, name, same in ends:
        sides = partial(write, side=recording), partial(write, side=replay)
        yield _Row(label, *sides, difference=None if same else name)


def _ended(side: ReplaySide) -> tuple[OutcomeReport, str]:
    return side.outcome, side.terminal_status


def _output(side: ReplaySide) -> JsonValue:
    return [side.output] if side.has_output else []


def _state(side: ReplaySide) -> JsonValue:
    return [side.final.state] if side.final.recorded else []


def _write_step(page: Page, *, step: Step | None) -> None:
    if step is None:
        page.write(("no step", "dim"))
    else:
        write_step(page, step)


def _write_ended(page: Page, *, side: ReplaySide) -> None:
    page.write(side.outcome.status, f"; the agent says {side.terminal_status}")
    if side.outcome.error:
        page.write(side.outcome.error)


def _write_output(page: Page, *, side: ReplaySide) -> None:
    write_output(page, side)


def _write_state(page: Page, *, side: ReplaySide) -> None:
    if side.final.recorded:
        write_context(page, sorted_keys(side.final.state))
    else:
        page.write(f"not recorded: {side.final.problem or 'no snapshot was taken'}")
