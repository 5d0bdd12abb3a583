"""What an exception out of a user's code says: in one line, and where it came from."""

from __future__ import annotations

import os
from pathlib import Path
from traceback import walk_tb
from typing import TYPE_CHECKING, Final

from oloproof.systems.source import own_file

if TYPE_CHECKING:
    from collections.abc import Callable

LONGEST_TEXT: Final = 500
"""Characters of a description; the rest of a longer one is cut off."""

_PACKAGE: Final = str(Path(__file__).resolve().parent.parent) + os.sep


def describe(error: BaseException, clean: Callable[[str], str] = str) -> str:
    """An exception in one line, its type first.

    `clean` takes secrets out. It sees the whole text: of one that was cut in two, or had
    its line breaks changed, it would leave a part.
    """
    name = type(error).__name__
    try:
        text = clean(printable(str(error)))
    except BaseException:
        return f"{name} (its text cannot be read)"
    line = " ".join(text.split())
    if isinstance(error, BaseExceptionGroup) and error.exceptions:
        line += f": {describe(error.exceptions[0], clean)}"
    if len(line) > LONGEST_TEXT:
        line = line[: LONGEST_TEXT - 1] + "…"
    return f"{name}: {line}" if line else name


def printable(text: str) -> str:
    """`text` with what UTF-8 cannot hold written as escapes."""
    return text.encode("utf-8", "backslashreplace").decode()


def place(error: BaseException, root: Path | None = None) -> str | None:
    """File, line and function of the innermost frame in the project at `root`.

    Where there is none, of the innermost frame outside of this package; None without any.
    """
    own = outside = None
    for frame, line in walk_tb(error.__traceback__):
        file, function = frame.f_code.co_filename, frame.f_code.co_name
        if file.startswith((_PACKAGE, "<frozen ")):
            continue
        outside = f"{Path(file).name}:{line} in {function}"
        name = None if root is None else own_file(str(root), file)
        if name is not None:
            own = f"{name}:{line} in {function}"
    found = own or outside
    return None if found is None else printable(found)
