"""Systems that misbehave in every way one can think of: the input says how."""

from __future__ import annotations

import asyncio
import builtins
import contextlib
import ctypes
import gc
import io
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import Any

from oloproof import AgentStep, AgentTrajectory, current_case

CHILD = [sys.executable, "-c", "import time; time.sleep(60)"]
HERE = Path.cwd()


def report(note: str = "noted") -> None:
    step = AgentStep(index=1, kind="message", result=note, latency_ms=1.0)
    current_case().agent_trajectory(AgentTrajectory(steps=[step]))


class Desk:
    """Does to its process what it is told."""

    def __init__(self) -> None:
        self.state: Any = None

    def reset(self, state: Any) -> None:
        if state.get("hang in") == "reset":
            time.sleep(60)
        self.state = state

    def snapshot(self) -> Any:
        if self.state.get("hang in") == "snapshot":
            time.sleep(60)
        return self.state

    def __call__(self, deed: str) -> Any:
        self.state["deed"] = deed
        return getattr(self, deed)()

    def fine(self) -> Any:
        return "fine"

    # -- to its own process, but nothing that matters -------------------------------------------

    def prints_garbage(self) -> Any:
        print("garbage " * 100)
        os.write(1, b"\x00\xff garbage on descriptor 1\n" * 100)
        sys.__stdout__.write("more\n")
        return "fine"

    def replaces_streams(self) -> Any:
        sys.stdout = sys.stderr = None
        return "fine"

    def breaks_streams(self) -> Any:
        sys.stdout = sys.stderr = io.StringIO()
        sys.stdout.close()
        return "fine"

    def closes_standard_streams(self) -> Any:
        for descriptor in (0, 1, 2):
            os.close(descriptor)
        return "fine"

    def warns(self) -> Any:
        warnings.warn("beware", stacklevel=1)
        warnings.simplefilter("error")
        return "fine"

    def changes_the_process(self) -> Any:
        os.chdir("/")
        os.environ.clear()
        os.umask(0)
        gc.disable()
        sys.setrecursionlimit(100_000)
        sys.path.clear()
        for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(name, signal.SIG_IGN)
        return "fine"

    def forgets_modules(self) -> Any:
        for name in list(sys.modules):
            if name == "app" or name.startswith("json"):
                del sys.modules[name]
        return "fine"

    def breaks_builtins(self) -> Any:
        builtins.print = None
        return "fine"

    def runs_a_loop(self) -> Any:
        async def later() -> str:
            await asyncio.sleep(0)
            return "fine"

        return asyncio.run(later())

    def is_huge(self) -> Any:
        self.state["huge"] = ["x" * 100] * 50_000
        return ["y" * 100] * 50_000

    def leaves_a_thread(self) -> Any:
        case = current_case()

        def late() -> None:
            time.sleep(0.05)
            for _ in range(100):
                with contextlib.suppress(Exception):
                    case.agent_trajectory(AgentTrajectory(steps=[]))
                time.sleep(0.001)

        threading.Thread(target=late).start()
        return "fine"

    def reports_from_many_threads(self) -> Any:
        case = current_case()

        def work(number: int) -> None:
            for _ in range(20):
                step = AgentStep(index=1, kind="message", result=str(number) * 50_000)
                case.agent_trajectory(AgentTrajectory(steps=[step]))

        threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
        for thread in threads:
            thread.start()
        threads[0].join()
        os._exit(5)

    def leaves_a_process(self) -> Any:
        subprocess.Popen(CHILD)
        return "fine"

    def leaves_a_fork(self) -> Any:
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
        return "fine"

    def forks_and_both_return(self) -> Any:
        os.fork()
        return "fine"

    def forks_and_the_fork_raises(self) -> Any:
        if os.fork() == 0:
            raise ValueError("in the fork")
        return "fine"

    def a_fork_reports(self) -> Any:
        reader, writer = os.pipe()
        if os.fork() == 0:
            try:
                report("from the fork")
            except Exception as error:
                os.write(writer, str(error).encode()[:500])
            os._exit(0)
        os.close(writer)
        told = os.read(reader, 1000).decode()
        os.close(reader)
        return "fine" if "fork" in told else told

    # -- to its case ----------------------------------------------------------------------------

    def raises(self) -> Any:
        report()
        raise ValueError("no")

    def exits(self) -> Any:
        sys.exit(0)

    def is_interrupted(self) -> Any:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)

    def is_out_of_memory(self) -> Any:
        return bytearray(1 << 50)

    def recurses(self) -> Any:
        return self.recurses()

    def is_no_json(self) -> Any:
        return {"a": {1}}

    def hangs_in_async(self) -> Any:
        async def hang() -> None:
            report()
            await asyncio.sleep(60)

        return hang()

    def hangs_in_async_stubbornly(self) -> Any:
        async def hang() -> None:
            while True:
                with contextlib.suppress(asyncio.CancelledError):
                    await asyncio.sleep(60)

        return hang()

    # -- to its worker --------------------------------------------------------------------------

    def leaves_with_0(self) -> Any:
        report()
        os._exit(0)

    def leaves_with_7(self) -> Any:
        os._exit(7)

    def becomes_another_program(self) -> Any:
        os.execv(sys.executable, [sys.executable, "-c", "raise SystemExit(9)"])

    def segfaults(self) -> Any:
        report()
        ctypes.string_at(0)

    def aborts(self) -> Any:
        os.abort()

    def kills_itself(self) -> Any:
        report()
        os.kill(os.getpid(), signal.SIGKILL)

    def leaves_and_a_fork_stays(self) -> Any:
        if os.fork() == 0:
            time.sleep(60)
        os._exit(3)

    def hangs(self) -> Any:
        report()
        time.sleep(60)

    def hangs_and_reports(self) -> Any:
        while True:
            report()
            time.sleep(0.05)

    def hangs_in_blocked_async(self) -> Any:
        async def hang() -> None:
            time.sleep(60)

        return hang()

    def stops_itself(self) -> Any:
        os.kill(os.getpid(), signal.SIGSTOP)

    def closes_descriptors(self) -> Any:
        os.closerange(3, 256)
        return "not so fine"

    def takes_descriptors_over(self) -> Any:
        os.closerange(3, 256)
        taken = [os.open(f"{HERE}/taken-{n}", os.O_RDWR | os.O_CREAT) for n in range(20)]
        return f"took {len(taken)}"

    def writes_on_every_descriptor(self) -> Any:
        for descriptor in range(3, 64):
            with contextlib.suppress(OSError):
                os.write(descriptor, b"garbage" * 10)
        time.sleep(60)


desk = Desk()
