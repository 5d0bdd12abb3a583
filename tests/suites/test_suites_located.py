"""Files as bytes and text, and the documents they hold."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from oloproof import canonical
from oloproof.suites.located import read_document
from oloproof.suites.places import show_where

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from oloproof.errors import ConfigurationError

    Refusal = Callable[..., ConfigurationError]


def test_a_document_knows_its_lines_and_its_digest(project: Path) -> None:
    """A document gives the line of a place, or of what is around a place that is not there."""
    path = project / "a.yaml"
    path.write_text("a: 1\nb:\n  c: 2\n")
    document = read_document(path, "the file")
    assert {"a": 1, "b": {"c": 2}} == document.value
    assert [3, 2, 1] == [
        document.line_of(("b", "c")),
        document.line_of(("b", "d", 0)),
        document.line_of(("x",)),
    ]
    assert "a.yaml:3: b.c" == document.where(("b", "c"))
    assert canonical.digest(path.read_bytes()) == document.digest


def test_a_json_document_is_read_as_json(project: Path) -> None:
    """A name that ends in .json is held to JSON, and its lines are known just as well."""
    path = project / "a.json"
    path.write_text('{"a":\n [1,\n  {"b": 2}]}')
    document = read_document(path, "the file")
    assert {"a": [1, {"b": 2}]} == document.value
    assert "a.json:3: a[1].b" == document.where(("a", 1, "b"))


@pytest.mark.parametrize("name", ["a.yaml", "a.json"])
def test_a_byte_order_mark_is_accepted(project: Path, name: str) -> None:
    """The mark that some editors put before UTF-8 text is no part of the text."""
    path = project / name
    path.write_bytes(b'\xef\xbb\xbf{"a": "\xc3\xa4"}')
    assert {"a": "ä"} == read_document(path, "the file").value


@pytest.mark.parametrize(
    ("data", "where", "what"),
    [
        (b"a: 1\nb: \xff\n", "a.yaml:2", "not UTF-8 text: byte 0xff"),
        ("a: ä".encode("latin-1"), "a.yaml:1", "not UTF-8 text: byte 0xe4"),
        ("a: 1".encode("utf-16"), "a.yaml:1", "it looks like UTF-16"),
        (b"a: 1\nb: \x00", "a.yaml:2", "a NUL byte"),
        (b"a: \xed\xa0\x80", "a.yaml:1", "not UTF-8 text"),
    ],
)
def test_what_is_no_text_is_refused(
    project: Path, refusal: Refusal, data: bytes, where: str, what: str
) -> None:
    """Bytes that are not UTF-8 text are named with their line."""
    path = project / "a.yaml"
    path.write_bytes(data)
    refusal(lambda: read_document(path, "it"), where=where, what=what, fix="as UTF-8")


def test_a_file_that_cannot_be_read_is_named(project: Path, refusal: Refusal) -> None:
    """A missing file, a folder and a broken path are told apart."""
    (project / "folder").mkdir()
    (project / "file").write_text("")
    for name, what, fix in (
        ("missing.yaml", "the policy does not exist", "look again"),
        ("file/below.yaml", "the policy does not exist", "look again"),
        ("folder", "the policy is a folder, not a file", "name the file inside it"),
        ("a\0b", "the policy cannot be read", "correct the path"),
        ("x" * 300, "the policy cannot be read", "correct the path"),
    ):
        path = project / name
        refusal(
            lambda path=path: read_document(path, "the policy", fix="look again"),
            where=name,
            what=what,
            fix=fix,
        )


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_named(project: Path, refusal: Refusal) -> None:
    """A file without permission is told apart from a missing one."""
    path = project / "a.yaml"
    path.write_text("a: 1")
    path.chmod(0)
    refusal(lambda: read_document(path, "it"), where="a.yaml", what="may not be", fix="permissions")


def test_a_path_elsewhere_is_shown_whole(
    project: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Paths below the current folder are shown as typed, others in full."""
    other = tmp_path_factory.mktemp("other") / "a.yaml"
    assert f"{other}:3: a" == show_where(other, 3, ("a",))
    assert "sub/a.yaml" == show_where(project / "sub" / "a.yaml")
