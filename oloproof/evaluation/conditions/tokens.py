"""The words that conditions are written in: paths, texts, numbers and signs."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from oloproof.paths import EVERY, Path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from oloproof.canonical import JsonValue
    from oloproof.paths import Segment

WORDS: Final = frozenset({"and", "or", "not", "in"})
CONSTANTS: Final[dict[str, JsonValue]] = {"true": True, "false": False, "null": None}
CALLS: Final = frozenset({"present", "changed", "count"})

TokenKind = Literal["sign", "word", "constant", "call", "path", "text", "number", "end"]

_TEXT: Final = r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'"""
_STEP: Final = rf"""\.[\w-]+|\.(?:{_TEXT})|\[(?:0|[1-9][0-9]{{0,17}}|\*|{_TEXT})\]"""
_FIRST: Final = r"[^\W\d][\w-]*"
_TOKEN: Final = re.compile(
    rf"(?P<text>{_TEXT})|(?P<path>(?:\$|{_FIRST})(?:{_STEP})*)"
    r"|(?P<number>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?(?![\w.]))"
    r"|(?P<sign>=>|==|!=|<=|>=|[<>()\[\],])",
    re.DOTALL,
)
_SPACE: Final = re.compile(r"\s*")
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", '"': '"', "'": "'"}
_PLAIN: Final = re.compile(r"[\w-]+")
_PLAIN_FIRST: Final = re.compile(_FIRST)


class ExpressionError(Exception):
    """A condition cannot be read: what is wrong, at which character (from 1), how to fix it."""

    def __init__(self, what: str, position: int, fix: str) -> None:
        super().__init__(what)
        self.what = what
        self.position = position
        self.fix = fix


class Token(NamedTuple):
    """One word of a condition, at a character of it (from 1).

    `value` is the path, text, number or constant that it stands for.
    """

    kind: TokenKind
    text: str
    position: int
    value: JsonValue | Path = None


def tokens(text: str) -> Iterator[Token]:
    """The words of a condition, and an `end` behind them; raises `ExpressionError`."""
    position = _space_after(text, 0)
    while position < len(text):
        found = _TOKEN.match(text, position)
        if found is None:
            raise _unreadable(text, position)
        yield _token(found, position + 1)
        position = _space_after(text, found.end())
    yield Token("end", "the end", position + 1)


def _space_after(text: str, position: int) -> int:
    found = _SPACE.match(text, position)
    assert found is not None, "it matches nothing, too"
    return found.end()


def _token(found: re.Match[str], position: int) -> Token:
    text = found.group()
    match found.lastgroup:
        case "text":
            return Token("text", text, position, _unquote(text, position))
        case "number":
            return Token("number", text, position, _number(text, position))
        case "sign":
            return Token("sign", text, position)
    if text in WORDS:
        return Token("word", text, position)
    if text in CONSTANTS:
        return Token("constant", text, position, CONSTANTS[text])
    if text in CALLS:
        return Token("call", text, position)
    if text == "$":
        raise ExpressionError(
            "`$` alone is no path", position, 'write a path behind it: `$."a.b"`, `$[0]`'
        )
    return Token("path", text, position, _path(text, position))


def _number(text: str, position: int) -> float:
    number: float = json.loads(text)
    if not -(2**63) <= number < 2**64:
        raise ExpressionError(
            f"the number {text} is too large", position, "JSON holds integers of 64 bits here"
        )
    return number


def _path(text: str, position: int) -> Path:
    first = _PLAIN_FIRST.match(text)
    segments: list[Segment] = [first.group()] if first else []
    for step in re.finditer(_STEP, text[len(first.group()) if first else 1 :], re.DOTALL):
        inner = step.group()[1:] if step.group()[0] == "." else step.group()[1:-1]
        if inner == "*" and step.group()[0] == "[":
            segments.append(EVERY)
        elif inner[0] in "\"'":
            segments.append(_unquote(inner, position))
        else:
            segments.append(int(inner) if step.group()[0] == "[" else inner)
    return Path(tuple(segments))


def _unquote(text: str, position: int) -> str:
    def plain(found: re.Match[str]) -> str:
        if found.group(1) not in _ESCAPES:
            raise ExpressionError(
                f"`{found.group()}` in a text means nothing",
                position,
                r"""write `\\` for a backslash; else there are \n, \t, \r, \" and \'""",
            )
        return _ESCAPES[found.group(1)]

    return _ESCAPED.sub(plain, text[1:-1])


def _unreadable(text: str, position: int) -> ExpressionError:
    character = text[position]
    if character in "\"'":
        return ExpressionError("a text is not closed", position + 1, f"end it with {character}")
    if character == "=":
        return ExpressionError(
            "`=` means nothing", position + 1, "write `==` to compare, `=>` for `implies`"
        )
    return ExpressionError(
        f"`{character}` means nothing here",
        position + 1,
        'write keys with other characters in quotes: `orders."a b"`, `$."a b"`',
    )


def write_literal(value: JsonValue) -> str:
    """A literal as it is written; reading it gives the value again."""
    if isinstance(value, str):
        return _quote(value)
    if isinstance(value, list):
        return f"[{', '.join(map(write_literal, value))}]"
    return json.dumps(value)


def write_path(path: Path) -> str:
    """A path as it is written: behind a `$` where its first key could be read otherwise."""
    first, *rest = path.segments
    reserved = WORDS | CONSTANTS.keys() | CALLS
    if isinstance(first, str) and _PLAIN_FIRST.fullmatch(first) and first not in reserved:
        return first + "".join(map(_step, rest))
    return "$" + "".join(map(_step, path.segments))


def _step(segment: Segment) -> str:
    if isinstance(segment, str):
        return f".{segment}" if _PLAIN.fullmatch(segment) else f".{_quote(segment)}"
    return f"[{segment}]" if isinstance(segment, int) else "[*]"


def _quote(text: str) -> str:
    for plain, escape in (
        ("\\", "\\\\"),
        ('"', '\\"'),
        ("\n", "\\n"),
        ("\t", "\\t"),
        ("\r", "\\r"),
    ):
        text = text.replace(plain, escape)
    return f'"{text}"'
