"""`record` and `finish`: what only the agent itself can tell of what it does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast, get_args

from oloproof.canonical import JsonValue, to_json
from oloproof.errors import OloproofError, suggest
from oloproof.recording.lanes import AT, OPEN, innermost

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from oloproof.recording.events import Event
    from oloproof.recording.session import Session
    from oloproof.records.trajectory import (
        AgentConstraintCheck,
        Artefact,
        CallStatus,
        Claim,
        Record,
        StateUpdate,
        TerminalStatus,
    )

_CALL: Final = "CallStatus"
_TERMINAL: Final = "TerminalStatus"


def record(
    *,
    state_update: StateUpdate | Mapping[str, Any] | None = None,
    status: CallStatus | None = None,
    claims: Iterable[Claim | Mapping[str, Any]] | None = None,
    artefact: Artefact | Mapping[str, Any] | None = None,
    constraint: AgentConstraintCheck | Mapping[str, Any] | None = None,
    message: str | None = None,
) -> None:
    """Add to the trajectory what no call shows.

    - `state_update`: a change of the agent's working state (`revision`, `changes`,
      `committed`); later calls bear the revision committed last.
    - `status`: of the tool call inside which this is called, such as `blocked` or `queued`.
    - `claims`: what a `message` to the user says of the world, in structured words.
    - `artefact`: something made instead of an effect, such as a draft.
    - `constraint`: a rule of its own that the agent checked.

    Each may be given as a record or as a mapping with its fields; with a field that does not
    fit it raises `OloproofError`. Outside of a case it does nothing.
    """
    here = _here("record")
    if here is None:
        return
    session, within = here
    step: dict[str, JsonValue] = {}
    if artefact is not None:
        step = {"kind": "observation", "artefact": _plain("Artefact", artefact, "artefact")}
    if message is not None or claims is not None:
        step["kind"] = "message"
        if message is not None:
            step["result"] = to_json(message, "the message")
        if claims is not None:
            step["claims"] = [_plain("Claim", claim, "claims") for claim in claims]
    if state_update is not None:
        step["kind"] = "state_update"
        update = step["state_update"] = _plain("StateUpdate", state_update, "state_update")
        step["state_revision"] = update["revision"]
    check = constraint and _plain("AgentConstraintCheck", constraint, "constraint")
    if status is not None:
        _set_status(within, status)
    if step:
        session.say("step", step, within)
    if check:
        session.say("check", check, within)


def finish(status: TerminalStatus) -> None:
    """Say how the case ended as the agent sees it; a system that raises has failed anyway.

    Outside of a case it does nothing.
    """
    here = _here("finish")
    if here is None:
        return
    session, within = here
    _refuse_unknown(status, _TERMINAL)
    session.say("finish", {"status": status}, within)


def _here(name: str) -> tuple[Session, Event | None] | None:
    """Where it is told; None outside of a case, as in production: nothing is recorded there.

    A thread without context tells of one of several cases: none of them is known whole.
    """
    found = innermost()
    if found is None and AT.get() is None:
        for session in list(OPEN):
            session.outside(name)
    return cast("tuple[Session, Event | None] | None", found)


def _set_status(within: Event | None, status: str) -> None:
    _refuse_unknown(status, _CALL)
    call = within
    while call is not None and call.kind != "tool":
        call = None if call.outer is None else call.outer.parent
    if call is None:
        raise OloproofError(
            "record(status=...) was called outside of a tool",
            fix="call it in the body of the tool whose call has this status",
        )
    call.status = status


def _refuse_unknown(status: object, kind: str) -> None:
    from oloproof.records import trajectory

    known = get_args(getattr(trajectory, kind))
    if status not in known:
        # Where an agent raises it, all of it is told on one line.
        raise OloproofError(
            f"there is no status {status!r} ({suggest(str(status), map(str, known))})"
        )


def _plain(kind: str, given: object, field: str) -> dict[str, JsonValue]:
    """A record as JSON without what has its default, checked whichever way it was given."""
    from pydantic import ValidationError

    from oloproof.records import trajectory

    model: type[Record] = getattr(trajectory, kind)
    try:
        made = given if isinstance(given, model) else model.model_validate(given)
        dumped = made.model_dump(exclude_defaults=True, by_alias=True, warnings=False)
    except ValidationError as error:
        problem = error.errors()[0]
        where = ".".join(map(str, problem["loc"]))
        raise OloproofError(
            f"record({field}=...) is not valid: {problem['msg']}",
            where=f"{field}.{where}" if where else field,
            fix=f"give a `{kind}` or its fields",
        ) from None
    plain = to_json(dumped, field)
    assert isinstance(plain, dict)
    return plain
