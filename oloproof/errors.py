"""The errors a user can cause or must be told about: what happened, where, how to fix it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

EXIT_UNEXECUTED: Final = 5
"""The exit code of a run that ended with cases unexecuted, and of what was interrupted."""


class OloproofError(Exception):
    """A problem told in three lines: what happened, where, and how to fix it."""

    exit_code = 2

    def __init__(self, what: str, *, where: str | None = None, fix: str | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.where = where
        self.fix = fix

    @property
    def mend(self) -> str | None:
        """What `fix` was called in earlier versions."""
        return self.fix

    def __str__(self) -> str:
        lines = [self.what]
        if self.where:
            lines.append(f"  where: {self.where}")
        if self.fix:
            lines.append(f"  fix:   {self.fix}")
        return "\n".join(lines)


class ConfigurationError(OloproofError):
    """A file, a name or an argument of the user's is wrong; nothing was run."""


class NotJsonError(OloproofError):
    """A value is not JSON; `where` is its path."""


class StoreError(OloproofError):
    """The store cannot be read or written."""


class DamagedStoreError(StoreError):
    """The file of the store is not, or no longer, what a store wrote."""


class GateError(OloproofError, AssertionError):
    """A gate that was asserted to allow does not."""

    exit_code = 1


class TransientError(Exception):
    """Raised by a system to say that the same call may succeed when tried again."""


def nearest(name: str, choices: Iterable[str]) -> str | None:
    """The choice most like `name`, or None when none is close."""
    import difflib  # few commands end in a wrong name

    known = {choice.casefold(): choice for choice in choices}
    found = difflib.get_close_matches(name.casefold(), list(known), n=1, cutoff=0.6)
    return known[found[0]] if found else None


def suggest(name: str, choices: Iterable[str]) -> str:
    """A sentence that names the nearest choice, or lists all of them."""
    known = sorted(set(choices))
    best = nearest(name, known)
    if best is not None:
        return f"did you mean `{best}`?"
    if not known:
        return "there is none to choose from"
    return "known: " + ", ".join(f"`{choice}`" for choice in known)


def shorten(text: str, length: int = 60) -> str:
    """`text`, cut to at most `length` characters."""
    return text if len(text) <= length else text[: length - 1] + "…"
