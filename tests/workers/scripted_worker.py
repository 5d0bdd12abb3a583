"""A worker for the tests of the pool: each job says what it does, in steps."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oloproof.workers.framing import READ_SIZE, FrameReader, pack, write_all
from oloproof.workers.pool import ASIDE, DONE, MARK

if TYPE_CHECKING:
    from collections.abc import Callable


def main(jobs: int, replies: int) -> None:
    """Answer jobs until the pipe ends."""
    os.set_inheritable(jobs, False)
    os.set_inheritable(replies, False)
    reader = FrameReader()
    while data := os.read(jobs, READ_SIZE):
        for frame in reader.feed(data):
            if frame.kind == b"O":
                act(frame.header, frame.body, jobs, replies)
                write_all(replies, pack(b"R", os.getpid()))
                continue
            act(frame.header, frame.body, jobs, replies)
            write_all(replies, pack(DONE, os.getpid()))


def act(steps: list[list[Any]], body: bytes, jobs: int, replies: int) -> None:
    """Do one step after the other."""

    def send(kind: bytes, header: Any, data: bytes = b"") -> None:
        write_all(replies, pack(kind, header, data))

    def drip(pause_s: float) -> None:
        for byte in pack(b"U", {}, b"drip" * 8):
            write_all(replies, bytes([byte]))
            time.sleep(pause_s)

    def child(life_s: float) -> None:
        if os.fork() == 0:
            time.sleep(life_s)
            os._exit(0)

    def orphan(note: str) -> None:
        if os.fork() == 0:
            os.close(replies)
            os.close(jobs)
            Path(note).write_text(str(os.getpid()))
            time.sleep(60)
            os._exit(0)

    known: dict[str, Callable[..., Any]] = {
        "echo": lambda: send(b"U", {"size": len(body)}, body),
        "send": lambda size: send(b"U", {}, b"x" * size),
        "say": lambda size=0: send(ASIDE, {}, b"x" * size),
        "mark": lambda seconds: send(MARK, seconds),
        "sleep": time.sleep,
        "drip": drip,
        "exit": os._exit,
        "kill": lambda name: os.kill(os.getpid(), signal.Signals[name]),
        "garbage": lambda: write_all(replies, b"this is no frame at all"),
        "close": lambda: os.close(replies),
        "child": child,
        "orphan": orphan,
    }
    for name, *values in steps:
        known[name](*values)


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):
        main(int(sys.argv[1]), int(sys.argv[2]))
