"""What identifies a pair, and what people said of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from oloproof.canonical import digest
from oloproof.metamorphic.pairs import ValidityCount, count_labels, field_text, pair_digest
from oloproof.metamorphic.transforms import Transform, build_transform
from oloproof.records.case import Case
from oloproof.suites.labels import NO_LABELS, Labels
from oloproof.suites.located import Document
from oloproof.suites.suite import read_transform


def transform(name: str = "loud", template: str | None = "{value}!", **kind: Any) -> Transform:
    declared = {"name": name, "field": "message", **kind}
    if template is not None:
        declared["template"] = template
    document = Document(Path("oloproof.yaml"), declared, lines={}, digest="")
    return build_transform(read_transform(document, ()))


def pair(made: Transform, message: str = "Hi", **fields: Any) -> str:
    source = Case(id="c", input={"message": message, "n": 1}, **fields)
    copy = made.apply(source)
    assert copy is not None
    return pair_digest(made, source, copy)


class TestDigest:
    def test_it_is_that_of_the_published_form(self) -> None:
        """SHA-256 over canonical JSON of the transform and both inputs."""
        form = (
            b'{"copy":{"message":"Hi!","n":1},"source":{"message":"Hi","n":1},'
            b'"transform":{"field":"message","name":"loud","template":"{value}!"}}'
        )
        assert digest(form) == pair(transform())

    def test_replacements_are_part_of_it(self) -> None:
        """The pairs of texts stand in the form as lists."""
        form = (
            b'{"copy":{"message":"Ho","n":1},"source":{"message":"Hi","n":1},'
            b'"transform":{"field":"message","name":"loud","replace":[["i","o"]]}}'
        )
        assert digest(form) == pair(transform(template=None, replace=(("i", "o"),)))

    def test_an_edit_makes_another_pair(self) -> None:
        """Another name, text or transform loses the label; what no one reads does not."""
        same = pair(transform())
        others = {
            pair(transform("other")),
            pair(transform(template="{value}?")),
            pair(transform(), message="Ho"),
        }
        assert 3 == len(others - {same})
        assert same == pair(transform(), expected={"answer": 1}, metadata={"a": 1}, line=9)


def test_both_texts_of_a_pair_can_be_read() -> None:
    """The changed field is shown of the source and of its copy."""
    made, source = transform(), Case(id="c", input={"message": "Hi"})
    copy = made.apply(source)
    assert copy is not None
    assert ("Hi", "Hi!") == (field_text(made, source), field_text(made, copy))


def labels(**kept: bool) -> Labels:
    return Labels(kept=kept, labellers=("Ada", "Ben"), unsigned=5)


@pytest.mark.parametrize(
    ("pairs", "kept", "counts"),
    [
        ([], {}, (0, 0, 0, 0)),
        (["a", "b"], {}, (2, 0, 0, 0)),
        (["a", "b", "c"], {"a": True, "b": False}, (3, 2, 1, 0)),
        (["a"], {"a": True, "x": True, "y": False}, (1, 1, 1, 2)),
        (["a", "a"], {"a": True}, (1, 1, 1, 0)),
        (["a", "b", "a", "b", "a"], {"a": True, "b": False, "x": True}, (2, 2, 1, 1)),
        (["a", "a"], {}, (1, 0, 0, 0)),
    ],
)
def test_labels_are_counted_by_their_pairs(
    pairs: list[str], kept: dict[str, bool], counts: tuple[int, ...]
) -> None:
    """Each pair counts once, with a label or without; labels without a pair are strays."""
    expected = ValidityCount("loud", *counts, unsigned=5, labellers=("Ada", "Ben"))
    assert expected == count_labels("loud", iter(pairs), labels(**kept))


def test_without_a_file_of_labels_nothing_is_labelled() -> None:
    """All pairs are counted, and nobody has said anything."""
    assert ValidityCount("loud", 2, 0, 0) == count_labels("loud", ["a", "b"], NO_LABELS)
