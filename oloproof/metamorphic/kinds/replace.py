"""`replace`: certain texts stand in for others."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from oloproof.suites.suite import TransformSpec


def build(spec: TransformSpec) -> Callable[[str], str]:
    """Replaces each old text by its new one, wherever it occurs, in one pass.

    What was put in is not looked at again. Where several old texts begin at one place, the
    one declared first is replaced.
    """
    assert spec.replace is not None, "the transform is declared by its pairs"
    new_of = dict(reversed(spec.replace))  # of a text given twice, the first pair holds
    pattern = re.compile("|".join(re.escape(old) for old, _ in spec.replace))
    return lambda text: pattern.sub(lambda found: new_of[found.group()], text)
