"""Transforms: each makes a copy of a case that should be treated as its source.

All that are declared change a text. `identity`, which is built in, changes nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from pydantic import Field, create_model

from oloproof.errors import ConfigurationError, suggest
from oloproof.kinds import TRANSFORMS, is_own
from oloproof.paths import MISSING, Path, parse
from oloproof.records.case import IDENTITY, refuse_case
from oloproof.suites.suite_fields import COMMON_FIELDS, TransformFields

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Callable, Iterable, Sequence

    from oloproof.canonical import JsonValue
    from oloproof.records.case import Case
    from oloproof.suites.suite import TransformSpec


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
            fix=f"name the message in it: `field: {self.field}.user`"
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


def build_transform(spec: TransformSpec, root: pathlib.Path | None = None) -> Transform:
    """The transform of a declaration, whose kind may be the project's in `root` itself.

    Raises `ConfigurationError` for a kind that there is not, for options that it does not
    take, and for a field that names no one place.
    """
    kind = _kind_of(spec, root)
    code = TRANSFORMS.find(kind, where=spec.document.where((*spec.at, kind)), root=root)
    declared: Any = spec.read(
        create_model("Declared", __base__=TransformFields, value=(code.Options, Field(alias=kind)))
    )
    rewrite: Callable[[str], str] = TRANSFORMS.build(kind, code, declared.value, where=spec.where)
    definition = {"name": spec.name, "field": spec.field, **spec.options}
    return Transform(spec.name, spec.field, _place(spec), definition, rewrite)


def _kind_of(spec: TransformSpec, root: pathlib.Path | None) -> str:
    """The kind of a declared transform: the one field that not every transform has."""
    given = list(spec.options)
    if len(given) == 1:
        return given[0]
    known = TRANSFORMS.names()
    strange = [name for name in given if name not in known and not is_own(name, root)]
    if len(given) > 1 and strange:
        raise ConfigurationError(
            f"unknown field `{strange[0]}` in the transform `{spec.name}`",
            where=spec.document.where((*spec.at, strange[0])),
            fix=suggest(strange[0], [*COMMON_FIELDS, *known]),
        )
    named = " and ".join(f"`{name}`" for name in given)
    raise ConfigurationError(
        f"the transform `{spec.name}` gives both {named}"
        if given
        else f"the transform `{spec.name}` does not say what it changes",
        where=spec.where,
        fix='give one: `replace: [["old", "new"]]` or `template: "{value} …"`',
    )


def _place(spec: TransformSpec) -> Path:
    try:
        place = parse(spec.field)
    except ConfigurationError as error:
        raise ConfigurationError(
            error.what, where=spec.document.where((*spec.at, "field")), fix=error.fix
        ) from None
    if place.has_wildcard:
        raise ConfigurationError(
            f"`{spec.field}` may name several places",
            where=spec.document.where((*spec.at, "field")),
            fix="a transform changes one text: name one place, without `[*]`",
        )
    return place
