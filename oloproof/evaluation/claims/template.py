"""A message held against a template with `{path}` placeholders that the state fills."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

from oloproof.canonical import encode
from oloproof.errors import ConfigurationError
from oloproof.paths import MISSING, Path
from oloproof.paths import parse as parse_path

if TYPE_CHECKING:
    from oloproof.canonical import JsonValue
    from oloproof.paths import Absent

_PIECE: Final = re.compile(
    r'(?P<text>[^{}]+)|(?P<brace>\{\{|\}\})|\{(?P<path>(?:"(?:[^"\\]|\\.)*"|[^"{}])+)\}', re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Rendering:
    """The text that a template makes of a state; `text` is None where `lacking` is not filled."""

    text: str | None
    lacking: Path | None = None


@dataclass(frozen=True, slots=True)
class Template:
    """A text with `{path}` placeholders; `{{` and `}}` are braces."""

    pieces: tuple[str | Path, ...]

    @classmethod
    def parse(cls, text: str) -> Self:
        """The template that `text` writes; `ConfigurationError` says where it cannot be read."""
        pieces: list[str | Path] = []
        position = 0
        while position < len(text):
            found = _PIECE.match(text, position)
            if found is None:
                raise ConfigurationError(
                    f"the template {text!r} cannot be read at character {position + 1}",
                    fix="write a placeholder as `{orders.ord-1.status}`, and a brace as `{{` or "
                    "`}}`",
                )
            pieces.append(_piece(found))
            position = found.end()
        return cls(tuple(pieces))

    def render(self, state: JsonValue) -> Rendering:
        """The template filled from `state`: texts as they are, other values as JSON."""
        out = []
        for piece in self.pieces:
            if isinstance(piece, str):
                out.append(piece)
                continue
            shown = _shown(piece.get(state))
            if shown is None:
                return Rendering(None, piece)
            out.append(shown)
        return Rendering("".join(out))

    def matches(self, message: str, state: JsonValue) -> bool:
        """Whether `message` is the filled template, apart from Unicode form and white space.

        Where the state does not fill the template, no message is equal to it.
        """
        text = self.render(state).text
        return text is not None and _comparable(text) == _comparable(message)


def _piece(found: re.Match[str]) -> str | Path:
    if (text := found.group("text")) is not None:
        return text
    if (brace := found.group("brace")) is not None:
        return brace[0]
    path = parse_path(found.group("path"))
    if path.has_wildcard:
        raise ConfigurationError(
            f"the placeholder `{{{path}}}` may name several places",
            fix="name one place: `[0]` instead of `[*]`",
        )
    return path


def _shown(value: JsonValue | Absent) -> str | None:
    if value is MISSING or isinstance(value, dict | list):
        return None
    return value if isinstance(value, str) else encode(value).decode()  # type: ignore[arg-type]


def _comparable(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split())
