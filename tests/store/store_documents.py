"""Documents that are only pretended: JSON lists of what they refer to."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from oloproof.store.database import Store
    from oloproof.store.references import Kind


class FakeDocuments:
    """A summary, a part of rows and a case are `{"refs": [[kind, digest], …], …}`."""

    def references(self, kind: Kind, data: bytes) -> Iterator[tuple[Kind, bytes]]:
        value = _understand(data)
        for meant, digest in value.get("refs", []):
            yield meant, bytes.fromhex(digest)

    def cases(self, summary: bytes) -> int:
        return int(_understand(summary).get("cases", 0))

    def runs_named(self, summary: bytes) -> set[int]:
        return set(_understand(summary).get("runs", []))

    def renumbered(self, summary: bytes, numbers: Mapping[int, int]) -> bytes:
        value = _understand(summary)
        value["runs"] = [numbers[n] for n in value.get("runs", []) if n in numbers]
        return dumped(value)

    def is_marked(self, manifest: bytes) -> bool:
        return bool(_understand(manifest).get("marked", False))

    def project(self, manifest: bytes) -> str:
        return str(_understand(manifest).get("project", "ours"))

    def system(self, manifest: bytes) -> str:
        return str(_understand(manifest).get("system", ""))


def _understand(data: bytes) -> dict[str, Any]:
    value = json.loads(data)
    if not isinstance(value, dict):
        raise ValueError("not understood")
    return value


def dumped(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True).encode()


def document(*refs: tuple[str, bytes], **fields: Any) -> bytes:
    """A document that refers to objects."""
    return dumped({"refs": [[kind, digest.hex()] for kind, digest in refs], **fields})


def add_run(
    store: Store,
    cases: dict[str, str],
    *,
    manifest: dict[str, Any] | None = None,
    named: tuple[int, ...] = (),
    part: int = 2,
) -> int:
    """A complete run over cases, given by their evidence, in parts of so many rows."""
    number = store.begin_run(
        started_at="2026-01-01T00:00:00+00:00",
        manifest=dumped(manifest or {}),
        inputs=b"inputs",
    )
    names = list(cases)
    for at in range(0, len(names), part):
        refs = []
        for name in names[at : at + part]:
            state = store.put(dumped(["state", name]))
            refs.append(("case", store.put(document(("state", state), name=name))))
            key = dumped([name, cases[name]])
            evidence = store.add_result(key, dumped(cases[name]), run=number, duration_s=0.5)
            refs.append(("evidence", evidence))
        store.add_chunk(number, at // part, document(*refs))
    summary = dumped({"cases": len(names), "runs": list(named)})
    store.finish_run(number, status="complete", summary=summary)
    return number


def folder_of(path: Path, name: str = "here") -> Path:
    """Where a store lies."""
    return path / name / ".oloproof"
