"""Labels: what people said of pairs, and lines that cannot be counted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from oloproof.suites.labels import Labels, load_labels

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from oloproof.errors import ConfigurationError

    Refusal = Callable[..., ConfigurationError]


def label(**fields: Any) -> str:
    line = {"case": "a", "digest": "d1", "kept": True, "labeller": "Al", **fields}
    return json.dumps(line) + "\n"


def test_labels_are_read_by_digest(project: Path) -> None:
    """Each labelled pair has its answer, an unlabelled one has none, labellers are named once."""
    path = project / "labels.jsonl"
    path.write_text(
        label(labeller="Bo")
        + label(case="b", digest="d2", kept=False, labeller="Al", note="changes the amount")
        + label(case="c", digest="d3", kept=None, labeller="", source_text="x", copy_text="y")
        + label(labeller="Al")
        + label(case="e", digest="d4", labeller=" Bo ")
    )
    labels = load_labels(path)
    assert {"d1": True, "d2": False, "d4": True} == labels.kept
    assert (("Al", "Bo"), 0) == (labels.labellers, labels.unsigned)
    assert [
        (1, "a", "d1", True, "Bo"),
        (2, "b", "d2", False, "Al"),
        (3, "c", "d3", None, None),
        (4, "a", "d1", True, "Al"),
        (5, "e", "d4", True, "Bo"),
    ] == list(labels.lines)


def test_a_label_that_nobody_stands_for_is_none(project: Path) -> None:
    """It says nothing, contradicts nobody, and is counted."""
    path = project / "labels.jsonl"
    path.write_text(
        label(labeller=None)
        + label(kept=False)
        + label(digest="d2", labeller=" ")
        + json.dumps({"case": "c", "digest": "d3", "kept": False})
        + "\n"
        + label(digest="d4", kept=None, labeller=None)
    )
    labels = load_labels(path)
    assert ({"d1": False}, ("Al",), 3) == (labels.kept, labels.labellers, labels.unsigned)
    assert 5 == len(labels.lines)


def test_a_file_without_labels_holds_none(project: Path) -> None:
    """Nobody has labelled anything yet, or written a file to do it in: that is no mistake."""
    path = project / "labels.jsonl"
    assert Labels() == load_labels(path)
    path.write_text("")
    assert Labels() == load_labels(path)


@pytest.mark.parametrize(
    ("text", "where", "what", "fix"),
    [
        (label() + label(kept=False), ":2: kept", "lines 1 and 2 disagree", "agree on one"),
        (
            label() + label(digest="d2", kept=None) + label(kept=False),
            ":3: kept",
            "lines 1 and 3 disagree on the pair of `a`",
            "agree on one",
        ),
        (label(keep=True), ":1: keep", "unknown field `keep`", "did you mean `kept`?"),
        (label(labeler="x"), ":1: labeler", "unknown field", "did you mean `labeller`?"),
        (label(kept="true"), ":1: kept", "true, false or null, not `true`", "without quotes"),
        (label(kept=1), ":1: kept", "not the number 1", "write true"),
        (label(digest=None), ":1: digest", "must be text", "copy the digest"),
        (label(case=""), ":1: case", "must be text", "the case's id"),
        (label(labeller=3), ":1: labeller", "must be text", "write a text"),
        (label(note=[]), ":1: note", "must be text", "write a text"),
        ('{"case": "a", "digest": "d"}', ":1: kept", "has no `kept`", "oloproof pairs"),
        ('{"digest": "d", "kept": true}', ":1: case", "has no `case`", "oloproof pairs"),
        ("[]\n", ":1", "a label is an object", "write {"),
        (label() + " \n", ":2", "white space", "remove the line"),
        (label() + "oops\n", ":2", "not 'oops'", "on one line"),
        ('{"case": "a", "case": "b"}', ":1: case", "given twice", "keep one"),
        ('{"case": NaN}', ":1: case", "not 'NaN'", "null or text"),
    ],
)
def test_a_bad_label_is_refused(
    project: Path, refusal: Refusal, text: str, where: str, what: str, fix: str
) -> None:
    """Each mistake is told with its line, its field and the way out."""
    path = project / "labels.jsonl"
    path.write_text(text)
    refusal(lambda: load_labels(path), where=f"labels.jsonl{where}", what=what, fix=fix)


def test_labels_that_cannot_be_read_are_named(project: Path, refusal: Refusal) -> None:
    """A folder, and text in another encoding, are no labels."""
    path = project / "labels.jsonl"
    refusal(lambda: load_labels(project), where=".", what="the file of labels is a folder")
    path.write_bytes(label().encode() + b"\xff\n")
    refusal(lambda: load_labels(path), where="labels.jsonl:2", what="not UTF-8", fix="as UTF-8")
