"""How likely a weighted sum of exponential variables is to fall to 0 or below.

The interval over clusters is made of this. P(sum <= 0) is 1/(2 pi i) times the integral of
M(s) / -s over a line left of 0, with the moment generating function
M(s) = product of (1 - weight * s) ** -times. Sources: H. E. Daniels, "Tail probability
approximations" (1987) for the saddlepoint; J. A. C. Weideman & L. N. Trefethen, "Parabolic and
hyperbolic contours for computing the Bromwich integral" (2007) for the line and its sum.
"""

from __future__ import annotations

import cmath
import math
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

_STEP: Final = 0.16
_MOST_TILT: Final = 0.6  # radians; beyond pi / 4 a normal-like M would grow along the line
_NEGLIGIBLE: Final = 1e-17
_MOST_STEPS: Final = 200
_MOST_TERMS: Final = 4000  # 2,000 do at the finer steps, where terms fall only as exp(-u)
_MOST_RISE: Final = 2.0


def log_chance_below_zero(weighted: Sequence[tuple[float, int]]) -> float:
    """The log of P(sum of weight * E <= 0), E independent exponential variables of mean 1.

    `weighted` are pairs of a weight and of how many variables have it. The tests hold relative
    errors of the probability below 1e-7, and below 1e-5 where thousands of small weights pull
    against a few large ones.
    """
    if not any(weight < 0 for weight, _ in weighted):
        return -math.inf
    if not any(weight > 0 for weight, _ in weighted):
        return 0.0
    if sum(weight * times for weight, times in weighted) >= 0:
        return _log_tail(weighted)
    above = _log_tail([(-weight, times) for weight, times in weighted])
    return math.log1p(-math.exp(above))


class _Saddle(NamedTuple):
    """Where log(M(s) / -s) is least left of 0, how wide it is there, and how the line tilts."""

    at: float
    width: float
    tilt: float


def _log_tail(weighted: Sequence[tuple[float, int]]) -> float:
    """As `log_chance_below_zero`, where the mean of the sum is not below 0.

    The line leans to where M falls without turning. Where many small weights make M rise far
    out on that side, it stays upright instead: M falls there always, but turns, so the steps
    are finer.
    """
    saddle = _saddle(weighted)
    at = saddle.at
    # Every factor is held against its value at the saddle: none overflows.
    slopes = [(weight / (1 - weight * at), times) for weight, times in weighted]
    leaning = _along(saddle, slopes, _STEP)
    area = leaning or _along(saddle._replace(tilt=0.0), slopes, _STEP / 8)
    if area is None:
        raise AssertionError(f"the integral does not converge for {weighted}")
    at_saddle = -sum(times * math.log1p(-weight * at) for weight, times in weighted)
    return at_saddle + math.log(saddle.width / -at * area / math.pi)


def _along(saddle: _Saddle, slopes: Sequence[tuple[float, int]], apart: float) -> float | None:
    """The integral along the upper half of the line, or None where it does not converge.

    The line is the hyperbola at + width * (i sinh(u + i tilt) + sin(tilt)), which goes far
    where M falls slowly, that is for few variables.
    """
    at, width, tilt = saddle
    total = math.cos(tilt) / 2
    for step in range(1, _MOST_TERMS):
        u = complex(step * apart, tilt)
        z = width * (1j * cmath.sinh(u) + math.sin(tilt))
        log = cmath.log(1 + z / at)
        for slope, times in slopes:
            log += times * cmath.log(1 - slope * z)
        if log.real < -_MOST_RISE:
            return None
        term = cmath.exp(-log) * cmath.cosh(u)
        total += term.real
        if abs(term) < _NEGLIGIBLE * total:
            return total * apart
    return None


def _saddle(weighted: Sequence[tuple[float, int]]) -> _Saddle:
    """The saddlepoint, and the tilt of the path of steepest descent for M alone.

    log(M(s) / -s) is convex between the pole of the most negative weight and 0, so Newton's
    method, held between the two, finds it.
    """
    low, high = 1 / min(weight for weight, _ in weighted), 0.0
    at = low / 2
    for _ in range(_MOST_STEPS):
        slopes = [(weight / (1 - weight * at), times) for weight, times in weighted]
        first = sum(times * slope for slope, times in slopes) - 1 / at
        spread = sum(times * slope**2 for slope, times in slopes)
        curve = spread + 1 / at**2
        low, high = (low, at) if first > 0 else (at, high)
        moved = at - first / curve
        if abs(moved - at) <= 1e-6 * abs(at):  # a line near the saddle serves as well
            width = 1 / math.sqrt(curve)
            skew = sum(times * slope**3 for slope, times in slopes)
            tilt = -2 / 3 * width * skew / spread
            return _Saddle(at, width, max(-_MOST_TILT, min(tilt, _MOST_TILT)))
        at = moved if low < moved < high else (low + high) / 2
    raise AssertionError(f"there is no saddlepoint for {weighted}")
