"""`template`: the text stands inside another one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from oloproof.suites.suite import TransformSpec


def build(spec: TransformSpec) -> Callable[[str], str]:
    """Puts the text where the template says `{value}`; other braces mean nothing."""
    template = spec.template
    assert template is not None, "the transform is declared by its template"
    return lambda text: template.replace("{value}", text)
