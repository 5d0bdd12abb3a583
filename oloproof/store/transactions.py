"""One transaction on a connection that commits by itself otherwise."""

from __future__ import annotations

import contextlib
import sqlite3
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextlib.contextmanager
def transaction(
    connection: sqlite3.Connection, kind: Literal["DEFERRED", "IMMEDIATE"]
) -> Iterator[None]:
    """The block sees the store at one moment; what it writes is kept whole or not at all.

    DEFERRED is for reading, and lets others write; IMMEDIATE lets nobody else write.
    """
    connection.execute(f"BEGIN {kind}")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with contextlib.suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise
