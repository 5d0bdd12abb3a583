"""The verdicts of one metric, counted: all that its rate, interval and decisions need."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple, TypedDict

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class ClusterCount(NamedTuple):
    """How many of one cluster's verdicts are observed, of these passed, and how many missing."""

    observed: int
    passed: int
    missing: int


_Count = tuple[int, int, int]


class TallyJson(TypedDict):
    """The stored form of a tally, in sorted order."""

    codes: dict[str, int]
    folded: list[list[int]]
    named: dict[str, list[int]]


class Tally:
    """Counts of one metric's verdicts, cluster by cluster, in memory that does not grow.

    A cluster that ends with its group is folded at once into counts of equal clusters; only
    clusters that the user named, which may come back in any later group, are kept one by one.
    """

    __slots__ = ("_codes", "_folded", "_named")

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}
        self._folded: dict[_Count, int] = {}
        self._named: dict[str, _Count] = {}

    def add(self, cluster: str | None, codes: Iterable[str], times: int = 1) -> None:
        """Count the verdicts of one group, or of so many equal ones, as `Verdict.code` words.

        `cluster` is None for a group that is a cluster of its own, complete with this call;
        a name for one that other groups may belong to as well.
        """
        counts = self._codes
        passed = failed = missing = 0
        for code in codes:
            counts[code] = counts.get(code, 0) + times
            letter = code[0]
            if letter == "p":
                passed += 1
            elif letter == "f":
                failed += 1
            elif letter == "m":
                missing += 1
            else:
                assert letter == "n", f"{code!r} is no verdict's code"
        if not (passed or failed or missing):
            return
        count = (passed + failed, passed, missing)  # plain: a named tuple costs a third of the call
        if cluster is None:
            self._folded[count] = self._folded.get(count, 0) + times
        else:
            before = self._named.get(cluster, (0, 0, 0))
            self._named[cluster] = (
                before[0] + count[0] * times,
                before[1] + count[1] * times,
                before[2] + count[2] * times,
            )

    @property
    def passed(self) -> int:
        """How many verdicts are passes."""
        return self._number("p")

    @property
    def failed(self) -> int:
        """How many verdicts are failures."""
        return self._number("f")

    @property
    def observed(self) -> int:
        """Passes and failures together: the denominator of the rate."""
        return self.passed + self.failed

    @property
    def missing(self) -> int:
        """How many verdicts should be there and are not."""
        return self._number("m")

    @property
    def excluded(self) -> int:
        """How many cases the metric does not speak of."""
        return self._number("n")

    @property
    def rate(self) -> float | None:
        """Passes among the observed, or None where nothing was observed."""
        return self.passed / self.observed if self.observed else None

    def _number(self, letter: str) -> int:
        return sum(number for code, number in self._codes.items() if code[0] == letter)

    def passes_by_label(self) -> dict[str, int]:
        """The passes that bear a label, counted by it."""
        return self._words("p")

    def failures_by_label(self) -> dict[str, int]:
        """The failures that bear a label, counted by it."""
        return self._words("f")

    def missing_by_reason(self) -> dict[str, int]:
        """The missing verdicts counted by their reason; they sum to `missing`."""
        return self._words("m", otherwise="unspecified")

    def excluded_by_reason(self) -> dict[str, int]:
        """The exclusions counted by their reason; they sum to `excluded`."""
        return self._words("n", otherwise="unspecified")

    def _words(self, letter: str, otherwise: str = "") -> dict[str, int]:
        words: Counter[str] = Counter()
        for code, number in sorted(self._codes.items()):
            if code[0] == letter and (word := code[2:] or otherwise):
                words[word] += number
        return dict(words)

    def clusters(self) -> Mapping[ClusterCount, int]:
        """How many clusters there are of each composition; those without a verdict are none."""
        composition = Counter(self._folded)
        composition.update(self._named.values())
        return {ClusterCount(*count): times for count, times in sorted(composition.items())}

    def to_json(self) -> TallyJson:
        """The stored form: equal tallies give equal bytes, whatever the order of adding."""
        return {
            "codes": dict(sorted(self._codes.items())),
            "folded": [[*count, times] for count, times in sorted(self._folded.items())],
            "named": {name: [*count] for name, count in sorted(self._named.items())},
        }

    @classmethod
    def from_json(cls, data: TallyJson) -> Tally:
        """The tally of its stored form."""
        tally = cls()
        tally._codes = dict(data["codes"])
        tally._folded = {(o, p, m): times for o, p, m, times in data["folded"]}
        tally._named = {name: (o, p, m) for name, (o, p, m) in data["named"].items()}
        return tally

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tally) and self.to_json() == other.to_json()

    __hash__ = None  # type: ignore[assignment]  # it changes while it counts
