"""A dataset: the cases of a suite, one by one, and the facts about all of them."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

from oloproof.canonical import digest, encode
from oloproof.errors import ConfigurationError
from oloproof.suites.case_fields import read_case
from oloproof.suites.case_files import open_cases
from oloproof.suites.faulty import FaultyCaseError
from oloproof.suites.files import cannot_read
from oloproof.suites.likeness import Marks
from oloproof.suites.places import show_path
from oloproof.suites.state_files import StateFiles

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from oloproof.canonical import JsonValue
    from oloproof.records.case import Case
    from oloproof.suites.likeness import Alike


class DatasetFacts(NamedTuple):
    """What one pass over a whole dataset found.

    `digest` covers all bytes read: the dataset and its state `files` (relative to the root).
    `alike` are cases that ask for the same.
    The id and line of the first case of a kind: `stateless_case` without `initial_state`,
    `conversation` with `turns`, `single_call` with one `input`.
    """

    cases: int
    explicit_clusters: frozenset[str]
    digest: str
    files: tuple[str, ...]
    stateless_case: tuple[str, int] | None
    conversation: tuple[str, int] | None = None
    single_call: tuple[str, int] | None = None
    alike: tuple[Alike, ...] = ()

    def shared_clusters(self) -> Callable[[Case], str | None]:
        """What tells the cluster that a case shares with others; None of one of its own."""
        by_case = {name: one.cluster for one in self.alike for name in one.undeclared}
        shared = self.explicit_clusters | set(by_case.values())

        def cluster_of(case: Case) -> str | None:
            name = by_case.get(case.id, case.cluster_id)
            return name if name in shared else None

        return cluster_of


class Dataset:
    """The cases in the file at `path` in file order; `root` is the folder of the project.

    Every pass checks each case by itself and raises `ConfigurationError` at the first that is
    wrong; `check` sees also what concerns several cases.
    """

    def __init__(self, path: Path, root: Path) -> None:
        self.path = path
        self.root = root
        self._cases = open_cases(path)
        self._states = StateFiles(root)

    def __iter__(self) -> Iterator[Case]:
        for position, line, raw in self._cases.read():
            yield self._case(position, line, raw)

    def check(self, see: Callable[[Case], object] = lambda _: None) -> DatasetFacts:
        """One pass over everything, before a run: nothing that a run would refuse is left.

        `see` is called with each case; a large initial state may not have been built for it.
        """
        seen: set[int] = set()
        clusters: set[str] = set()
        stateless: tuple[str, int] | None = None
        first_of: dict[bool, tuple[str, int]] = {}
        self._states.forget()
        marks = Marks()
        bytes_read = hashlib.sha256()
        count = 0
        for position, line, raw in self._cases.read(see=bytes_read.update):
            case = self._case(position, line, raw, whole=False)
            # 64-bit hashes keep 100,000s of ids small; an equal one is only a suspicion.
            if (mark := hash(case.id)) in seen:
                self._refuse_repeated(case, position)
            seen.add(mark)
            see(case)
            marks.add(raw)
            if case.cluster is not None:
                clusters.add(case.cluster)
            if stateless is None and not case.has_state:
                stateless = (case.id, line)
            first_of.setdefault(bool(case.turns), (case.id, line))
            count += 1
        if not count:
            raise ConfigurationError(
                "the dataset holds no case", where=show_path(self.path), fix="add at least one"
            )
        files = self._states.digests
        return DatasetFacts(
            cases=count,
            explicit_clusters=frozenset(clusters),
            digest=_digest(bytes_read.hexdigest(), files),
            files=tuple(sorted(files)),
            stateless_case=stateless,
            conversation=first_of.get(True),
            single_call=first_of.get(False),
            alike=tuple(marks.alike(raw for _, _, raw in self._cases.read())),
        )

    def digest(self, files: Iterable[str]) -> str:
        """The digest that `check` would find if the state `files` are still those it found.

        Reads bytes only, so that an unchanged dataset is known without looking at its cases.
        """
        try:
            with self.path.open("rb") as file:
                cases = hashlib.file_digest(file, "sha256").hexdigest()
        except (OSError, ValueError) as error:
            raise cannot_read(self.path, "the dataset", error) from None
        return _digest(cases, {name: self._states.digest(name) for name in files})

    def find(self, name: str) -> Case | None:
        """The case with the id `name`, or None."""
        for position, line, raw in self._cases.read(mentioning=name):
            if _id_of(raw) == name:
                return self._case(position, line, raw)
        return None

    def _case(self, position: int, line: int, raw: JsonValue, *, whole: bool = True) -> Case:
        try:
            return read_case(raw, line, self._states, whole=whole)
        except FaultyCaseError as fault:
            raise ConfigurationError(
                fault.what,
                where=self._cases.document(position, line, raw).where(fault.place),
                fix=fault.fix,
            ) from None

    def _refuse_repeated(self, case: Case, position: int) -> None:
        """Raises if a case before `position` has the id of `case`."""
        for earlier, line, raw in self._cases.read(mentioning=case.id):
            if earlier < position and _id_of(raw) == case.id:
                assert case.line is not None  # it was read from a file
                raise ConfigurationError(
                    f"the id `{case.id}` is given twice: in line {line} and in line {case.line}",
                    where=self._cases.document(position, case.line, None).where(("id",)),
                    fix="give each case an id of its own",
                )


def _id_of(raw: JsonValue) -> JsonValue:
    return raw.get("id") if isinstance(raw, dict) else None


def _digest(cases: str, files: Mapping[str, str]) -> str:
    return digest(encode({"cases": cases, "files": dict(files)}))
