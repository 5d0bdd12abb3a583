"""`template`: the text stands inside another one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeAlias

from pydantic import AfterValidator

from oloproof.suites.validation import refuse

if TYPE_CHECKING:
    from collections.abc import Callable


def _with_place(template: str) -> str:
    if "{value}" not in template:
        raise refuse(
            "the template leaves out the text that it changes",
            fix="write `{value}` where that text belongs",
        )
    return template


Options: TypeAlias = Annotated[str, AfterValidator(_with_place)]
"""A text with `{value}` in it."""


def build(options: Options) -> Callable[[str], str]:
    """Puts the text where the template says `{value}`; other braces mean nothing."""
    return lambda text: options.replace("{value}", text)
