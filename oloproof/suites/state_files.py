"""Large initial states kept in files of their own, which many cases share."""

from __future__ import annotations

import zlib
from collections import OrderedDict
from typing import TYPE_CHECKING, Final, NamedTuple

from oloproof.canonical import digest, encode_in_order
from oloproof.errors import ConfigurationError
from oloproof.suites.files import read_bytes, without_mark
from oloproof.suites.json_text import depth_of
from oloproof.suites.located import parse_bytes
from oloproof.suites.places import show_path

if TYPE_CHECKING:
    from pathlib import Path

    from oloproof.canonical import JsonValue

_KEPT: Final = 4


class StateFile(NamedTuple):
    """A state that was read: its value, its JSON with the keys as given, how deep it nests.

    `digest` is that of the file's bytes. Cases share the value and the JSON; nobody changes them.
    """

    value: JsonValue
    json: bytes
    depth: int
    digest: str


class StateFiles:
    """The state files below a project's root; the last few that were read are kept.

    `digests` holds those of the bytes of every file read so far, by name.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.digests: dict[str, str] = {}
        self._kept: OrderedDict[str, StateFile] = OrderedDict()

    def forget(self) -> None:
        """Starts again, so that every file is read again."""
        self.digests.clear()
        self._kept.clear()

    def read(self, name: str) -> StateFile:
        """The state in the file `name`, relative to the root.

        A `ConfigurationError` has no `where` if it is the name that is wrong.
        """
        if name in self._kept:
            self._kept.move_to_end(name)
            return self._kept[name]
        path = self._locate(name)
        state = _parse(_read(path), path)
        self.digests[name] = state.digest
        self._kept[name] = state
        if len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return state

    def digest(self, name: str) -> str:
        """The digest of the bytes of the file `name`, as `StateFile.digest`."""
        return digest(_read(self._locate(name)))

    def _locate(self, name: str) -> Path:
        if not name.endswith((".json", ".json.gz")):
            raise ConfigurationError(
                f"the state file `{name}` is neither .json nor .json.gz",
                fix="name a JSON file, compressed with gzip or not",
            )
        try:
            path = (self.root / name).resolve()
            inside = path.is_relative_to(self.root.resolve())
        except (OSError, ValueError, RuntimeError) as error:
            raise ConfigurationError(
                f"the state file {name!r} cannot be found: {error}", fix="correct the path"
            ) from None
        if not inside:
            raise ConfigurationError(
                f"the state file `{name}` lies outside the project",
                fix=f"copy it below {show_path(self.root)} and give its path from there",
            )
        return path


def _read(path: Path) -> bytes:
    try:
        return read_bytes(path, "the state file")
    except ConfigurationError as error:
        raise ConfigurationError(error.what, fix=error.fix) from None


def _parse(data: bytes, path: Path) -> StateFile:
    text = without_mark(_unpacked(data, path) if path.suffix == ".gz" else data)
    value = parse_bytes(text, path)
    return StateFile(value, encode_in_order(value), depth_of(value), digest(data))


def _unpacked(data: bytes, path: Path) -> bytes:
    import gzip  # most states are not packed

    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise ConfigurationError(
            f"the gzip file is broken: {error}",
            where=show_path(path),
            fix="write it again, with `gzip -k FILE.json`",
        ) from None
