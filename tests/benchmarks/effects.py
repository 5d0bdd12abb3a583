"""A call of a declared tool: what it costs beyond the function's own time."""

from __future__ import annotations

import asyncio
import time
from statistics import median
from typing import TYPE_CHECKING, Any

from oloproof.recording.effects import tool
from oloproof.recording.events import Origin
from oloproof.recording.recording import RecordingSession
from oloproof.recording.replay import ReplaySession
from tests.benchmarks.table import Line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.benchmarks.bench import Bench

CALLS = 5_000
TEXT = "x" * 200


def bare(order_id: str, amount: int, note: str = "") -> dict[str, Any]:
    """What a tool of a scripted agent does."""
    return {"ok": True, "order_id": order_id, "amount": amount}


async def bare_async(order_id: str, amount: int, note: str = "") -> dict[str, Any]:
    """The same as a coroutine function."""
    return {"ok": True, "order_id": order_id, "amount": amount}


declared = tool(bare)
declared_async = tool(bare_async)


def effects(bench: Bench) -> Iterator[Line]:
    """Idle, recording and served calls, in microseconds and beside a plain call."""
    rounds = [_measure() for _ in range(max(3, bench.runs))]
    plain, plain_async = (median(one[i] for one in rounds) for i in (0, 1))
    names = (
        ("idle call", 2, plain, 1.0),
        ("idle call, async", 3, plain_async, 1.0),
        ("recorded call", 4, plain, 50.0),
        ("recorded call, async", 5, plain_async, 50.0),
        ("served call", 6, plain, None),
    )
    for name, position, own, target in names:
        took = median(one[position] for one in rounds)
        ratio = f"{took / own:.0f} times a plain call"
        yield Line(f"effects: {name}, beyond its own time", took - own, "us", target, ratio)
    own, took = (median(one[i] for one in map(_among_other_work, rounds)) for i in (0, 1))
    yield Line(
        "effects: recorded call in an agent that does other work, beyond its own time",
        took - own,
        "us",
        200.0,
        f"{took / own:.0f} times a plain call",
    )


OTHER_WORK = [{"n": n, "text": str(n)} for n in range(20_000)]


def _among_other_work(_: object) -> tuple[float, float]:
    """Microseconds a call, plain and recorded, where between two calls the caches are used."""

    def once() -> float:
        assert sum(one["n"] + len(one["text"]) for one in OTHER_WORK)
        started = time.perf_counter()
        _call(declared, 1)
        return (time.perf_counter() - started) * 1e6

    plain = median(once() for _ in range(200))
    with RecordingSession(Origin("bench"), targets="all"):
        return plain, median(once() for _ in range(200))


def _measure() -> list[float]:
    """Microseconds a call: plain, plain async, idle, idle async, recorded twice, and served."""
    times = [
        _time(lambda: _call(bare)),
        _time(lambda: asyncio.run(_call_async(bare_async))),
        _time(lambda: _call(declared)),
        _time(lambda: asyncio.run(_call_async(declared_async))),
    ]
    session = RecordingSession(Origin("bench"))
    with session:
        times.append(_time(lambda: _call(declared)))
    with RecordingSession(Origin("bench")):
        times.append(_time(lambda: asyncio.run(_call_async(declared_async))))
    recording = session.close()
    recording.events[-1].checkpoint = None
    # A target behind everything: all before it is served from the recording.
    recording.checkpoints = {"end": recording.checkpoint_for(None)._replace(at=session.clock + 1)}
    for event in recording.events[-1:]:
        event.checkpoint = "end"
    with ReplaySession(recording, target=len(recording.events) - 1):
        times.append(_time(lambda: _call(declared)))
    return times


def _time(run: Callable[[], object]) -> float:
    began = time.perf_counter()
    run()
    return (time.perf_counter() - began) / CALLS * 1e6


def _call(function: Callable[..., object]) -> None:
    for number in range(CALLS):
        function("ord-1", number, note=TEXT)


async def _call_async(function: Callable[..., Any]) -> None:
    for number in range(CALLS):
        await function("ord-1", number, note=TEXT)
