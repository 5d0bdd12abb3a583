"""The structural difference of two JSON values, in the form of RFC 6902 (JSON Patch).

`difference` is exact (`True` is not `1`, `1` is not `1.0`) and descends only where the
encoded children differ, so a large value with one change costs about one encoding a level.
`apply` shares every untouched subtree with its input and never changes it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypedDict, TypeVar

from oloproof.canonical import JsonValue, encode, equal
from oloproof.errors import OloproofError

if TYPE_CHECKING:
    from collections.abc import Callable

    _Same: TypeAlias = Callable[[JsonValue, JsonValue], bool]

_Container = TypeVar("_Container", dict[str, JsonValue], list[JsonValue])

_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,17}")


class PatchError(OloproofError):
    """A patch does not fit the value that it is applied to."""


class Operation(TypedDict, total=False):
    """One RFC 6902 operation; this module itself writes only add, remove and replace."""

    op: str
    path: str
    value: JsonValue


def difference(
    old: JsonValue, new: JsonValue, *, same: Callable[[JsonValue, JsonValue], bool] | None = None
) -> list[Operation]:
    """The add, remove and replace operations that turn `old` into `new`.

    `same` says which values need no change; without it only those whose canonical forms are
    equal. Who proves the result in another way may give a cheaper one.
    """
    operations: list[Operation] = []
    _descend(old, new, "", operations, same or _same)
    return operations


def _descend(old: JsonValue, new: JsonValue, path: str, out: list[Operation], same: _Same) -> None:
    """Add the changes at `path`."""
    if isinstance(old, dict) and isinstance(new, dict):
        _descend_object(old, new, path, out, same)
    elif isinstance(old, list) and isinstance(new, list):
        _descend_list(old, new, path, out, same)
    elif not same(old, new):
        out.append({"op": "replace", "path": path, "value": new})


def _descend_object(
    old: dict[str, JsonValue],
    new: dict[str, JsonValue],
    path: str,
    out: list[Operation],
    same: _Same,
) -> None:
    out.extend(
        {"op": "remove", "path": f"{path}/{escape(key)}"} for key in sorted(old.keys() - new.keys())
    )
    for key, item in new.items():
        if key not in old:
            out.append({"op": "add", "path": f"{path}/{escape(key)}", "value": item})
        elif not same(old[key], item):
            _descend(old[key], item, f"{path}/{escape(key)}", out, same)


def _descend_list(
    old: list[JsonValue], new: list[JsonValue], path: str, out: list[Operation], same: _Same
) -> None:
    head, tail = _common_ends(old, new, same)
    removed = old[head : len(old) - tail]
    added = new[head : len(new) - tail]
    shared = min(len(removed), len(added))
    for offset in range(shared):
        if not same(removed[offset], added[offset]):
            _descend(removed[offset], added[offset], f"{path}/{head + offset}", out, same)
    out.extend(
        {"op": "remove", "path": f"{path}/{head + shared}"} for _ in range(len(removed) - shared)
    )
    out.extend(
        {"op": "add", "path": f"{path}/{head + offset}", "value": added[offset]}
        for offset in range(shared, len(added))
    )


def _common_ends(old: list[JsonValue], new: list[JsonValue], same: _Same) -> tuple[int, int]:
    """How many items two lists share at their start, and beyond that at their end."""
    if len(old) == len(new):
        return 0, 0  # compared item by item anyway
    short = min(len(old), len(new))
    head = 0
    while head < short and same(old[head], new[head]):
        head += 1
    tail = 0
    while tail < short - head and same(old[-1 - tail], new[-1 - tail]):
        tail += 1
    return head, tail


def _same(left: JsonValue, right: JsonValue) -> bool:
    if left is right:
        return True
    if type(left) is not type(right):
        return False
    if isinstance(left, str | bool | int):
        return left == right
    return encode(left) == encode(right)


def apply(value: JsonValue, operations: list[Any]) -> JsonValue:
    """`value` with the operations of RFC 6902 applied in order; `value` itself stays as it was.

    Raises `PatchError` that names the operation, counted from 0, which does not fit.
    """
    editing = _Editing()
    for number, operation in enumerate(operations):
        try:
            value = editing.apply_one(value, operation)
        except _UnfitError as unfit:
            raise PatchError(
                f"operation {number} of the patch does not fit: {unfit}",
                where=f"patch[{number}]: {operation!r}"[:200],
                fix="a path is a JSON Pointer (RFC 6901) into the value as the operations "
                "before it left it",
            ) from None
    return value


class _UnfitError(Exception):
    pass


def escape(key: str) -> str:
    """A key as one segment of a JSON Pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def unescape(segment: str) -> str:
    """The key that one segment of a JSON Pointer stands for."""
    return segment.replace("~1", "/").replace("~0", "~")


def _split(pointer: str) -> list[str]:
    if pointer == "":
        return []
    if not pointer.startswith("/"):
        raise _UnfitError(f"{pointer!r} is no JSON Pointer: it must be empty or start with `/`")
    return [unescape(segment) for segment in pointer[1:].split("/")]


def _get(document: JsonValue, segments: list[str]) -> JsonValue:
    for segment in segments:
        if isinstance(document, dict) and segment in document:
            document = document[segment]
        elif isinstance(document, list):
            document = document[_index(segment, len(document) - 1)]
        else:
            raise _UnfitError(f"nothing is at {segment!r}")
    return document


def _index(segment: str, last: int) -> int:
    if not _INDEX.fullmatch(segment):
        raise _UnfitError(f"{segment!r} is no list index")
    index = int(segment)
    if index > last:
        raise _UnfitError(f"index {segment} is beyond the end of the list")
    return index


class _Editing:
    """Edits a value in place where the containers are copies made before, else on copies."""

    def __init__(self) -> None:
        self._copies: dict[int, dict[str, JsonValue] | list[JsonValue]] = {}

    def apply_one(self, document: JsonValue, operation: Any) -> JsonValue:
        """`document` after one operation."""
        if not isinstance(operation, dict):
            raise _UnfitError("an operation is an object with `op` and `path`")
        name, path = operation.get("op"), operation.get("path")
        if not isinstance(path, str):
            raise _UnfitError("`path` is missing or not text")
        if name in ("add", "replace", "test") and "value" not in operation:
            raise _UnfitError(f"`{name}` needs a `value`")
        match name:
            case "add" | "replace" | "remove":
                return self._edit(document, _split(path), name, operation.get("value"))
            case "test":
                if not equal(_get(document, _split(path)), operation["value"]):
                    raise _UnfitError(f"the value at {path!r} is not the one tested for")
                return document
            case "move" | "copy":
                return self._transfer(document, name, operation.get("from"), path)
            case _:
                raise _UnfitError(
                    f"unknown op {name!r}; known: add, remove, replace, move, copy, test"
                )

    def _transfer(self, document: JsonValue, name: str, source: Any, path: str) -> JsonValue:
        if not isinstance(source, str):
            raise _UnfitError(f"`{name}` needs `from`")
        if name == "move" and path.startswith(source + "/"):
            raise _UnfitError("a value cannot move into itself")
        moved = _get(document, _split(source))
        if name == "move":
            document = self._edit(document, _split(source), "remove", None)
        self._copies.clear()  # what stands in two places must not be edited in one of them
        return self._edit(document, _split(path), "add", moved)

    def _edit(
        self, document: JsonValue, segments: list[str], op: str, value: JsonValue
    ) -> JsonValue:
        """`document` with one place changed; only the containers on the way are copied, once."""
        if not segments:
            if op == "remove":
                raise _UnfitError("the whole value cannot be removed")
            return value
        head, rest = segments[0], segments[1:]
        if isinstance(document, dict):
            return self._edit_object(document, head, rest, op, value)
        if isinstance(document, list):
            return self._edit_list(document, head, rest, op, value)
        raise _UnfitError(f"nothing is at {head!r}: its parent is neither an object nor a list")

    def _edit_object(
        self, document: dict[str, JsonValue], head: str, rest: list[str], op: str, value: JsonValue
    ) -> JsonValue:
        if head not in document and (rest or op != "add"):
            raise _UnfitError(f"nothing is at {head!r}")
        if rest:
            value = self._edit(document[head], rest, op, value)
        copy = self._own(document)
        if op == "remove" and not rest:
            del copy[head]
        else:
            copy[head] = value
        return copy

    def _edit_list(
        self, document: list[JsonValue], head: str, rest: list[str], op: str, value: JsonValue
    ) -> JsonValue:
        inserting = op == "add" and not rest
        last = len(document) if inserting else len(document) - 1
        index = len(document) if inserting and head == "-" else _index(head, last)
        if rest:
            value = self._edit(document[index], rest, op, value)
        copy = self._own(document)
        if inserting:
            copy.insert(index, value)
        elif op == "remove" and not rest:
            del copy[index]
        else:
            copy[index] = value
        return copy

    def _own(self, container: _Container) -> _Container:
        """A copy of a container that may be changed: itself, where it is one already."""
        if id(container) in self._copies:
            return container
        copy = container.copy()
        self._copies[id(copy)] = copy  # kept, so that its id stays its own
        return copy
