"""Takes a call of a generator function through its session: its body inside, its reader outside."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from oloproof.canonical import decode
from oloproof.recording.calling import end, end_async
from oloproof.recording.endings import Note, ReplayStop
from oloproof.recording.lanes import AT, behind
from oloproof.recording.positions import Position, Scope

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Generator

    from oloproof.recording.calling import Begun
    from oloproof.recording.declaration import Effect
    from oloproof.recording.events import Event
    from oloproof.recording.positions import Runs
    from oloproof.recording.session import Session


class _Reading:
    """Where the body and the reader of a stream stand; each goes on where it was."""

    __slots__ = ("_inside", "_outside")

    def __init__(self, begun: Begun) -> None:
        session, at, event = begun
        self._inside: Position | None = Position(
            session, at.owner, Scope(event.identity), parent=event, last=event.index
        )
        self._outside = behind(event, at)
        AT.set(self._outside)

    def go_in(self) -> None:
        self._outside = AT.get()
        AT.set(self._inside)

    def go_out(self) -> None:
        self._inside = AT.get()
        AT.set(self._outside)

    async def resume(self, resume: Callable[[Any], Awaitable[Any]], value: Any) -> Any:
        self.go_in()
        try:
            return await resume(value)
        finally:
            self.go_out()


def drive(
    effect: Effect, begun: Begun, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Generator[Any, Any, Any]:
    """The items of a generator function, recorded as they are read."""
    session, _, event = begun
    reading = _Reading(begun)
    source = _source(effect, session, event, args, kwargs)
    resume, value = source.send, None
    try:
        while True:
            reading.go_in()
            try:
                item = resume(value)
            finally:
                reading.go_out()
            session.chunk(event, item)
            try:
                value = yield item
                resume = source.send
                _note_sent(session, event, value)
            except GeneratorExit:
                source.close()
                raise
            except BaseException as error:
                value, resume = error, source.throw
    except ReplayStop:
        raise
    except StopIteration as stop:
        session.ran_out(event, stop.value)
        end(session, event)
        return stop.value
    except BaseException as error:
        session.broke(event, error)
        end(session, event)
        raise


def _source(
    effect: Effect, session: Session, event: Event, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Generator[Any, Any, Any]:
    """What a stream gives, wherever it comes from."""
    direction = session.direction
    if direction is not None:
        direction.before(event)
    if direction is None or event.plan == "run":
        return (yield from effect.function(*args, **kwargs))
    if event.plan == "serve":
        yield from _recorded_items(event)
        if event.waits_for_its_end:
            direction.wait_for_ever()
        return direction.serve(event)
    runs: Runs = []
    for _ in range(direction.runs(event)):
        try:
            runs.append((list(effect.function(*args, **kwargs)), None))
        except Exception as error:
            runs.append((None, error))
    yield from _as_items(direction.deliver(event, runs))
    return None


async def drive_async(
    effect: Effect, begun: Begun, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> AsyncGenerator[Any, Any]:
    """The items of an async generator function, recorded as they are read."""
    session, _, event = begun
    reading = _Reading(begun)
    value, left = None, False
    try:
        source = await _source_async(effect, session, event, args, kwargs)
        resume = source.asend
        while True:
            item = await reading.resume(resume, value)
            session.chunk(event, item)
            try:
                value = yield item
                resume = source.asend
                _note_sent(session, event, value)
            except GeneratorExit:
                await source.aclose()
                raise
            except BaseException as error:
                # A loop that ends cancels whoever was to close what nobody reads any more.
                left = isinstance(error, asyncio.CancelledError)
                value, resume = error, source.athrow
    except ReplayStop:
        raise
    except StopAsyncIteration:
        session.ran_out(event, None)
        await end_async(session, event)
    except BaseException as error:
        session.broke(event, GeneratorExit() if left else error)
        await end_async(session, event)
        raise


async def _source_async(
    effect: Effect, session: Session, event: Event, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> AsyncGenerator[Any, Any]:
    """Where the items of an async stream come from."""
    if session.direction is not None:
        await session.direction.before_async(event)
        if event.plan != "run":
            return _replayed(effect, session, event, args, kwargs)
    source: AsyncGenerator[Any, Any] = effect.function(*args, **kwargs)
    return source


async def _replayed(
    effect: Effect, session: Session, event: Event, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> AsyncGenerator[Any, Any]:
    """What an async stream gives that does not simply run."""
    direction = session.direction
    assert direction is not None
    if event.plan == "serve":
        for item in _recorded_items(event):
            yield item
        if event.waits_for_its_end:
            await direction.wait_for_ever_async()
        direction.serve(event)
        return
    runs: Runs = []
    for _ in range(direction.runs(event)):
        try:
            runs.append(([item async for item in effect.function(*args, **kwargs)], None))
        except Exception as error:
            runs.append((None, error))
    for item in _as_items(direction.deliver(event, runs)):
        yield item


def _recorded_items(event: Event) -> list[Any]:
    source = event.source
    if source is None or source.result is None:
        return []
    items: Any = decode(source.result.encode())
    return list(items)


def _as_items(value: Any) -> list[Any]:
    """A value that a fault puts in place of a stream."""
    return value if isinstance(value, list) else [value]


def _note_sent(session: Session, event: Event, value: object) -> None:
    if value is not None:
        session.notes.append(Note("stream_was_sent_values", event.name))
