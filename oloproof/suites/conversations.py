"""The user's messages of a case that is talked through, and what is expected after each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from oloproof.suites.explanation import describe
from oloproof.suites.faulty import FaultyCaseError, wrong_type

if TYPE_CHECKING:
    from collections.abc import Callable

    from oloproof.canonical import JsonValue
    from oloproof.suites.places import Place

_NUMBER: Final = re.compile(r"[1-9][0-9]{0,5}")


def read_turns(raw: JsonValue) -> tuple[dict[str, JsonValue], ...]:
    """The turns of a case: texts, or objects with the text at `user` and whatever else they hold.

    What stands beside `user` is handed to the system as it is, such as scripted replies.
    """
    if not isinstance(raw, list):
        raise wrong_type(("turns",), "a list of the user's messages", raw)
    if not raw:
        raise FaultyCaseError("`turns` is empty", ("turns",), "write the user's first message")
    return tuple(_turn(turn, ("turns", position)) for position, turn in enumerate(raw))


def _turn(raw: JsonValue, at: Place) -> dict[str, JsonValue]:
    if isinstance(raw, str):
        return {"user": raw}
    if not isinstance(raw, dict):
        raise wrong_type(at, 'text, or an object such as {"user": "…"}', raw)
    if not isinstance(raw.get("user"), str):
        found = f", but {describe(raw['user'])}" if "user" in raw else ""
        raise FaultyCaseError(
            f"the turn has no text at `user`{found}",
            (*at, "user"),
            "write the user's message there",
        )
    return raw


def expected_turns(
    raw: JsonValue,
    last: int,
    resolve: Callable[[dict[str, JsonValue], Place], dict[str, JsonValue]],
) -> dict[str, JsonValue]:
    """What is expected by turn, each with its state whole as `resolve` makes it."""
    at: Place = ("expected", "turns")
    if not isinstance(raw, dict):
        raise wrong_type(at, 'an object such as {"2": {"state": …}}', raw)
    out: dict[str, JsonValue] = {}
    for number, expected in raw.items():
        if not _NUMBER.fullmatch(number) or int(number) > last:
            shown = f"{last} turn" if last == 1 else f"{last} turns"
            raise FaultyCaseError(
                f"`expected.turns` speaks of turn {describe(number)}, and the case has {shown}",
                (*at, number),
                f"name turns from 1 to {last}: turn n is the user's n-th message",
            )
        if not isinstance(expected, dict):
            raise wrong_type((*at, number), "an object", expected)
        out[number] = resolve(expected, (*at, number))
    return out
