"""Pairs of the items of two collections, as many as possible."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping


def most_pairs(
    left: Collection[int], right: Collection[int], fits: Callable[[int, int], bool]
) -> dict[int, int]:
    """The partner on the right of each item on the left that has one, where `fits(i, j)`.

    A maximum matching by augmenting paths (Berge 1957), breadth first; of several partners
    the first is taken.
    """
    near = {i: [j for j in right if fits(i, j)] for i in left}
    partner_of: dict[int, int] = {}
    for i in left:
        _augment(i, near, partner_of)
    return {i: j for j, i in partner_of.items()}


def _augment(start: int, near: Mapping[int, list[int]], partner_of: dict[int, int]) -> None:
    reached_from: dict[int, int] = {}
    waiting = deque([start])
    while waiting:
        i = waiting.popleft()
        for j in near[i]:
            if j in reached_from:
                continue
            reached_from[j] = i
            if j in partner_of:
                waiting.append(partner_of[j])
                continue
            _flip(j, start, reached_from, partner_of)
            return


def _flip(j: int, start: int, reached_from: dict[int, int], partner_of: dict[int, int]) -> None:
    """Give every item on the path from `start` to the free item `j` its new partner."""
    old = {i: k for k, i in partner_of.items()}
    while True:
        i = reached_from[j]
        partner_of[j] = i
        if i == start:
            return
        j = old[i]
