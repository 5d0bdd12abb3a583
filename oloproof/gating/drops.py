"""What a metric no longer speaks of, although it did in an earlier run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oloproof.gating.wording import counted, tell_reasons

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oloproof.statistics.tally import Tally


def tell_drops(tallies: Mapping[str, Tally], before: Mapping[str, Tally], *, run: int) -> list[str]:
    """A sentence for each metric that speaks of fewer results than it did in the earlier `run`.

    It speaks of what passed, failed or is missing; what is excluded since is told with why.
    """
    told = []
    for metric, tally in tallies.items():
        then = before.get(metric)
        if then is None or _spoken_of(tally) >= _spoken_of(then):
            continue
        known = then.excluded_by_reason()
        more = {
            reason: number - known.get(reason, 0)
            for reason, number in tally.excluded_by_reason().items()
            if number > known.get(reason, 0)
        }
        excluded = f": more is excluded{tell_reasons(more)}" if more else ""
        told.append(
            f"`{metric}` speaks of {counted(_spoken_of(tally), 'result')}, and spoke of "
            f"{_spoken_of(then):,} in run {run}{excluded}."
        )
    return told


def _spoken_of(tally: Tally) -> int:
    return tally.observed + tally.missing
