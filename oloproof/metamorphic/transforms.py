"""Transforms: each makes a copy of a case that should be treated as its source.

All that are declared change a text. `identity`, which is built in, changes nothing.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from oloproof.errors import ConfigurationError
from oloproof.paths import MISSING, Path, parse
from oloproof.records.case import IDENTITY, refuse_case

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from oloproof.canonical import JsonValue
    from oloproof.records.case import Case
    from oloproof.suites.suite import TransformSpec

_PACKAGE: Final = "oloproof.metamorphic.kinds"


class Transform(NamedTuple):
    """One declared transform. `definition` is all that its copies follow from."""

    name: str
    field: str
    place: Path
    definition: dict[str, JsonValue]
    rewrite: Callable[[str], str]

    def apply(self, case: Case) -> Case | None:
        """The copy `source~name` with the one text changed; None where nothing changes.

        Everything else is shared with the source. `ConfigurationError` names a case that has
        no text at the field.
        """
        text = self.text_of(case)
        changed = self.rewrite(text)
        if changed == text:
            return None
        return _copy(case.with_input(self.place.changed(case.input, lambda _: changed)), self.name)

    def text_of(self, case: Case) -> str:
        """The text that is changed."""
        found = self.place.get(case.input)
        if isinstance(found, str):
            return found
        place = f"`{self.field}` in the input of case `{case.id}`"
        problem = f"there is no {place}" if found is MISSING else f"{place} is not text"
        of_turn = isinstance(found, dict) and isinstance(found.get("user"), str)
        raise refuse_case(
            case,
            f"the transform `{self.name}`: {problem}",
            mend=f"name the message in it: `field: {self.field}.user`"
            if of_turn
            else "name a field that holds text in every case",
        )


class Identity(NamedTuple):
    """The transform that changes nothing: what its copies do otherwise is the agent's own noise."""

    name: str = IDENTITY

    def apply(self, case: Case) -> Case:
        """The copy `source~identity`, the source again."""
        return _copy(case, self.name)


AnyTransform: TypeAlias = Transform | Identity


def _copy(case: Case, name: str) -> Case:
    assert case.source is None, "a copy is not copied again"
    return case._replace(id=f"{case.id}~{name}", source=case.id, transform=name)


def with_identity(
    transforms: Iterable[Transform], judged: Iterable[str | None]
) -> tuple[AnyTransform, ...]:
    """The `transforms` of a suite, behind `identity` where a check is of those that it judges."""
    return (Identity(), *transforms) if IDENTITY in judged else tuple(transforms)


def copies_of(case: Case, transforms: Sequence[AnyTransform]) -> list[Case]:
    """The copies of a case in the order of the transforms.

    `identity` alone has nothing to be beside: where no other one changes the case, there is none,
    unless the suite declares no other. `ConfigurationError` as `apply` raises it.
    """
    copies = [copy for transform in transforms if (copy := transform.apply(case)) is not None]
    lone = len(copies) == 1 < len(transforms) and copies[0].transform == IDENTITY
    return [] if lone else copies


def build_transform(spec: TransformSpec) -> Transform:
    """The transform of a declaration; `ConfigurationError` where its field names no one place."""
    kind = _kind(spec)
    given = getattr(spec, kind)
    definition: dict[str, JsonValue] = {
        "name": spec.name,
        "field": spec.field,
        kind: given if isinstance(given, str) else [list(pair) for pair in given],
    }
    rewrite = importlib.import_module(f"{_PACKAGE}.{kind}").build(spec)
    return Transform(spec.name, spec.field, _place(spec), definition, rewrite)


def known_kinds() -> list[str]:
    """The kinds of transforms there are."""
    package = importlib.import_module(_PACKAGE)
    return sorted(module.name for module in pkgutil.iter_modules(package.__path__))


def _kind(spec: TransformSpec) -> str:
    return next(kind for kind in known_kinds() if getattr(spec, kind, None) is not None)


def _place(spec: TransformSpec) -> Path:
    try:
        place = parse(spec.field)
    except ConfigurationError as error:
        raise ConfigurationError(
            error.what, where=f"{spec.where}: field", mend=error.mend
        ) from None
    if place.has_wildcard:
        raise ConfigurationError(
            f"`{spec.field}` may name several places",
            where=f"{spec.where}: field",
            mend="a transform changes one text: name one place, without `[*]`",
        )
    return place
