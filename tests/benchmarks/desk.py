"""The refund desk of the example at three sizes: copies, replays, and every command on them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.benchmarks.bench import store_mb
from tests.benchmarks.projects import write_refund_desk, write_trivial
from tests.benchmarks.table import Line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.benchmarks.bench import Bench

SIZES = (24, 2_400, 24_000)
COMPARED_SIZE = 2_400
"""The size at which recorded tools are set beside a desk that is replayed by hand."""
COMMANDS = {
    "first run": (),
    "cached run": ("run",),
    "gate": ("gate",),
    "inspect --case": ("inspect", "--case", "ord-013-00000"),
    "inspect --failures": ("inspect", "--failures"),
}
TARGETS = {"first run": 30.0, "cached run": 5.0, "gate": 1.5, "inspect --case": 0.5}
"""As multiples of F, the floor over as many trivial cases; they hold at the largest size."""


def desk(bench: Bench) -> Iterator[Line]:
    """Each command at each size in seconds, at the largest as multiples of F; memory and store."""
    one = bench.scratch / "floor-1"
    write_trivial(one, 1)
    for size in SIZES:
        largest = size == SIZES[-1]
        project, trivial = bench.scratch / f"desk-{size}", bench.scratch / f"floor-{size}"
        write_refund_desk(project, size)
        write_trivial(trivial, size)

        def once() -> tuple[float, ...]:
            floor_s = bench.floor(trivial).cpu_s - bench.floor(one).cpu_s  # noqa: B023
            costs = [
                bench.command(project, *arguments) if arguments else bench.first_run(project)  # noqa: B023
                for arguments in COMMANDS.values()
            ]
            peak_mb = max(cost.peak_mb for cost in costs)
            seconds = [cost.cpu_s for cost in costs]
            return *seconds, *(s / floor_s for s in seconds), peak_mb, store_mb(project)  # noqa: B023

        found = bench.rounds(once)
        seconds, ratios = found[: len(COMMANDS)], found[len(COMMANDS) : -2]
        named = f"refund desk, {size:,} sources: "
        for name, cpu_s, ratio in zip(COMMANDS, seconds, ratios, strict=True):
            if largest:
                yield Line(named + name, ratio, "F", TARGETS.get(name), f"{cpu_s:.2f} s")
            else:
                yield Line(named + name, cpu_s, "s")
        peak_mb, size_mb = found[-2:]
        yield Line(named + "peak memory", peak_mb, "MB", 250 if largest else None)
        yield Line(named + "store", size_mb, "MB", 150 if largest else None)
    yield from _recording(bench)


def _recording(bench: Bench) -> Iterator[Line]:
    """What recorded tools add to a desk that writes trajectory and replay itself."""
    recorded, by_hand = bench.scratch / "recorded", bench.scratch / "by-hand"
    write_refund_desk(recorded, COMPARED_SIZE)
    write_refund_desk(by_hand, COMPARED_SIZE, by_hand=True)

    def once() -> tuple[float, ...]:
        costs = [bench.first_run(project).cpu_s for project in (recorded, by_hand)]
        return *costs, store_mb(recorded), store_mb(by_hand)

    cpu_s, by_hand_s, size_mb, by_hand_mb = bench.rounds(once)
    named = f"refund desk, {COMPARED_SIZE:,} sources: recorded to by hand, "
    raw = f"{cpu_s:.2f} s, {by_hand_s:.2f} s"
    yield Line(named + "CPU", cpu_s / by_hand_s, "x", None, raw)
    raw = f"{size_mb:.1f} MB, {by_hand_mb:.1f} MB"
    yield Line(named + "store", size_mb / by_hand_mb, "x", None, raw)
