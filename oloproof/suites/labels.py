"""Labels: what people said of each metamorphic pair, one JSON object a line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from oloproof.errors import ConfigurationError, suggest
from oloproof.suites.case_files import JsonLines
from oloproof.suites.explanation import describe
from oloproof.suites.places import show_where

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_WHAT: Final = "the file of labels"
_OPTIONAL_TEXTS: Final = ("labeller", "source_text", "copy_text", "note")
_FIELDS: Final = ("case", "digest", "kept", *_OPTIONAL_TEXTS)


class LabelLine(NamedTuple):
    """One line of a file of labels; `kept` is None where nobody has said anything yet.

    A line without a `labeller` is no label.
    """

    line: int
    case: str
    digest: str
    kept: bool | None
    labeller: str | None


class Labels(NamedTuple):
    """The labels of one file: `kept` by the digest of each labelled pair, and who labelled.

    `lines` holds every line in order, also those without a label; `unsigned` is how many
    answer without a labeller.
    """

    lines: tuple[LabelLine, ...] = ()
    kept: Mapping[str, bool] = {}
    labellers: tuple[str, ...] = ()
    unsigned: int = 0


NO_LABELS: Final = Labels()


def load_labels(path: Path) -> Labels:
    """The labels in the file at `path`; `ConfigurationError` says what is wrong with it.

    A file that is not there yet holds none.
    """
    if not path.exists():
        return NO_LABELS
    lines: list[LabelLine] = []
    said: dict[str, LabelLine] = {}
    labellers: set[str] = set()
    for _, number, raw in JsonLines(path, _WHAT).read():
        line = _read_line(raw, path, number)
        lines.append(line)
        if line.kept is None or line.labeller is None:
            continue
        before = said.setdefault(line.digest, line)
        if before.kept != line.kept:
            raise ConfigurationError(
                f"lines {before.line} and {line.line} disagree on the pair of `{line.case}`",
                where=show_where(path, number, ("kept",)),
                fix="agree on one answer and keep one of the lines",
            )
        labellers.add(line.labeller)
    return Labels(
        lines=tuple(lines),
        kept={line.digest: line.kept for line in said.values() if line.kept is not None},
        labellers=tuple(sorted(labellers)),
        unsigned=sum(line.kept is not None and line.labeller is None for line in lines),
    )


def _read_line(raw: Any, path: Path, number: int) -> LabelLine:
    def refused(what: str, fix: str, *place: str) -> ConfigurationError:
        return ConfigurationError(what, where=show_where(path, number, place), fix=fix)

    if not isinstance(raw, dict):
        raise refused(
            f"a label is an object, not {describe(raw)}",
            'write {"case": …, "digest": …, "kept": …}',
        )
    for name in raw:
        if name not in _FIELDS:
            raise refused(f"unknown field `{name}` in a label", suggest(name, _FIELDS), name)
    for name in ("case", "digest", "kept"):
        if name not in raw:
            raise refused(
                f"a label has no `{name}`",
                "write the line as `oloproof pairs` does, and fill in `kept`",
                name,
            )
    for name in _OPTIONAL_TEXTS:
        if not isinstance(text := raw.get(name), str | None):
            raise refused(f"`{name}` must be text, not {describe(text)}", "write a text here", name)
    case, digest, kept = raw["case"], raw["digest"], raw["kept"]
    if not isinstance(case, str) or not case:
        raise refused(f"`case` must be text, not {describe(case)}", "write the case's id", "case")
    if not isinstance(digest, str) or not digest:
        raise refused(
            f"`digest` must be text, not {describe(digest)}",
            "copy the digest that `oloproof pairs` shows",
            "digest",
        )
    if not isinstance(kept, bool | None):
        raise refused(
            f"`kept` must be true, false or null, not {describe(kept)}",
            "write true if the meaning was kept, false if not (without quotes)",
            "kept",
        )
    labeller = (raw.get("labeller") or "").strip() or None
    return LabelLine(number, case, digest, kept, labeller)
