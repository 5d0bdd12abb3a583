"""The stored form of a case: what it asked, the world it began in, what was expected."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from oloproof.canonical import decode, encode_in_order
from oloproof.suites.case import Case

if TYPE_CHECKING:
    from oloproof.execution.redaction import Redaction
    from oloproof.store.database import Store

INLINE_BYTES: Final = 2048
"""A larger initial state is an object of its own, so that cases that share it keep it once."""


class CaseDocuments:
    """Writes and reads the documents of source cases. Copies are made anew from their source."""

    def __init__(self, store: Store, redaction: Redaction) -> None:
        self._store = store
        self._redaction = redaction
        self._shared: tuple[bytes | None, str] = (None, "")

    def put(self, case: Case) -> bytes:
        """Keep a source case; the digest of its document."""
        document: dict[str, Any] = {
            "id": case.id,
            "input": case.input,
            "expected": case.expected,
            "metadata": case.metadata,
            "cluster": case.cluster,
        }
        state = case.state_json
        if state is not None and len(state) > INLINE_BYTES:
            if self._shared[0] is not state:
                digest = self._store.put(self._redaction.of_json(state))
                self._shared = (state, digest.hex())
            document["state_object"] = self._shared[1]
        elif state is not None:
            document["state"] = case.initial_state
        return self._store.put(self._redaction.of_json(encode_in_order(document)))

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
        return Case(
            id=document["id"],
            input=document["input"],
            initial_state=None if state_json is None else decode(state_json),
            state_json=state_json,
            expected=document["expected"],
            metadata=document["metadata"],
            cluster=document["cluster"],
        )
