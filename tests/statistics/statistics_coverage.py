"""How often the bounds over clusters err and decide: the tables of docs/decisions/0011.

Run it as a script to print them. The distributions of a cluster's passes are all
exchangeable: beta-binomial, a mixture of good and bad clusters, and whatever else. Small
designs are summed exactly over all outcomes, larger ones drawn with a fixed seed.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import special, stats

from oloproof.statistics.intervals import ClusterSize, gaffke

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

LEVEL = 0.95
HALF = 0.025
RATES = (0.1, 0.3, 0.5, 0.7, 0.75, 0.8, 0.83, 0.85, 0.88, 0.9, 0.92, 0.94, 0.96, 0.98)


# -- the methods ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Samples:
    """Many samples: how many clusters of each size and number of passes each of them has."""

    size: Any
    """The size of a cluster of each kind, 1 x kinds."""
    passed: Any
    times: Any
    """Samples x kinds."""

    @property
    def rate(self) -> Any:
        return self.times @ self.passed / (self.times @ self.size)


def korn_graubard(samples: Samples) -> Any:
    """The lower bounds in use before: Korn & Graubard (1998), capped by Parker et al. (2017).

    None was let go beyond what the same number of unanimous clusters show.
    """
    count = samples.times.sum(axis=1)
    observed = samples.times @ samples.size
    rate = samples.rate
    off = samples.passed - rate[:, None] * samples.size
    variance = count / (count - 1) * (samples.times * off**2).sum(axis=1) / observed**2
    ratio = special.stdtrit(observed - 1, HALF) / special.stdtrit(count - 1, HALF)
    effective = np.minimum(observed, rate * (1 - rate) * ratio**2 / np.maximum(variance, 1e-12))
    share = np.clip(effective * rate, 1e-12, None)
    low = special.betaincinv(share, effective - share + 1, HALF)
    best = HALF ** (1 / count)
    return np.where(rate == 0, 0, np.where(rate == 1, best, np.minimum(low, best)))


def korn_graubard_reaches(samples: Samples, bar: float) -> Any:
    return korn_graubard(samples) >= bar


def gaffke_reaches(samples: Samples, bar: float) -> Any:
    """Whether the lower bound reaches a bar, without looking for the bound."""
    reached = samples.rate > bar
    reached[reached] = gaffke_chances(samples, bar, reached) <= HALF
    return reached


def gaffke_chances(samples: Samples, bar: float, chosen: Any) -> Any:
    """How likely the weighted rate is at most `bar` in the chosen samples, all of equal sizes.

    What `oloproof.statistics.exponentials` does for one sample, for all of them at once.
    """
    full = (samples.times[0] @ samples.size**2) / (samples.times[0] @ samples.size)
    share = np.minimum(1, full / samples.size)
    weights = np.append(share * (samples.passed - bar * samples.size), -bar * full)
    times = np.append(samples.times[chosen], np.ones((chosen.sum(), 1)), axis=1)
    # Weights that no cluster has must not limit where the saddle may be.
    low = 1 / np.where(times > 0, weights, 0).min(axis=1, keepdims=True)
    high = np.zeros_like(low)
    at = low / 2
    for _ in range(100):
        slopes = np.where(times > 0, weights / (1 - weights * at), 0)
        first = (times * slopes).sum(axis=1, keepdims=True) - 1 / at
        curve = (times * slopes**2).sum(axis=1, keepdims=True) + 1 / at**2
        low, high = np.where(first > 0, low, at), np.where(first > 0, at, high)
        moved = at - first / curve
        at = np.where((low < moved) & (moved < high), moved, (low + high) / 2)
    slopes = np.where(times > 0, weights / (1 - weights * at), 0)
    width = 1 / np.sqrt((times * slopes**2).sum(axis=1, keepdims=True) + 1 / at**2)
    skew = (times * slopes**3).sum(axis=1, keepdims=True)
    tilt = np.clip(
        -2 / 3 * width * skew / (times * slopes**2).sum(axis=1, keepdims=True), -0.6, 0.6
    )
    total = np.cos(tilt) / 2
    for step in np.arange(0.2, 8, 0.2):
        u = step + 1j * tilt
        z = width * (1j * np.sinh(u) + np.sin(tilt))
        log = np.log(1 + z / at) + (times * np.log(1 - slopes * z)).sum(axis=1, keepdims=True)
        term = np.exp(-log) * np.cosh(u)
        total = total + term.real
        if np.abs(term).max() < 1e-9:
            break
    at_saddle = -(times * np.log1p(np.where(times > 0, -weights * at, 0))).sum(
        axis=1, keepdims=True
    )
    return (np.exp(at_saddle) * width / -at * 0.2 * total / math.pi)[:, 0]


def mixed_bets_reach(samples: Samples, bar: float) -> Any:
    """A mixture of constant bets on cluster rates (Waudby-Smith & Ramdas 2024, section 5.7)."""
    bets = np.linspace(0.02, 0.9999, 50)[:, None] / bar
    gains = np.log1p(bets * (samples.passed / samples.size - bar))
    return np.exp(samples.times @ gains.T).mean(axis=1) >= 1 / HALF


def hedged_bets_reach(samples: Samples, bar: float) -> Any:
    """Their hedged capital with predictable plug-in bets, in an order fixed by a seed."""
    rates = samples.passed / samples.size
    drawn = np.random.default_rng(0).permuted(
        np.array([np.repeat(rates, times) for times in samples.times]), axis=1
    )
    count = drawn.shape[1]
    capital, total = np.zeros(len(drawn)), np.full(len(drawn), 0.5)
    squares = variance = np.full(len(drawn), 0.25)
    for seen, rate in enumerate(drawn.T, start=1):
        bet = np.minimum(np.sqrt(2 * math.log(1 / HALF) / (variance * count)), 0.5 / bar)
        capital += np.log1p(bet * (rate - bar))
        total = total + rate
        squares = squares + (rate - total / (seen + 1)) ** 2
        variance = squares / (seen + 1)
    return capital >= math.log(1 / HALF)


# -- the distributions ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Distribution:
    """How many observations of a cluster pass; a pass has the probability `rate`."""

    family: str
    name: str
    rate: float
    chances: Callable[[int], Any]
    """The chances of 0, 1, ... passes in a cluster of some size."""


def beta_binomial(rate: float, alike: float) -> Distribution:
    """`alike` is the correlation of two observations of a cluster."""

    def chances(size: int) -> Any:
        if alike == 1:
            return np.array([1 - rate, *[0.0] * (size - 1), rate])
        passes = np.arange(size + 1)
        if alike == 0:
            return stats.binom.pmf(passes, size, rate)
        weight = (1 - alike) / alike
        return stats.betabinom.pmf(passes, size, rate * weight, (1 - rate) * weight)

    return Distribution("beta-binomial", f"alike {alike}", rate, chances)


def two_point(rate: float, bad: float, good: float) -> Distribution:
    """Clusters of two kinds, each with its own rate."""
    share = (good - rate) / (good - bad)

    def chances(size: int) -> Any:
        passes = np.arange(size + 1)
        return share * stats.binom.pmf(passes, size, bad) + (1 - share) * stats.binom.pmf(
            passes, size, good
        )

    return Distribution("two-point", f"{share:.4f} at {bad}, else {good}", rate, chances)


def distributions() -> Iterator[Distribution]:
    """Distributions that make sense in clusters of any size."""
    for rate in RATES:
        for alike in (0, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9, 1):
            yield beta_binomial(rate, alike)
        for bad in (0.0, 0.2, 0.4, 0.6):
            for good in (0.9, 0.95, 0.97, 0.98, 0.99, 1.0):
                if bad < rate < good:
                    yield two_point(rate, bad, good)


# -- exactly, over all outcomes -------------------------------------------------------------------


def outcomes(count: int, size: int) -> Samples:
    """All outcomes of so many clusters of one size."""
    bars = combinations(range(count + size), size)
    times = np.array([np.diff([-1, *bar, count + size]) - 1 for bar in bars])
    return Samples(np.full(size + 1, size), np.arange(size + 1), times)


def gaffke_lows(samples: Samples) -> Any:
    """The lower bounds as the package finds them."""
    kinds = [ClusterSize(int(s), int(k)) for s, k in zip(samples.size, samples.passed, strict=True)]
    return np.array(
        [
            gaffke({kind: n for kind, n in zip(kinds, row, strict=True) if n}, LEVEL).low
            for row in samples.times.tolist()
        ]
    )


class Errors:
    """How often lower bounds lie above the truth, summed over all outcomes."""

    def __init__(self, samples: Samples, lows: Any) -> None:
        self._size = int(samples.size[0])
        self._times = samples.times
        self._lows = lows
        self._ways = special.gammaln(samples.times.sum(axis=1) + 1) - special.gammaln(
            samples.times + 1
        ).sum(axis=1)

    def of(self, chances: Any) -> float:
        """The error under such chances of 0, 1, ... passes in a cluster."""
        rate = float(chances @ np.arange(self._size + 1)) / self._size
        wrong = self._lows > rate + 1e-9
        terms = special.xlogy(self._times[wrong], chances).sum(axis=1)
        return float(np.exp(self._ways[wrong] + terms).sum())

    def worst(self) -> dict[str, float]:
        """The worst error by family of distributions; `any` is the worst that a search finds."""
        worst: Counter[str] = Counter()
        for distribution in distributions():
            worst[distribution.family] = max(
                worst[distribution.family], self.of(distribution.chances(self._size))
            )
        worst["any"] = max(self._search(), *worst.values())
        return dict(worst)

    def _search(self) -> float:
        """Climbs from random distributions, and from those with errors known to be large."""
        rng = np.random.default_rng(1)
        starts = [distribution.chances(self._size) for distribution in distributions()]
        starts += list(rng.dirichlet(np.full(self._size + 1, 0.4), 2000))
        best = 0.0
        for at in sorted(starts, key=self.of)[-10:]:
            value = self.of(at)
            for step in np.geomspace(0.1, 1e-4, 400):
                moved = np.abs(at + step * rng.normal(size=self._size + 1) * (at + 0.02))
                moved /= moved.sum()
                if (new := self.of(moved)) > value:
                    at, value = moved, new
            best = max(best, value)
        return best


# -- by drawing -----------------------------------------------------------------------------------


def draw(distribution: Distribution, sizes: Sequence[int], number: int) -> Samples:
    """So many samples of clusters of such sizes, by a fixed seed."""
    rng = np.random.default_rng(0)
    columns = [
        rng.multinomial(times, distribution.chances(size), number)
        for size, times in sorted(Counter(sizes).items())
    ]
    kinds = [(size, k) for size in sorted(set(sizes)) for k in range(size + 1)]
    return Samples(*np.array(kinds).T, np.concatenate(columns, axis=1))


def drawn_worst(
    reaches: Callable[[Samples, float], Any], sizes: Sequence[int], number: int
) -> dict[str, float]:
    """The worst error by the family of distributions, as far as so many draws show it."""
    worst: Counter[str] = Counter()
    for distribution in distributions():
        found = float(reaches(draw(distribution, sizes, number), distribution.rate).mean())
        worst[distribution.family] = max(worst[distribution.family], found)
    return dict(worst)


# -- the tables -----------------------------------------------------------------------------------

EXACT = ((20, 2), (24, 3))
DRAWN = {
    "30 of 1 and 10 of 3": [1] * 30 + [3] * 10,
    "6 each of 1, 2, 3, 4, 5": [1, 2, 3, 4, 5] * 6,
    "35 of 1 and 5 of 20": [1] * 35 + [20] * 5,
}
DRAWS = 1000


@cache
def exact_errors(count: int, size: int) -> tuple[dict[str, float], dict[str, float]]:
    """The worst errors of Korn-Graubard and of Gaffke."""
    samples = outcomes(count, size)
    old, new = (Errors(samples, lows(samples)).worst() for lows in (korn_graubard, gaffke_lows))
    return old, new


def error_row(name: str, old: dict[str, float], new: dict[str, float]) -> str:
    families = ("beta-binomial", "two-point", "any")
    cells = [f"{100 * one[f]:.1f} %" if f in one else "" for one in (old, new) for f in families]
    return f"| {name} | {' | '.join(cells)} |"


def error_table() -> Iterator[str]:
    for count, size in EXACT:
        yield error_row(f"{count} of {size}", *exact_errors(count, size))
    for name, sizes in DRAWN.items():
        old, new = (
            drawn_worst(one, sizes, DRAWS) for one in (korn_graubard_reaches, gaffke_reaches)
        )
        yield error_row(name, old, new)


METHODS = (korn_graubard_reaches, gaffke_reaches, mixed_bets_reach, hedged_bets_reach)
POWER = [
    (count, size, bar, alike)
    for count, size in ((20, 3), (40, 3))
    for bar in (0.8, 0.85, 0.9)
    for alike in (0, 0.2, 0.5, 1)
]


def power_row(count: int, size: int, bar: float, alike: float, number: int = DRAWS) -> list[float]:
    """How often each method shows a bar reached where the rate is 0.95."""
    samples = draw(beta_binomial(0.95, alike), [size] * count, number)
    return [float(reaches(samples, bar).mean()) for reaches in METHODS]


def power_table() -> Iterator[str]:
    for count, size, bar, alike in POWER:
        found = power_row(count, size, bar, alike)
        if max(found) > 0.005:
            cells = " | ".join(f"{100 * one:.0f} %" for one in found)
            yield f"| {count} of {size} | {bar} | {alike} | {cells} |"


if __name__ == "__main__":
    for table in (error_table, power_table):
        for line in table():
            print(line, flush=True)
        print()
