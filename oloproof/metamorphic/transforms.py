"""Transforms: each makes a changed copy of a case that should be treated as its source."""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, Final, NamedTuple

from oloproof.errors import ConfigurationError
from oloproof.paths import MISSING, Path, parse
from oloproof.suites.case import refuse_case

if TYPE_CHECKING:
    from collections.abc import Callable

    from oloproof.canonical import JsonValue
    from oloproof.suites.case import Case
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
        assert case.source is None, "a copy is not copied again"
        changed = self._rewritten(case)
        if changed is None:
            return None
        copy = case.with_input(self.place.changed(case.input, lambda _: changed))
        return copy._replace(id=f"{case.id}~{self.name}", source=case.id, transform=self.name)

    def changes(self, case: Case) -> bool:
        """Whether there is a copy of a case; raises as `apply` does."""
        return self._rewritten(case) is not None

    def _rewritten(self, case: Case) -> str | None:
        text = self.text_of(case)
        changed = self.rewrite(text)
        return None if changed == text else changed

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
