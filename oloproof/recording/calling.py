"""Takes a call of a declared function or coroutine function through its session."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from oloproof.recording.endings import ReplayStop
from oloproof.recording.lanes import enter, find, leave

if TYPE_CHECKING:
    from oloproof.recording.declaration import Effect
    from oloproof.recording.events import Event
    from oloproof.recording.positions import Position, Runs
    from oloproof.recording.session import Session


class Begun(NamedTuple):
    """A call that was entered into its session, and from where it was made."""

    session: Session
    at: Position
    event: Event


def begin(
    effect: Effect, args: tuple[Any, ...], kwargs: dict[str, Any], *, streamed: bool = False
) -> Begun | None:
    """Enter a call into the session it belongs to; None where it belongs to none."""
    bound, fits = effect.parameters.bind(args, kwargs)
    arguments, problem = effect.read(bound)
    what = f"{effect.kind}\0{effect.name}\0{arguments}"
    at = find(what)
    if at is None or at.session is None or at.is_ours:
        return None
    session = cast("Session", at.session)
    event = session.begin(
        effect,
        at,
        arguments,
        what,
        call_id=_call_id(effect, bound, fits=fits),
        problem=problem,
        streamed=streamed,
        fits=fits,
    )
    return Begun(session, at, event)


def _call_id(effect: Effect, arguments: dict[str, Any], *, fits: bool) -> str | None:
    if effect.call_id is None:
        return None
    try:
        given = effect.call_id(arguments)
    except Exception:
        if fits:
            raise
        return None  # what it looks for was not given: the call itself says so
    return None if given is None else str(given)


def call(effect: Effect, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call of a plain function."""
    begun = begin(effect, args, kwargs)
    if begun is None:
        return effect.function(*args, **kwargs)
    session, at, event = begun
    enter(event, at)
    try:
        try:
            value = _value(effect, session, event, args, kwargs)
        except ReplayStop:
            raise
        except BaseException as error:
            session.broke(event, error)
            end(session, event)
            raise
        session.gave(event, value)
        end(session, event)
        return value
    finally:
        leave(event, at)


def _value(
    effect: Effect, session: Session, event: Event, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    direction = session.direction
    if direction is None:
        return effect.function(*args, **kwargs)
    direction.before(event)
    if event.plan == "run":
        return effect.function(*args, **kwargs)
    if event.plan == "serve":
        if event.waits_for_its_end:
            direction.wait_for_ever()
        return direction.serve(event)
    runs: Runs = []
    for _ in range(direction.runs(event)):
        try:
            runs.append((effect.function(*args, **kwargs), None))
        except Exception as error:
            runs.append((None, error))
    return direction.deliver(event, runs)


def end(session: Session, event: Event) -> None:
    """The end of a call in a thread, in its turn unless it was ended from outside."""
    if session.direction is not None and event.ended_by_itself:
        session.direction.until_end(event)
    session.end(event)
    session.take_notice(event)


async def call_async(effect: Effect, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call of a coroutine function."""
    begun = begin(effect, args, kwargs)
    if begun is None:
        return await effect.function(*args, **kwargs)
    session, at, event = begun
    enter(event, at)
    try:
        try:
            value = await _value_async(effect, session, event, args, kwargs)
        except ReplayStop:
            raise
        except BaseException as error:
            session.broke(event, error)
            await end_async(session, event)
            raise
        session.gave(event, value)
        await end_async(session, event)
        return value
    finally:
        leave(event, at)


async def _value_async(
    effect: Effect, session: Session, event: Event, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    direction = session.direction
    if direction is None:
        return await effect.function(*args, **kwargs)
    await direction.before_async(event)
    if event.plan == "run":
        return await effect.function(*args, **kwargs)
    if event.plan == "serve":
        if event.waits_for_its_end:
            await direction.wait_for_ever_async()
        return direction.serve(event)
    runs: Runs = []
    for _ in range(direction.runs(event)):
        try:
            runs.append((await effect.function(*args, **kwargs), None))
        except Exception as error:
            runs.append((None, error))
    return direction.deliver(event, runs)


async def end_async(session: Session, event: Event) -> None:
    """The end of a call in a task, in its turn unless it was ended from outside."""
    if event.ended_by_itself:
        try:
            if session.direction is not None:
                await session.direction.until_end_async(event)
            await session.take_turn(event)
        except asyncio.CancelledError as error:
            session.broke(event, error)
            session.end(event)
            raise
    session.end(event)
    session.take_notice(event)
