"""Turns a snapshot into the form it is stored in: whole, or as a patch where that is smaller.

Large worlds are hot. The short way parses nothing: where a snapshot differs from the initial
state is found by Python's own comparison, and the changes prove themselves. When they are
plain JSON and turn the initial state into exactly the bytes of the snapshot, they are its
patch, and the snapshot is plain JSON too. Whatever is otherwise takes the long way.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Final

import orjson

from oloproof.canonical import MAX_DEPTH, JsonValue, decode, digest, encode, encode_foreign
from oloproof.execution.trajectories import refuse_oversize
from oloproof.patches import Operation, apply, difference

if TYPE_CHECKING:
    from oloproof.execution.redaction import Redaction

PATCH_FROM_BYTES: Final = 512
"""A smaller world is stored whole: a patch would save nothing worth its cost."""


class Worlds:
    """Stores the snapshots of one system; secrets are taken out of what it stores."""

    def __init__(self, redaction: Redaction) -> None:
        self._redaction = redaction
        self._state_json: bytes | None = None
        self._initial: JsonValue = None

    def store(self, snapshot: object, state_json: bytes | None) -> dict[str, Any]:
        """A moment of `environment_state/v1`; `NotJsonError` where the snapshot is not JSON."""
        large = state_json is not None and len(state_json) >= PATCH_FROM_BYTES
        if large and not self._redaction:
            initial = self.initial(state_json)
            short = _proven_changes(initial, snapshot)
            if short is not None:
                refuse_oversize(short[0], "snapshot()")
                return _smaller(*short)
        encoded = encode_foreign(snapshot, "snapshot()")
        refuse_oversize(encoded.data, "snapshot()")
        value = self._redaction.of_value(encoded.value)
        data = encoded.data if value is encoded.value else encode(value)
        if state_json is None or len(data) < PATCH_FROM_BYTES:
            return _whole(data)
        return _smaller(data, difference(self.initial(state_json), value))

    def initial(self, state_json: bytes | None) -> JsonValue:
        """The initial state that patches are made against, redacted as they are.

        Parsed once for the cases that share it; whoever gets it must not change it.
        """
        if self._state_json != state_json:
            value = None if state_json is None else decode(state_json)
            self._initial = self._redaction.of_value(value)
            self._state_json = state_json
        return self._initial


def _proven_changes(initial: JsonValue, snapshot: Any) -> tuple[bytes, list[Operation]] | None:
    """The bytes of a snapshot and the changes that lead to it, or None where that is not proven."""
    try:
        data = encode(snapshot)
        changes = difference(initial, snapshot, same=operator.eq)
        if all(map(_is_shallow_json, changes)) and encode(apply(initial, changes)) == data:
            return data, changes
    except Exception:  # noqa: S110  # whatever it is, the long way says it
        pass
    return None


def _is_shallow_json(change: Operation) -> bool:
    """Whether a change puts JSON in place, certainly not too deep; it then holds a copy of it."""
    if change["op"] == "remove":
        return True
    given = change["value"]
    if isinstance(given, tuple):
        return False  # in place of an equal list it would pass for a change
    data, change["value"] = encode_foreign(given, "a change")
    depth = change["path"].count("/") + data.count(b"[") + data.count(b"{")
    return depth <= MAX_DEPTH


def _whole(data: bytes) -> dict[str, Any]:
    return {"digest": digest(data), "state": orjson.Fragment(data)}


def _smaller(data: bytes, changes: list[Operation]) -> dict[str, Any]:
    patch = encode(changes)  # type: ignore[arg-type]  # operations are JSON objects
    if len(patch) < len(data):
        return {"digest": digest(data), "patch": orjson.Fragment(patch)}
    return _whole(data)
