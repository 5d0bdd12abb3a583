"""One transaction: whole or not at all."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import pytest

from oloproof.store.transactions import transaction

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def connection(tmp_path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(tmp_path / "a.sqlite", isolation_level=None, timeout=0)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("CREATE TABLE t (n)")
    return connection


def test_what_was_written_is_kept(connection: sqlite3.Connection) -> None:
    """At the end of the block."""
    with transaction(connection, "IMMEDIATE"):
        connection.execute("INSERT INTO t VALUES (1)")
    assert [(1,)] == connection.execute("SELECT n FROM t").fetchall()
    assert not connection.in_transaction


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_whatever_is_raised_takes_everything_back(
    connection: sqlite3.Connection, error: type[BaseException]
) -> None:
    """An interrupt too."""

    def write_and_fail() -> None:
        with transaction(connection, "IMMEDIATE"):
            connection.execute("INSERT INTO t VALUES (1)")
            raise error

    with pytest.raises(error):
        write_and_fail()
    assert [] == connection.execute("SELECT n FROM t").fetchall()
    assert not connection.in_transaction


def test_nobody_writes_meanwhile_and_everybody_reads(
    connection: sqlite3.Connection, tmp_path: Path
) -> None:
    """IMMEDIATE holds the write lock; DEFERRED sees one moment and holds nothing."""
    other = sqlite3.connect(tmp_path / "a.sqlite", isolation_level=None, timeout=0)
    with transaction(connection, "IMMEDIATE"):
        assert [] == other.execute("SELECT n FROM t").fetchall()
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("INSERT INTO t VALUES (1)")
    with transaction(connection, "DEFERRED"):
        assert [] == connection.execute("SELECT n FROM t").fetchall()
        other.execute("INSERT INTO t VALUES (1)")
        assert [] == connection.execute("SELECT n FROM t").fetchall()
    assert [(1,)] == connection.execute("SELECT n FROM t").fetchall()
