"""`oloproof.yaml`: what is evaluated, on which cases, by which checks."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from pydantic import BaseModel

from oloproof.suites.explanation import value_at
from oloproof.suites.files import check_file
from oloproof.suites.located import read_document
from oloproof.suites.slices import SliceSpec, parse_slice
from oloproof.suites.suite_fields import (
    COMMON_FIELDS,
    Retries,
    SuiteFields,
    SystemSpec,
    TransformFields,
)
from oloproof.suites.validation import validate

if TYPE_CHECKING:
    import builtins

    from oloproof.canonical import JsonValue
    from oloproof.suites.located import Document
    from oloproof.suites.places import Place

Options = TypeVar("Options", bound=BaseModel)


class TransformSpec(NamedTuple):
    """One declared transform; its kind checks its own options, by `read`.

    `validity_labels` is the path as written, `labels_path` the absolute one.
    """

    document: Document
    at: Place
    name: str
    field: str
    validity_labels: str | None
    labels_path: Path | None
    minimum_validity: float

    @property
    def options(self) -> dict[str, JsonValue]:
        """What of the declaration its kind says itself: one field, named as the kind."""
        given = value_at(self.document.value, self.at)
        assert isinstance(given, dict)  # the suite's fields were checked
        return {name: value for name, value in given.items() if name not in COMMON_FIELDS}

    @property
    def where(self) -> str:
        """`file:line: field` of the declaration."""
        return self.document.where(self.at)

    def read(self, model: builtins.type[Options]) -> Options:
        """The whole declaration as a `model`; `ConfigurationError` names what is wrong."""
        return validate(self.document, model, self.at)


class RawEvaluator(NamedTuple):
    """One line under `evaluators:`; its type checks its own options, by `read`."""

    document: Document
    at: Place

    @property
    def options(self) -> dict[str, Any]:
        """All its fields as written, `type` included."""
        options = value_at(self.document.value, self.at)
        assert isinstance(options, dict)  # the suite's fields were checked
        return options

    @property
    def type(self) -> str:
        """The name of its type, which is that of a module."""
        return str(self.options["type"])

    def where(self, *place: str | int) -> str:
        """`file:line: field` of an option, or of the evaluator itself."""
        return self.document.where(self.at + place)

    def read(self, model: builtins.type[Options]) -> Options:
        """Its options as a `model`; `ConfigurationError` names the first that is wrong."""
        return validate(self.document, model, self.at)


class Suite(NamedTuple):
    """A suite that was read and whose files are there. `root` is the folder it stands in."""

    document: Document
    spec: SuiteFields
    root: Path
    transforms: tuple[TransformSpec, ...]
    evaluators: tuple[RawEvaluator, ...]
    slice_specs: tuple[SliceSpec, ...]

    @property
    def digest(self) -> str:
        """SHA-256 of the bytes of the suite's file."""
        return self.document.digest

    @property
    def project(self) -> str:
        """The project's name."""
        return self.spec.project

    @property
    def dataset(self) -> Path:
        """The absolute path of the dataset."""
        return _below(self.root, self.spec.dataset)

    @property
    def system(self) -> SystemSpec:
        """The system under evaluation."""
        return self.spec.system

    @property
    def recorded(self) -> Path | None:
        """The absolute path of what was recorded elsewhere; None for a system that is run."""
        name = self.spec.system.recorded
        return None if name is None else _below(self.root, name)

    @property
    def concurrency_system(self) -> int:
        """How many worker processes run the system."""
        return self.spec.concurrency.system

    @property
    def replicates(self) -> int:
        """How often each case runs."""
        return self.spec.replicates

    @property
    def retries(self) -> Retries:
        """When a call is tried again."""
        return self.spec.retries

    @property
    def redact(self) -> list[str]:
        """Names of environment variables, and patterns, of what must not reach the disk."""
        return list(self.spec.redact)

    @property
    def min_slice_support(self) -> int:
        """How many cases a range needs to count as supported."""
        return self.spec.min_slice_support

    def where(self, *place: str | int) -> str:
        """`file:line: field`."""
        return self.document.where(place)


def load_suite(path: Path) -> Suite:
    """The suite in the file at `path`; `ConfigurationError` says what is wrong with it.

    Its dataset must be there.
    """
    # Absolute without following links: the root is where the user sees the file.
    path = Path(os.path.abspath(path))  # noqa: PTH100
    document = read_document(
        path, "the suite", fix="run `oloproof init` to write one, or go to the project's folder"
    )
    spec = validate(document, SuiteFields)
    suite = Suite(
        document=document,
        spec=spec,
        root=path.parent,
        transforms=tuple(
            read_transform(document, ("metamorphic", "transforms", position))
            for position in range(len(spec.metamorphic.transforms))
        ),
        evaluators=tuple(
            RawEvaluator(document, ("evaluators", position))
            for position in range(len(spec.evaluators))
        ),
        slice_specs=tuple(parse_slice(text) for text in spec.slices),
    )
    check_file(suite.dataset, "the dataset", where=suite.where("dataset"))
    if suite.recorded is not None:
        where = suite.where("system", "recorded")
        check_file(suite.recorded, "the file of recordings", where=where)
    return suite


def read_transform(document: Document, at: Place) -> TransformSpec:
    """The transform that is declared at a place; its kind is still to be read."""
    fields = validate(document, TransformFields, at)
    labels = fields.validity_labels
    return TransformSpec(
        document=document,
        at=at,
        name=fields.name,
        field=fields.field,
        validity_labels=labels,
        labels_path=None if labels is None else _below(document.path.parent, labels),
        minimum_validity=fields.minimum_validity,
    )


def _below(root: Path, text: str) -> Path:
    return Path(os.path.abspath(root / text))  # noqa: PTH100  # without following links
