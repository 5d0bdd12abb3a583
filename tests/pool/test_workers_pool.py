"""The pool of worker processes, with real processes that do what their jobs say."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from oloproof.pool import jobs as pace_module
from oloproof.pool.framing import BROKEN_EXIT, DONE
from oloproof.pool.jobs import MOST_JOBS, Lost, Message, Reply
from oloproof.pool.pool import MOST_BYTES, Pool

if TYPE_CHECKING:
    from collections.abc import Iterator

SCRIPT = [sys.executable, str(Path(__file__).with_name("scripted_worker.py"))]


def make_pool(size: int = 1, deadline_s: float = 20.0, opening: Any = (), **options: Any) -> Pool:
    return Pool(SCRIPT, size=size, opening=list(opening), deadline_s=deadline_s, **options)


def drain(pool: Pool) -> Iterator[Message]:
    """Everything until no job is left."""
    until = time.monotonic() + 30
    while pool.pending:
        assert time.monotonic() < until, "the pool does not come to an end"
        yield from pool.poll()


def lost(messages: Any) -> list[Lost]:
    return [message for message in messages if isinstance(message, Lost)]


def done(messages: Any) -> list[Any]:
    return [m.tag for m in messages if isinstance(m, Reply) and m.frame.kind == DONE]


def open_descriptors() -> set[Path]:
    return set(Path("/proc/self/fd").iterdir())


def is_alive(process: int) -> bool:
    try:
        stat = Path(f"/proc/{process}/stat").read_bytes()
    except OSError:
        return False
    return stat.rpartition(b")")[2].split()[0] != b"Z"


def wait_until(condition: Any) -> None:
    until = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


class TestJobs:
    def test_replies_carry_the_tag_of_their_job(self) -> None:
        """In the order of the jobs, with what the worker wrote."""
        with make_pool() as pool:
            for tag in ("a", "b"):
                pool.submit(tag, [["echo"]], tag.encode())
            messages = list(drain(pool))
        echoes = [(m.tag, m.frame.body) for m in messages if m.frame.kind == b"U"]  # type: ignore[union-attr]
        assert [("a", b"a"), ("b", b"b")] == echoes
        assert ["a", "b"] == done(messages)

    def test_polling_with_nothing_to_do_returns_at_once(self) -> None:
        """Before the first job and after the last."""
        with make_pool() as pool:
            assert [] == pool.poll()
            pool.submit("a", [])
            list(drain(pool))
            assert [] == pool.poll()
            assert [] == pool.poll(60)

    def test_polling_waits_no_longer_than_it_is_told(self) -> None:
        """A caller may have other things to do."""
        with make_pool() as pool:
            pool.submit("a", [["sleep", 20]])
            began = time.monotonic()
            pool.poll(0.05)
            assert time.monotonic() - began < 15

    def test_many_small_jobs_all_come_back(self) -> None:
        """Each once, whatever the window is."""
        count = 3000
        with make_pool(2) as pool:
            submitted, ended = 0, []
            while len(ended) < count:
                while submitted < count and pool.hungry:
                    pool.submit(submitted, [])
                    submitted += 1
                ended += done(pool.poll())
        assert list(range(count)) == sorted(ended)

    @pytest.mark.parametrize("size", [1, 3])
    def test_there_are_never_more_workers_than_its_size(self, size: int) -> None:
        """Not while they are replaced either."""
        seen: set[int] = set()
        with make_pool(size) as pool:
            for n in range(6 * size):
                pool.submit(n, [["exit", 1] if n % 3 == 0 else ["sleep", 0.01]])
            while pool.pending:
                pool.poll()
                alive = children()
                assert len(alive) <= size
                seen |= alive
        assert len(seen) > size
        assert not children()

    def test_slow_jobs_are_not_hoarded(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """A worker holds one beside the one that it is at, and of very slow ones none."""
        monkeypatch.setattr(pace_module, "SLOW_S", 0.05)
        with make_pool(2) as pool:
            assert pool.hungry
            for n in range(4):
                pool.submit(n, [["sleep", 0.02]])
            assert not pool.hungry
            list(drain(pool))
            for n in range(2):
                pool.submit(n, [["sleep", 1]])
            list(drain(pool))
            room = 0
            while pool.hungry:
                pool.submit(room, [])
                room += 1
            assert 2 == room

    def test_no_worker_waits_while_others_have_two_jobs(self) -> None:
        """However much room is taken."""
        with make_pool(4) as pool:
            for n in range(8):
                pool.submit(n, [["sleep", 60]] if n % 4 != 3 else [])
            assert not pool.hungry
            ended: list[Any] = []
            while len(ended) < 2:
                assert not pool.hungry
                ended += done(pool.poll())
            assert ([3, 7], 6) == (ended, pool.pending)
            assert pool.hungry

    def test_quick_jobs_are_handed_over_many_at_once(self) -> None:
        """The room grows with the pace, and is filled again when half of it is empty."""
        with make_pool() as pool:
            for _ in range(20):
                for n in range(20):
                    pool.submit(n, [])
                list(drain(pool))
            room = 0
            while pool.hungry:
                pool.submit(room, [])
                room += 1
            assert MOST_JOBS == room
            list(drain(pool))

    def test_large_jobs_are_not_piled_up(self) -> None:
        """What waits in memory is bounded."""
        with make_pool() as pool:
            for _ in range(100):
                pool.submit("quick", [])
            list(drain(pool))
            submitted = 0
            while pool.hungry:
                pool.submit(submitted, [], b"x" * (MOST_BYTES // 4))
                submitted += 1
            assert 4 == submitted
            assert 4 == len(done(drain(pool)))

    def test_large_frames_both_ways_do_not_block_each_other(self) -> None:
        """The worker writes while it is written to."""
        body = os.urandom(2_000_000)
        with make_pool(2) as pool:
            for n in range(12):
                pool.submit(n, [["send", 3_000_000], ["echo"]], body)
            messages = list(drain(pool))
        echoes = [
            m.frame.body
            for m in messages
            if isinstance(m, Reply) and m.frame.header == {"size": len(body)}
        ]
        assert [body] * 12 == echoes

    def test_waiting_does_not_spin(self) -> None:
        """Neither for a reply nor for room in a pipe does it burn time."""
        with make_pool() as pool:
            pool.submit("first", [["sleep", 0.5]])
            pool.submit("large", [], b"x" * 4_000_000)
            began, polls = time.process_time(), 0
            while pool.pending:
                pool.poll()
                polls += 1
            assert time.process_time() - began < 0.25
        assert polls < 200  # a pipe takes 64 KiB at a time


class TestEnds:
    @pytest.mark.parametrize(
        ("steps", "cause", "code"),
        [
            ([["exit", 0]], "exited", 0),
            ([["exit", 3]], "exited", 3),
            ([["kill", "SIGSEGV"]], "killed", signal.SIGSEGV),
            ([["kill", "SIGKILL"]], "killed", signal.SIGKILL),
            ([["sleep", 60]], "timed_out", 0),
            ([["kill", "SIGSTOP"]], "timed_out", 0),
            ([["garbage"], ["sleep", 60]], "exited", BROKEN_EXIT),
            ([["close"], ["sleep", 60]], "timed_out", 0),
            ([["close"], ["exit", 4]], "exited", 4),
            ([["child", 60], ["exit", 5]], "exited", 5),
        ],
    )
    def test_how_a_worker_ended_is_told(self, steps: Any, cause: str, code: int) -> None:
        """Its job is lost with the cause; the jobs around it are not touched."""
        with make_pool(deadline_s=0.5) as pool:
            pool.submit("before", [])
            pool.submit("bad", steps)
            pool.submit("after", [])
            messages = list(drain(pool))
        assert [Lost("bad", cause, code, True, (0, b""))] == lost(messages)  # type: ignore[arg-type]
        assert ["before", "after"] == done(messages)

    def test_only_the_first_of_the_jobs_it_held_is_lost(self) -> None:
        """Those behind it go to a fresh worker, in their order."""
        with make_pool(deadline_s=0.5) as pool:
            for n in range(40):
                pool.submit(n, [["exit", 1]] if n in (3, 4, 30) else [])
            messages = list(drain(pool))
        assert [3, 4, 30] == [message.tag for message in lost(messages)]
        assert [n for n in range(40) if n not in (3, 4, 30)] == done(messages)

    def test_what_it_said_before_it_ended_is_heard(self) -> None:
        """A job that dies shows what it did."""
        with make_pool() as pool:
            steps = [["about", 5], ["say", 3], ["echo"], ["kill", "SIGKILL"]]
            pool.submit("bad", steps, b"done so far")
            messages = list(drain(pool))
        assert b"done so far" == messages[-2].frame.body  # type: ignore[union-attr]
        (end,) = lost(messages)
        assert (5, b"xxx") == end.aside

    def test_a_worker_that_never_answered_could_not_be_started(self) -> None:
        """An exit, a death or silence while it opens."""
        for opening, cause in (
            ([["exit", 2]], "exited"),
            ([["kill", "SIGKILL"]], "killed"),
            ([["sleep", 60]], "timed_out"),
        ):
            with make_pool(opening=opening, opening_s=0.5) as pool:
                pool.submit("a", [])
                (end,) = lost(drain(pool))
            assert (cause, False) == (end.cause, end.opened)

    def test_opening_has_a_deadline_of_its_own(self) -> None:
        """Importing a system can be slow; the first job's clock starts when it is done."""
        with make_pool(opening=[["sleep", 1.2]], deadline_s=1.0, opening_s=20) as pool:
            pool.submit("a", [["sleep", 0.2]])
            assert ["a"] == done(drain(pool))

    def test_a_command_that_cannot_be_run_leaves_nothing_open(self) -> None:
        """The error comes out as it is."""
        before = open_descriptors()
        with Pool(["/no/such/program"], size=1, opening={}, deadline_s=1) as pool:
            pool.submit("a", [])
            with pytest.raises(FileNotFoundError):
                pool.poll()
        assert before == open_descriptors()


class TestDeadlines:
    def test_every_frame_starts_the_clock_anew(self) -> None:
        """A job of many parts has the deadline for each."""
        with make_pool(deadline_s=1.0) as pool:
            pool.submit("a", [["sleep", 0.5], ["echo"], ["sleep", 0.5], ["echo"], ["sleep", 0.5]])
            assert ["a"] == done(drain(pool))

    def test_a_mark_allows_more_time_once(self) -> None:
        """As for a wait between two attempts."""
        with make_pool(deadline_s=0.8) as pool:
            pool.submit("a", [["mark", 0.6], ["sleep", 0.9]])
            pool.submit("b", [["mark", 0.2], ["mark", 0], ["sleep", 60]])
            messages = list(drain(pool))
        assert ["a"] == done(messages)
        assert ["b"] == [message.tag for message in lost(messages)]

    def test_talking_is_no_sign_of_life(self) -> None:
        """A job that reports for ever hangs all the same, however long its reports are."""
        with make_pool(deadline_s=0.5) as pool:
            pool.submit("a", [["say"], ["sleep", 0.05]] * 40)
            pool.submit("b", [["say", 300_000], ["sleep", 0.05]] * 40)
            assert [("a", "timed_out"), ("b", "timed_out")] == [
                (m.tag, m.cause) for m in lost(drain(pool))
            ]

    def test_a_frame_that_comes_slowly_is_a_sign_of_life(self) -> None:
        """As long as it goes on."""
        with make_pool(deadline_s=0.5) as pool:
            pool.submit("a", [["drip", 0.03]])
            assert ["a"] == done(drain(pool))

    def test_a_parent_that_does_not_listen_blames_nobody(self) -> None:
        """What it finds when it looks again counts, also when only a part has come in."""
        with make_pool(deadline_s=0.6) as pool:
            pool.submit("warm", [])
            list(drain(pool))
            pool.submit("a", [["send", 150_000]])
            messages: list[Any] = []
            while pool.pending:
                messages += pool.poll(0)
                time.sleep(0.7)
        assert ["a"] == done(messages)
        assert [] == lost(messages)


class TestClosing:
    def test_nothing_is_left_behind(self) -> None:
        """No process, no zombie, no descriptor: idle, busy, hung, dead or never started."""
        before = open_descriptors()
        for steps in ([], [["sleep", 60]], [["exit", 1]], [["send", 1_000_000], ["sleep", 60]]):
            began = time.monotonic()
            with make_pool(2) as pool:
                for n in range(6):
                    pool.submit(n, steps, b"x" * 500_000)
                pool.poll(0.3)
            assert time.monotonic() - began < 10
            assert not children()
        with make_pool(2):
            pass
        assert before == open_descriptors()

    def test_deaths_leave_no_descriptor(self) -> None:
        """However many workers were replaced."""
        with make_pool() as pool:
            pool.submit("warm", [])
            list(drain(pool))
            before = len(open_descriptors())
            for n in range(8):
                pool.submit(n, [["exit", 1]])
            pool.submit("last", [])
            list(drain(pool))
            assert before == len(open_descriptors())

    def test_what_a_system_started_dies_with_its_worker(self, tmp_path: Path) -> None:
        """Also when the worker is long gone."""
        note = tmp_path / "pid"
        for end in (["exit", 1], ["sleep", 60]):
            with make_pool(deadline_s=0.5) as pool:
                pool.submit("a", [["orphan", str(note)], ["sleep", 0.3], end])
                list(drain(pool))
            child = int(note.read_text())
            wait_until(lambda child=child: not is_alive(child))

    def test_an_error_of_the_callers_ends_the_workers_too(self) -> None:
        """Ctrl-C among them."""

        def interrupted() -> None:
            with make_pool() as pool:
                pool.submit("a", [["sleep", 60]])
                pool.poll(0.2)
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            interrupted()
        assert not children()


def children() -> set[int]:
    """The children of this process, zombies among them."""
    found = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_bytes().rpartition(b")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == os.getpid():
            found.add(int(stat.parent.name))
    return found
