"""Whether a value that fits a JSON Schema can have anything at a path."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from oloproof.errors import ConfigurationError, nearest
from oloproof.paths import EVERY, list_index, render

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from oloproof.evaluation.schemas.schema import Schema
    from oloproof.evaluation.states.snapshots import StateCheck
    from oloproof.paths import Path, Segment

_MOST_REFERENCES = 50
"""Beyond as many references in a row the schema is taken to know anything."""


class Unknown(NamedTuple):
    """A path leads to where no value that fits can have anything.

    `depth` is how many segments do lead somewhere, `keys` are those that are known behind them.
    """

    depth: int
    keys: tuple[str, ...]

    def near(self, path: Path) -> str | None:
        """The path with the nearest key that is known in its place."""
        wanted = path.segments[self.depth]
        key = nearest(wanted, sorted(self.keys)) if isinstance(wanted, str) else None
        if key is None:
            return None
        return render((*path.segments[: self.depth], key, *path.segments[self.depth + 1 :]))


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
                unknown = unknown_at(schema, place.path)
                if unknown is None:
                    continue
                near = unknown.near(place.path)
                raise ConfigurationError(
                    f"`{place.path}` is nowhere in the states of `{declared.metric}`'s schema",
                    where=place.where,
                    mend=f"did you mean `{near}`?" if near else "correct the path, or the schema",
                )


def unknown_at(schema: Schema, path: Path) -> Unknown | None:
    """Where `schema` does not know a path; None where something may be there.

    Only what is certain counts: conditions (`if`, `not`, `contains`, `unevaluated…`) are taken
    to allow anything.
    """
    return _unknown(schema.written, schema.resolver(), path.segments, 0, 0)


def _unknown(
    schema: Any, resolver: Any, segments: tuple[Segment, ...], depth: int, hops: int
) -> Unknown | None:
    if schema is False:
        # What is never allowed breaks off at the segment before it.
        return Unknown(max(depth - 1, 0), ())
    if not isinstance(schema, dict) or depth == len(segments) or hops > _MOST_REFERENCES:
        return None
    if "$id" in schema:
        resolver = _within(schema, resolver)
    found = [_here(schema, resolver, segments, depth)]
    if "$ref" in schema:
        target = resolver.lookup(schema["$ref"])
        found.append(_unknown(target.contents, target.resolver, segments, depth, hops + 1))
    parts = {
        keyword: [_unknown(p, resolver, segments, depth, hops + 1) for p in schema.get(keyword, ())]
        for keyword in ("allOf", "anyOf", "oneOf")
    }
    found += [*parts["allOf"], _of_all(parts["anyOf"]), _of_all(parts["oneOf"])]
    return next((unknown for unknown in found if unknown is not None), None)


def _within(schema: dict[str, Any], resolver: Any) -> Any:
    """The resolver for the references in a schema that has a name of its own."""
    from referencing.jsonschema import DRAFT202012

    return resolver.in_subresource(DRAFT202012.create_resource(schema))


def _here(
    schema: dict[str, Any], resolver: Any, segments: tuple[Segment, ...], depth: int
) -> Unknown | None:
    """What the keywords for objects and lists say of the next segment."""
    ways = [
        _unknown(part, resolver, segments, depth + 1, 0) for part in _below(schema, segments[depth])
    ]
    if not ways:
        return Unknown(depth, tuple(schema.get("properties", ())))
    return _of_all(ways)


def _of_all(ways: list[Unknown | None]) -> Unknown | None:
    """Nothing is unknown if one way leads on; else the one that leads furthest, with all keys."""
    if not ways or None in ways:
        return None
    known = [way for way in ways if way is not None]
    depth = max(way.depth for way in known)
    keys = [key for way in known if way.depth == depth for key in way.keys]
    return Unknown(depth, tuple(dict.fromkeys(keys)))


def _below(schema: dict[str, Any], segment: Segment) -> Iterator[Any]:
    """The schemas of which one holds for what a segment names; none where nothing can be there."""
    types = schema.get("type", ("object", "array"))
    types = (types,) if isinstance(types, str) else types
    if "object" in types:
        yield from _of_key(schema, segment)
    index = None if segment is EVERY else list_index(segment)  # type: ignore[arg-type]  # no wildcard
    if "array" in types and (segment is EVERY or index is not None):
        yield from _of_index(schema, index)


def _of_key(schema: dict[str, Any], segment: Segment) -> Iterable[Any]:
    declared = schema.get("properties", {})
    patterns = schema.get("patternProperties", {})
    rest = schema.get("additionalProperties", True)
    others = [] if rest is False else [rest]
    if segment is EVERY:
        return [*declared.values(), *patterns.values(), *others]
    key = str(segment)
    found = [part for pattern, part in patterns.items() if re.search(pattern, key)]
    found += [declared[key]] if key in declared else []
    return found or others


def _of_index(schema: dict[str, Any], index: int | None) -> Iterable[Any]:
    first = schema.get("prefixItems", [])
    rest = schema.get("items", True)
    others = [] if rest is False else [rest]
    if index is None:
        return [*first, *others]
    return [first[index]] if index < len(first) else others
