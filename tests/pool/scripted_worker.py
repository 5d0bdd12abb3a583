"""A worker for the tests of the pool: each job says what it does, in steps."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from oloproof.pool.framing import (
    DONE,
    MARK,
    READ_SIZE,
    SLOTS,
    Frame,
    FrameReader,
    pack,
    write_all,
)
from oloproof.pool.shared import Aside

if TYPE_CHECKING:
    from collections.abc import Callable


ASIDES: list[Aside] = []


def main(jobs: int, replies: int, _parent: int, *asides: int) -> None:
    """Answer jobs until the pipe ends, each in a thread where its opening asks for slots."""
    os.set_inheritable(jobs, False)
    os.set_inheritable(replies, False)
    ASIDES.extend(map(Aside, asides))
    reader = FrameReader()
    slotted = False
    queues: dict[int, ThreadPoolExecutor] = {}
    while data := os.read(jobs, READ_SIZE):
        for frame in reader.feed(data):
            if frame.kind == b"O":
                slotted = ["slots"] in frame.header
                if slotted:
                    write_all(replies, pack(SLOTS, len(asides)))
                act([step for step in frame.header if step != ["slots"]], frame, jobs, replies)
                write_all(replies, pack(b"R", os.getpid()))
            elif slotted:
                serve = (frame, jobs, replies)
                if frame.slot not in queues:
                    queues[frame.slot] = ThreadPoolExecutor(1)
                queues[frame.slot].submit(answer, *serve)
            else:
                answer(frame, jobs, replies)


def answer(frame: Frame, jobs: int, replies: int) -> None:
    """Do what a job says, and say that it is done."""
    act(frame.header, frame, jobs, replies)
    write_all(replies, pack(DONE, os.getpid(), slot=frame.slot))


def act(steps: list[list[Any]], frame: Frame, jobs: int, replies: int) -> None:
    """Do one step after the other."""
    body, aside = frame.body, ASIDES[frame.slot]

    def send(kind: bytes, header: Any, data: bytes = b"") -> None:
        write_all(replies, pack(kind, header, data, frame.slot))

    def drip(pause_s: float) -> None:
        for byte in pack(b"U", {}, b"drip" * 8, frame.slot):
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
        "say": lambda size=0: aside.append(b"x" * size),
        "about": lambda number: aside.begin(number),
        "mark": lambda seconds: send(MARK, seconds),
        "sleep": time.sleep,
        "drip": drip,
        "exit": os._exit,
        "kill": lambda name: os.kill(os.getpid(), signal.Signals[name]),
        "raw": lambda data: write_all(replies, bytes.fromhex(data)),
        "garbage": lambda: write_all(replies, b"this is no frame at all"),
        "close": lambda: os.close(replies),
        "child": child,
        "orphan": orphan,
    }
    for name, *values in steps:
        known[name](*values)


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):
        main(*map(int, sys.argv[1:]))
