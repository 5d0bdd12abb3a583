"""The stored form of a case: what it asked, the world it began in, what was expected.

A large initial state is an object of its own, which the cases that share it keep once. What was
given by operations on a state is kept as these operations.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import orjson

from oloproof.canonical import decode, encode_in_order
from oloproof.patches import apply
from oloproof.records.case import Case

if TYPE_CHECKING:
    from oloproof.canonical import JsonValue
    from oloproof.execution.redaction import Redaction
    from oloproof.store.database import Store

INLINE_BYTES: Final = 2048
"""A smaller initial state stands in the document itself."""

_REMEMBERED: Final = 4


class CaseDocuments:
    """Writes and reads the documents of source cases. Copies are made again from their source."""

    def __init__(self, store: Store, redaction: Redaction) -> None:
        self._store = store
        self._redaction = redaction
        self._put: dict[bytes, str] = {}  # digests of the last large states, by their JSON

    def put(self, case: Case) -> bytes:
        """Keep a source case; the digest of its document."""
        document: dict[str, Any] = {
            "id": case.id,
            "input": case.input,
            "expected": case.expected,
            "metadata": case.metadata,
            "cluster": case.cluster,
        }
        if case.turns:
            document["talks"] = True
        # A redaction may also change where things are, so that operations would fit no more.
        by_patch = not self._redaction
        if case.expected is not None and case.expected_patch is not None and by_patch:
            document["expected"] = {k: v for k, v in case.expected.items() if k != "state"}
            document["expected_patch"] = case.expected_patch
        state = case.state_json
        if case.patched_state is not None and by_patch:
            state, document["state_patch"] = case.patched_state
        if state is not None and len(state) > INLINE_BYTES:
            document["state_object"] = self._put_large(state)
        elif state is not None:
            document["state"] = orjson.Fragment(state)
        return self._store.put(self._redaction.of_json(encode_in_order(document)))

    def _put_large(self, state: bytes) -> str:
        if state not in self._put:
            if len(self._put) == _REMEMBERED:
                del self._put[next(iter(self._put))]
            self._put[state] = self._store.put(self._redaction.of_json(state)).hex()
        return self._put[state]

    def get(self, digest: bytes) -> Case | None:
        """The case of a document, or None where it is absent or damaged."""
        document = self._store.get_json(digest)
        if document is None:
            return None
        state_json = None
        if "state_object" in document:
            state_json = self._store.get(bytes.fromhex(document["state_object"]))
            if state_json is None:
                return None
        elif "state" in document:
            state_json = encode_in_order(document["state"])
        initial_state: JsonValue = None if state_json is None else decode(state_json)
        if "state_patch" in document:
            initial_state = apply(initial_state, document["state_patch"])
            state_json = encode_in_order(initial_state)
        expected = document["expected"]
        if "expected_patch" in document:
            expected |= {"state": apply(initial_state, document["expected_patch"])}
        turns: tuple[Any, ...] = ()
        if document.get("talks"):
            turns = tuple(document["input"]["turns"])
        return Case(
            id=document["id"],
            input=document["input"],
            initial_state=initial_state,
            state_json=state_json,
            expected=expected,
            metadata=document["metadata"],
            cluster=document["cluster"],
            turns=turns,
            has_state=state_json is not None,
        )
