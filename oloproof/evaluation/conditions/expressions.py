"""The form of an invariant: a condition on paths of a state, parsed, never run as code.

    goal == "compare_rooms" => not permissions.reserve_room and present(constraints.limit)

From what binds least: `=>` (groups to the right), `or`, `and`, `not`, then one comparison
(`==`, `!=`, `<`, `<=`, `>`, `>=`, `in`). Its sides are paths, literals (JSON numbers, texts in
either kind of quotes, `true`, `false`, `null`, lists of literals), `present(path)`,
`changed(path)`, `count(path)`, or a condition in parentheses. A key that is no plain word is
quoted (`orders."a.b"`), and a path whose first key is quoted or means something else here
begins with `$` (`$."a.b"`, `$.count`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oloproof.evaluation.conditions.nodes import (
    COMPARISONS,
    Call,
    Joined,
    Literal,
    Place,
)
from oloproof.evaluation.conditions.tokens import CALLS, ExpressionError, Token, tokens
from oloproof.paths import Path

if TYPE_CHECKING:
    from oloproof.canonical import JsonValue
    from oloproof.evaluation.conditions.nodes import Expression

MAX_DEPTH: Final = 50
"""Parentheses, `not` and `=>` within each other beyond which a condition is refused."""

_LITERALS: Final = frozenset({"text", "number", "constant"})


def parse_expression(text: str) -> Expression:
    """The condition that `text` writes; `ExpressionError` says at which character it is wrong."""
    reading = _Reading(list(tokens(text)))
    condition = reading.implication(0)
    reading.expect_end()
    return condition


class _Reading:
    """A condition that is read word by word."""

    def __init__(self, words: list[Token]) -> None:
        self._words = words
        self._at = 0

    @property
    def _next(self) -> Token:
        return self._words[self._at]

    def _take(self) -> Token:
        token = self._next
        self._at += token.kind != "end"
        return token

    def _takes(self, text: str) -> bool:
        """Whether a sign or a word comes next, which then is taken."""
        if self._next.kind in ("sign", "word") and self._next.text == text:
            self._at += 1
            return True
        return False

    def _expect(self, text: str, fix: str) -> None:
        if not self._takes(text):
            raise self._unexpected(fix)

    def _unexpected(self, fix: str) -> ExpressionError:
        token = self._next
        shown = token.text if token.kind == "end" else f"`{token.text}`"
        return ExpressionError(f"{shown} is not expected here", token.position, fix)

    def expect_end(self) -> None:
        if self._next.kind == "end":
            return
        if self._next.text in COMPARISONS:
            raise self._unexpected("compare two values at a time: `a < b and b < c`")
        raise self._unexpected("join conditions by `and`, `or` or `=>`")

    def _refuse_beyond(self, depth: int) -> None:
        if depth > MAX_DEPTH:
            raise ExpressionError(
                f"it is nested more than {MAX_DEPTH} levels deep",
                self._next.position,
                "make several invariants of it",
            )

    def implication(self, depth: int) -> Expression:
        self._refuse_beyond(depth)
        left = self._series("or", depth)
        if self._takes("=>"):
            return Joined("=>", (left, self.implication(depth + 1)))
        return left

    def _series(self, word: str, depth: int) -> Expression:
        """Conditions joined by `or`, or within them by `and`."""
        parts = [self._part(word, depth)]
        while self._takes(word):
            parts.append(self._part(word, depth))
        return parts[0] if len(parts) == 1 else Joined(word, tuple(parts))

    def _part(self, word: str, depth: int) -> Expression:
        return self._series("and", depth) if word == "or" else self._negation(depth)

    def _negation(self, depth: int) -> Expression:
        negated = 0
        while self._takes("not"):
            negated += 1
        self._refuse_beyond(depth + negated)
        condition = self._comparison(depth + negated)
        for _ in range(negated):
            condition = Joined("not", (condition,))
        return condition

    def _comparison(self, depth: int) -> Expression:
        left = self._side(depth)
        if self._next.kind in ("sign", "word") and self._next.text in COMPARISONS:
            word = self._take().text
            return Joined(word, (left, self._side(depth)))
        return left

    def _side(self, depth: int) -> Expression:
        if self._takes("("):
            condition = self.implication(depth + 1)
            self._expect(")", "close the parenthesis: `)`")
            return condition
        token = self._next
        if token.kind == "call":
            return self._call()
        if token.kind == "path":
            return self._place()
        return Literal(self._literal(depth))

    def _call(self) -> Expression:
        name = self._take()
        if not self._takes("("):
            raise ExpressionError(
                f"`{name.text}` stands without a path",
                name.position,
                f"write `{name.text}(a.b)`; a key of that name is `$.{name.text}`",
            )
        path = self._next.value
        if self._next.kind != "path" or not isinstance(path, Path):
            raise self._unexpected(f"name a path: `{name.text}(a.b)`")
        self._take()
        self._expect(")", "close the parenthesis: `)`")
        return Call(name.text, path)

    def _place(self) -> Expression:
        token = self._take()
        path = token.value
        assert isinstance(path, Path)
        if self._next.text == "(" and self._next.kind == "sign":
            raise ExpressionError(
                f"there is no function `{token.text}`",
                token.position,
                "known: " + ", ".join(f"`{name}`" for name in sorted(CALLS)),
            )
        if path.has_wildcard:
            raise ExpressionError(
                f"the path `{token.text}` may name several places",
                token.position,
                "name one place, or ask `count`, `present` or `changed` of them",
            )
        return Place(path)

    def _literal(self, depth: int) -> JsonValue:
        if self._takes("["):
            return self._list(depth + 1)
        token = self._next
        if token.kind not in _LITERALS or isinstance(token.value, Path):
            raise self._unexpected("a path, a literal or a condition in parentheses comes here")
        return self._take().value  # type: ignore[return-value]  # only a path would be none

    def _list(self, depth: int) -> JsonValue:
        self._refuse_beyond(depth)
        items: list[JsonValue] = []
        while not self._takes("]"):
            if items:
                self._expect(",", "part the items of a list by commas, and close it: `]`")
            items.append(self._literal(depth))
        return items
