"""For how long a result is good, and results taken over from runs that were killed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from oloproof.canonical import decode, encode
from oloproof.records.evidence import LATE, OUTAGE
from oloproof.reuse.fingerprint import Fingerprint, Keys
from oloproof.store.journal import FOLDER, journals, read_journal

if TYPE_CHECKING:
    from oloproof.store.database import RunRow, Store
    from oloproof.store.journal import Entry


NEVER: Final = 0.0
"""The limit of a result that is good for the run that made it alone."""


def limit_of(value: Any, timeout_s: float) -> float | None:
    """The deadline that evidence or a replay ran into, None where it ran into none.

    Such a result is good only while the deadline is not raised; one that met an outage never is.
    """
    if value.get("reason") == "replay_timed_out":
        return timeout_s
    outcome = value["outcome"] if "outcome" in value else (value.get("case") or {}).get("outcome")
    status = None if outcome is None else outcome["status"]
    if status == OUTAGE:
        return NEVER
    return timeout_s if status == "timed_out" else None


def with_late_call(value: Any, tool: str) -> Any:
    """Evidence, or a replay, of which it is known now that a tool was called after its end."""
    if "outcome" in value:
        return value | {LATE: list(dict.fromkeys([*value.get(LATE, ()), tool]))}
    told = {"reason": LATE, "detail": f"`{tool}` was called after the end of the case"}
    return value if value["reason"] is not None else value | told


def amend(store: Store, keys: Keys, header: Any) -> None:
    """Mark a stored result as one whose case went on after its end; see `with_late_call`."""
    key = bytes.fromhex(header["key"])
    if header["step_index"] is not None:
        recording = bytes.fromhex(header["recording"])
        key = keys.replay(key, recording, header["step_index"], header["fault"])
    store.commit()
    found = store.result(key)
    value: Any = None if found is None else store.get_json(found.object)
    if found is not None and value is not None:
        made = encode(with_late_call(value, header["late"]))
        store.add_result(key, made, run=found.run, duration_s=0.0, limit_s=found.limit_s)


def take_over_journals(store: Store) -> int:
    """Commit what the workers of dead runs had finished; how many results that were."""
    taken = 0
    for run, paths in journals(store.path.parent / FOLDER).items():
        row = store.run(run)
        if row is not None and row.status == "running":
            continue  # it takes over its own results
        keys = _keys(store, row)
        if keys is not None:
            for path in paths:
                taken += sum(_take_over(store, run, keys, entry) for entry in read_journal(path))
        store.commit()
        for path in paths:
            path.unlink(missing_ok=True)
    return taken


def _keys(store: Store, row: RunRow | None) -> Keys | None:
    """The keys as a dead run made them; None where it kept a fingerprint of another form."""
    manifest = None if row is None else store.get_json(row.manifest)
    kept = Fingerprint.from_json((manifest or {}).get("fingerprint", {}))
    return None if kept is None else Keys(kept)


def _take_over(store: Store, run: int, keys: Keys, entry: Entry) -> bool:
    header: Any = entry.header
    if "late" in header:
        amend(store, keys, header)
        return False
    key = bytes.fromhex(header["key"])
    if "recording" in header:
        recording = bytes.fromhex(header["recording"])
        known = store.result(key)
        if known is None or known.object != recording:
            return False  # a replay of something that the store does not have says nothing
        key = keys.replay(key, recording, header["step_index"], header["fault"])
    limit_s = limit_of(decode(entry.body), header["timeout_s"])
    store.add_result(key, entry.body, run=run, duration_s=header["s"], limit_s=limit_s)
    return True
