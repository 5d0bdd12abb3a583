"""The options of a line in the suite that says how states are compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from pydantic import Field, model_validator

from oloproof.evaluation.comparing.rules import Normaliser, Tolerance
from oloproof.evaluation.options import EvaluatorOptions
from oloproof.evaluation.states.comparison import ALTERNATIVES, Mode, StateComparison
from oloproof.paths import EVERY, Path, parse
from oloproof.records.shapes import empty_object
from oloproof.suites.validation import Fields, refuse
from oloproof.suites.validation import PathText as PathText
from oloproof.suites.validation import PlaceText as PlaceText

if TYPE_CHECKING:
    from collections.abc import Iterable


class ToleranceFields(Fields):
    """How far numbers may lie from the expected ones, bounds included."""

    absolute: float = Field(default=0, ge=0)
    relative: float = Field(default=0, ge=0)

    def tolerance(self) -> Tolerance | None:
        """The tolerance, or None where nothing is allowed."""
        if self.absolute or self.relative:
            return Tolerance(self.absolute, self.relative)
        return None


class TolerancesFields(ToleranceFields):
    """A tolerance everywhere, and those of certain paths (and below) instead of it."""

    paths: dict[PathText, ToleranceFields] = Field(default_factory=empty_object)


class ComparisonOptions(EvaluatorOptions):
    """What does not count where two values are compared, and how far numbers may differ."""

    ignore: tuple[PathText, ...] = ()
    unordered: tuple[PathText, ...] = ()
    tolerance: TolerancesFields | None = None
    normalise: dict[PathText, tuple[Normaliser, ...]] = Field(default_factory=empty_object)

    @model_validator(mode="after")
    def _names_whole_lists(self) -> Self:
        for listed in parse_all(self.unordered):
            for place, text in self._declared():
                if names_item(parse(text), listed):
                    raise refuse(
                        f"`{text}` names one item of `{listed}`, whose order does not count",
                        fix=f"name every item: `{listed}[*]`",
                        at=place,
                    )
        return self

    def _paths_compared(self) -> tuple[PathText, ...]:
        """The places that alone are compared; none where everything is."""
        return ()

    def _declared(self) -> list[tuple[tuple[str | int, ...], str]]:
        """Every path in the options, with where it stands."""
        found: list[tuple[tuple[str | int, ...], str]] = []
        named = {"paths": self._paths_compared(), "ignore": self.ignore}
        for field, texts in (named | {"unordered": self.unordered}).items():
            found += [((field, n), text) for n, text in enumerate(texts)]
        found += [(("normalise", text), text) for text in self.normalise]
        if self.tolerance is not None:
            found += [(("tolerance", "paths", text), text) for text in self.tolerance.paths]
        return found

    def allows_difference(self) -> bool:
        """Whether some number may differ somewhere."""
        allowed = self.tolerance
        return allowed is not None and bool(allowed.tolerance() or allowed.paths)

    def comparison(
        self, *, mode: Mode | None = None, alternatives: str = ALTERNATIVES
    ) -> StateComparison:
        """The comparison that these options describe; of everything unless a `mode` is given."""
        allowed = self.tolerance
        return StateComparison(
            mode=mode or ("tolerance" if self.allows_difference() else "exact"),
            paths=parse_all(self._paths_compared()),
            ignore=parse_all(self.ignore),
            unordered=parse_all(self.unordered),
            tolerance=allowed.tolerance() if allowed else None,
            tolerance_at={
                parse(text): Tolerance(fields.absolute, fields.relative)
                for text, fields in (allowed.paths if allowed else {}).items()
            },
            normalise={parse(text): names for text, names in self.normalise.items()},
            alternatives=alternatives,
        )


class StateOptions(ComparisonOptions):
    """How a recorded state is compared with the expected one."""

    mode: Mode = "exact"
    paths: tuple[PathText, ...] = ()
    alternatives: str = Field(default=ALTERNATIVES, min_length=1)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        self._check_mode()
        self._check_ignored()
        return self

    def _paths_compared(self) -> tuple[PathText, ...]:
        return self.paths

    def _check_mode(self) -> None:
        if self.mode == "paths" and not self.paths:
            raise refuse(
                "the mode `paths` has no paths to compare",
                fix="list them: `paths: [orders.ord-1.status]`",
                at=("mode",),
            )
        if self.paths and self.mode != "paths":
            raise refuse(
                f"`paths` says nothing in the mode `{self.mode}`",
                fix="write `mode: paths` to compare these places alone, or leave `paths` out",
                at=("paths",),
            )
        allowed = self.tolerance
        if not self.allows_difference():
            if self.mode == "tolerance" or allowed is not None:
                raise refuse(
                    "no tolerance is given",
                    fix="say how much: `tolerance: {absolute: 0.01}` (or `relative`, or `paths`)",
                    at=("mode",) if allowed is None else ("tolerance",),
                )
        elif self.mode == "exact":
            raise refuse(
                "the mode `exact` allows no tolerance",
                fix="write `mode: tolerance`, or leave `tolerance` out",
                at=("tolerance",),
            )

    def _check_ignored(self) -> None:
        ignored = [parse(text) for text in self.ignore]
        for position, text in enumerate(self.paths):
            if any(path.covers(parse(text)) for path in ignored):
                raise refuse(
                    f"`{text}` is to be compared and to be ignored",
                    fix="leave it out of `paths` or of `ignore`",
                    at=("paths", position),
                )

    def comparison(self, **_: Any) -> StateComparison:
        """The comparison that these options describe."""
        return super().comparison(mode=self.mode, alternatives=self.alternatives)


class KeptOptions(EvaluatorOptions):
    """What has to stay as it is: what lies at `paths` (else everything), but not at `except`."""

    paths: tuple[PathText, ...] | None = Field(default=None, min_length=1)
    except_: tuple[PathText, ...] = Field(default=(), alias="except")

    @model_validator(mode="after")
    def _consistent(self) -> KeptOptions:
        allowed = parse_all(self.except_)
        for position, text in enumerate(self.paths or ()):
            if any(path.covers(parse(text)) for path in allowed):
                raise refuse(
                    f"`{text}` must not change, and is allowed to change",
                    fix="leave it out of `paths` or of `except`",
                    at=("paths", position),
                )
        return self


def names_item(path: Path, listed: Path) -> bool:
    """Whether `path` can lead through one certain item of the list at `listed`."""
    depth = len(listed.segments)
    return (
        len(path.segments) > depth
        and path.segments[depth] is not EVERY
        and all(
            EVERY in (ours, theirs) or str(ours) == str(theirs)
            for ours, theirs in zip(path.segments, listed.segments, strict=False)
        )
    )


def parse_all(texts: Iterable[str]) -> tuple[Path, ...]:
    """The paths of texts that are known to be readable."""
    return tuple(parse(text) for text in texts)
