"""What the documents of a run refer to, for the work on the store as a whole."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from oloproof.canonical import decode, encode

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from oloproof.store.references import Kind


class RunDocuments:
    """Reads manifests, summaries, rows and case documents as `run` writes them."""

    def references(self, kind: Kind, data: bytes) -> Iterator[tuple[Kind, bytes]]:
        """The objects that a document refers to."""
        if kind == "case" and b'"state_object":' not in data:
            return  # most cases keep their state in the document
        with _understood():
            value: Any = decode(data)
            match kind:
                case "summary":
                    for digest in value["pairs"].values():
                        yield "pairs", bytes.fromhex(digest)
                case "rows":
                    for row in value:
                        yield from _of_row(row)
                case "case" if "state_object" in value:
                    yield "state", bytes.fromhex(value["state_object"])

    def cases(self, summary: bytes) -> int:
        """How many rows a run has."""
        with _understood():
            return int(_object(summary)["cases"])

    def runs_named(self, summary: bytes) -> set[int]:
        """The runs that results were reused from, and those that tried failed cases again."""
        with _understood():
            value = _object(summary)
            return {int(line[0]) for line in value["reused"]} | set(map(int, value["tried_again"]))

    def renumbered(self, summary: bytes, numbers: Mapping[int, int]) -> bytes:
        """A summary in which runs have other numbers; one that has none is left out."""
        with _understood():
            value = _object(summary)
            reused = [[numbers[n], *rest] for n, *rest in value["reused"] if n in numbers]
            again = [numbers[n] for n in value["tried_again"] if n in numbers]
            return encode(value | {"reused": reused, "tried_again": again})

    def is_marked(self, manifest: bytes) -> bool:
        """Whether a run tried failed cases again, which every gate on its results says."""
        with _understood():
            return bool(_object(manifest)["rerun_failed"])

    def project(self, manifest: bytes) -> str:
        """The project that was run."""
        with _understood():
            return str(_object(manifest)["project"])

    def system(self, manifest: bytes) -> str:
        """The source digest of the system that was run."""
        with _understood():
            return str(_object(manifest)["system"]["source_digest"])


def _of_row(row: Any) -> Iterator[tuple[Kind, bytes]]:
    yield "case", bytes.fromhex(row["case"])
    for _transform, _replicate, evidence, _status, _codes, replays, *_ in row["units"]:
        yield "evidence", bytes.fromhex(evidence)
        for _step, _fault, replay in replays:
            yield "replay", bytes.fromhex(replay)


def _object(data: bytes) -> dict[str, Any]:
    value: Any = decode(data)
    if not isinstance(value, dict):
        raise ValueError("a document is no object")
    return value


@contextmanager
def _understood() -> Iterator[None]:
    """A document of another version may be whole and still not what it is read as."""
    try:
        yield
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise ValueError(f"a document cannot be understood: {error}") from error
