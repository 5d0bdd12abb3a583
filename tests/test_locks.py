"""What the lock files pin."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / ".ci"
LOCKS = ("requirements.lock", "frameworks.lock")


def pinned(lock: str) -> dict[str, str]:
    """Each package of a lock file with its version."""
    return dict(re.findall(r"^([\w.-]+)==(\S+)", (FOLDER / lock).read_text(), re.MULTILINE))


@pytest.mark.parametrize("lock", LOCKS)
def test_every_package_is_pinned_with_its_hashes_and_no_host_is_named(lock: str) -> None:
    """What is installed is known byte by byte, wherever it is fetched from."""
    text = (FOLDER / lock).read_text()
    entries = re.split(r"\n(?=\S)", text)
    assert len(pinned(lock)) == len(entries)
    assert [] == [entry for entry in entries if "--hash=sha256:" not in entry]
    assert [] == re.findall(r"\S*://\S*|^-.*index.*|^-.*find-links.*", text, re.MULTILINE)


def test_a_package_of_both_locks_has_one_version() -> None:
    """The frameworks are installed beside what the tests run with, and change none of it."""
    one, other = (pinned(lock) for lock in LOCKS)
    assert "pydantic" in one.keys() & other.keys()
    assert {} == {
        name: other[name] for name in one.keys() & other.keys() if one[name] != other[name]
    }
