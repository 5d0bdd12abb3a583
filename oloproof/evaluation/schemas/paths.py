"""Whether a path that a check names can be anywhere in what fits a JSON Schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from oloproof.errors import ConfigurationError, suggest
from oloproof.paths import EVERY, list_index

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oloproof.evaluation.schemas.schema import Schema
    from oloproof.evaluation.states.snapshots import StateCheck
    from oloproof.paths import Path

_HOLDERS: Final = frozenset({"object", "array"})


def refuse_unknown_places(checks: Iterable[tuple[StateCheck, frozenset[str] | None]]) -> None:
    """Raises `ConfigurationError` for a place that a schema of the same state does not know.

    Beside each check stand the patterns of its cases, None where it is for all: a schema says
    nothing of the places of cases that it is not for.
    """
    checks = list(checks)
    for declared, of in checks:
        schema: Schema | None = getattr(declared, "schema", None)
        if schema is None:
            continue
        for check, cases in checks:
            is_for_them = of is None or (cases is not None and cases <= of)
            for place in check.places if is_for_them and check.of == declared.of else ():
                known = keys_instead(schema, place.path)
                if known is not None:
                    raise ConfigurationError(
                        f"`{place.path}` is nowhere in the states of `{declared.metric}`'s schema",
                        where=place.where,
                        fix=f"correct the path, or the schema; {suggest(*known)}",
                    )


def keys_instead(schema: Schema, path: Path) -> tuple[str, list[str]] | None:
    """The key of a path that no state that fits can have, and those that may stand there.

    None where something may be there. Followed are the keys of objects that declare all of them,
    the items of lists, and references; whatever else a schema asks is taken to allow anything.
    """
    part: Any = schema.written
    resolver = schema.resolver()
    for segment in path.segments:
        while isinstance(part, dict) and "$ref" in part and "properties" not in part:
            target = resolver.lookup(part["$ref"])
            part, resolver = target.contents, target.resolver
        if not isinstance(part, dict) or "$id" in part:
            return None
        types = part.get("type", _HOLDERS)
        holds = _HOLDERS & ({types} if isinstance(types, str) else set(types))
        declared = part.get("properties", {})
        index = None if segment is EVERY else list_index(segment)  # type: ignore[arg-type]  # no wildcard
        if holds == {"array"} and (segment is EVERY or index is not None):
            part = None if "prefixItems" in part else part.get("items")
        elif segment in declared and (index is None or holds == {"object"}):
            part = declared[segment]
        else:
            closed = part.get("additionalProperties") is False and "patternProperties" not in part
            nothing = not holds or (closed and segment is not EVERY and index is None)
            return (str(segment), sorted(declared)) if nothing else None
    return None
