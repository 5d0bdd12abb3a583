"""The bytes and the text of a user's file, with what can be wrong about them said plainly."""

from __future__ import annotations

import codecs
import os
import stat
from typing import TYPE_CHECKING

from oloproof.canonical import encode_in_order
from oloproof.errors import ConfigurationError
from oloproof.suites.places import show_path, show_where

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from oloproof.canonical import JsonValue


def read_bytes(path: Path, what: str, *, fix: str | None = None) -> bytes:
    """The bytes of a file; `what` names it in errors, `fix` is for a file that is not there."""
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:
        raise cannot_read(path, what, error, fix=fix) from None


def check_file(path: Path, what: str, *, where: str, fix: str | None = None) -> None:
    """Raises if no file is at `path`, which stands at `where` in another file."""
    try:
        if stat.S_ISDIR(path.stat().st_mode):
            raise IsADirectoryError
    except (OSError, ValueError) as error:
        raise cannot_read(path, what, error, where=where, fix=fix) from None


def cannot_read(
    path: Path,
    what: str,
    error: OSError | ValueError,
    *,
    where: str | None = None,
    fix: str | None = None,
) -> ConfigurationError:
    """Why a file cannot be read; `fix` is for a file that is not there."""
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        problem, fix = "does not exist", fix or "create it, or correct the path"
    elif isinstance(error, IsADirectoryError):
        problem, fix = "is a folder, not a file", "name the file inside it"
    elif isinstance(error, PermissionError):
        problem, fix = "may not be read", "check its permissions"
    else:
        reason = getattr(error, "strerror", None) or str(error)
        problem, fix = f"cannot be read ({reason})", "correct the path"
    return ConfigurationError(
        f"{what} {problem}: {show_path(path)}", where=where or show_path(path), fix=fix
    )


def append_lines(path: Path, values: Iterable[JsonValue], what: str) -> None:
    """Write values behind what a JSON Lines file holds, one a line, in one write.

    `what` names the file in errors. It is made where it is not there.
    """
    added = b"".join(encode_in_order(value) + b"\n" for value in values)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a+b") as file:
            if file.seek(0, os.SEEK_END):
                file.seek(-1, os.SEEK_END)
                if file.read() != b"\n":
                    added = b"\n" + added
            file.write(added)
    except OSError as error:
        raise ConfigurationError(
            f"{what} cannot be written: {error.strerror}",
            where=show_path(path),
            fix="make it writable",
        ) from None


def without_mark(data: bytes) -> bytes:
    """`data` without the byte-order mark that some editors put before UTF-8 text."""
    return data.removeprefix(codecs.BOM_UTF8)


def decode_text(data: bytes, path: Path, *, first_line: int = 1) -> str:
    """The UTF-8 text of `data`, whose first line is line `first_line` of the file at `path`."""
    data = without_mark(data)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _not_text(data, error.start, path, first_line, "not UTF-8 text") from None
    if (position := data.find(0)) >= 0:
        raise _not_text(data, position, path, first_line, "not text: it holds a NUL byte")
    return text


def _not_text(
    data: bytes, position: int, path: Path, first_line: int, problem: str
) -> ConfigurationError:
    line = first_line + data.count(b"\n", 0, position)
    found = " (it looks like UTF-16)" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else ""
    return ConfigurationError(
        f"the file is {problem}{found}: byte 0x{data[position]:02x}",
        where=show_where(path, line),
        fix="save the file as UTF-8",
    )
