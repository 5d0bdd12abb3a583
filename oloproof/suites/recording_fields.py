"""One recording of a case that ran elsewhere, checked against its case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, get_args

from pydantic import ValidationError

from oloproof.canonical import MAX_DEPTH, encode
from oloproof.errors import suggest
from oloproof.patches import PatchError, apply
from oloproof.paths import MISSING, Absent
from oloproof.records.evidence import COMPLETED, NOT_RECORDED, Moment, Outcome, OutcomeStatus
from oloproof.records.trajectory import AgentTrajectory
from oloproof.suites.explanation import describe, explain
from oloproof.suites.faulty import FaultyCaseError, wrong_type
from oloproof.suites.json_text import depth_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from oloproof.canonical import JsonValue
    from oloproof.records.case import Case
    from oloproof.suites.located import Document
    from oloproof.suites.places import Place

_FIELDS: Final = (
    "case",
    "replicate",
    "outcome",
    "output",
    "replies",
    "trajectory",
    "state",
    "states",
    "active",
)
_OUTCOME_FIELDS: Final = ("status", "error")
_ENDINGS: Final = tuple(name for name in get_args(OutcomeStatus) if name != NOT_RECORDED)
_STATE_AND_TURN: Final = 'an object such as {"turn": 1, "state": …}'


class RecordedCase(NamedTuple):
    """One case as it ran elsewhere; `replies` is None where none were recorded."""

    outcome: Outcome
    output: JsonValue | Absent = MISSING
    replies: list[JsonValue] | None = None
    trajectory: AgentTrajectory | None = None
    worlds: tuple[Moment, ...] = ()
    active: tuple[Moment, ...] = ()


def read_name(raw: JsonValue, replicates: int) -> tuple[str, int]:
    """The case and the replicate that a recording is of."""
    if not isinstance(raw, dict):
        raise wrong_type((), 'an object such as {"case": …, "output": …}', raw)
    _refuse_unknown(raw, _FIELDS, ())
    case, replicate = raw.get("case"), raw.get("replicate", 1)
    if not isinstance(case, str) or not case:
        raise FaultyCaseError("a recording names no `case`", ("case",), "add the case's id")
    if not isinstance(replicate, int) or isinstance(replicate, bool) or replicate < 1:
        raise wrong_type(("replicate",), "a whole number from 1", replicate)
    if replicate > replicates:
        raise FaultyCaseError(
            f"replicate {replicate} is recorded, and the suite declares {replicates}",
            ("replicate",),
            f"write `replicates: {replicate}` into the suite, or leave the recording out",
        )
    return case, replicate


def read_recording(
    raw: dict[str, Any], case: Case, document: Callable[[], Document]
) -> RecordedCase:
    """What was recorded of a case, or `FaultyCaseError`.

    `document` gives the recording with its lines, for an error in its trajectory.
    """
    outcome = _outcome(raw.get("outcome"))
    completed = outcome.status == "completed"
    replies = _replies(raw, case, completed=completed)
    output: JsonValue | Absent = MISSING
    if "output" in raw:
        output = _output(raw, case, completed=completed)
    elif replies and completed:
        output = replies[-1]
    return RecordedCase(
        outcome,
        output,
        replies,
        _trajectory(raw.get("trajectory"), case, document),
        _worlds(raw, case, completed=completed),
        _moments(raw.get("active"), "active", case),
    )


def _outcome(raw: JsonValue) -> Outcome:
    if raw is None:
        return COMPLETED
    if not isinstance(raw, dict):
        raise wrong_type(("outcome",), 'an object such as {"status": "raised"}', raw)
    _refuse_unknown(raw, _OUTCOME_FIELDS, ("outcome",))
    status: Any = raw.get("status")
    error = raw.get("error")
    if "status" not in raw:
        known = ", ".join(f"`{ending}`" for ending in sorted(_ENDINGS))
        raise FaultyCaseError(
            "an outcome names no `status`", ("outcome", "status"), f"add one of {known}"
        )
    if status not in _ENDINGS:
        raise FaultyCaseError(
            f"`outcome.status` cannot be {describe(status)}",
            ("outcome", "status"),
            suggest(status if isinstance(status, str) else "", _ENDINGS),
        )
    if not isinstance(error, str | None):
        raise wrong_type(("outcome", "error"), "text", error)
    return Outcome(status, error)


def _output(raw: dict[str, JsonValue], case: Case, *, completed: bool) -> JsonValue:
    if case.turns:
        raise FaultyCaseError(
            f"case `{case.id}` is a conversation, which has no one output",
            ("output",),
            "give `replies`, what the user got back in each turn",
        )
    if not completed:
        raise FaultyCaseError(
            f"the call of case `{case.id}` gave an output, and did not complete",
            ("output",),
            "leave `output` or `outcome` out",
        )
    return raw["output"]


def _replies(raw: dict[str, Any], case: Case, *, completed: bool) -> list[JsonValue] | None:
    replies = raw.get("replies")
    if replies is None:
        return None
    if not isinstance(replies, list):
        raise wrong_type(("replies",), "a list with the reply of each turn", replies)
    last = len(case.turns)
    if not last:
        raise FaultyCaseError(
            f"case `{case.id}` is a single call, which has no turns",
            ("replies",),
            "give `output`, what the call returned",
        )
    if len(replies) > last or (completed and len(replies) < last):
        raise FaultyCaseError(
            f"the replies recorded of case `{case.id}` are {len(replies)}, and it has "
            f"{_turns(case)}",
            ("replies",),
            "give one for each turn; of a conversation that broke off, its `outcome` too",
        )
    return replies


def _trajectory(
    raw: JsonValue, case: Case, document: Callable[[], Document]
) -> AgentTrajectory | None:
    if raw is None:
        return None
    try:
        trajectory = AgentTrajectory.model_validate_json(encode(raw))
    except ValidationError as error:
        raise explain(error, AgentTrajectory, document(), ("trajectory",)) from None
    for position, step in enumerate(trajectory.steps):
        if step.turn is not None:
            _check_turn(step.turn, ("trajectory", "steps", position, "turn"), case)
    return trajectory


def _worlds(raw: dict[str, Any], case: Case, *, completed: bool) -> tuple[Moment, ...]:
    if "state" not in raw:
        return _moments(raw.get("states"), "states", case)
    if "states" in raw:
        raise FaultyCaseError("both `state` and `states` are given", ("state",), "keep `states`")
    if case.turns and not completed:
        raise FaultyCaseError(
            f"the conversation of case `{case.id}` broke off, and `state` does not say when",
            ("state",),
            'give `states`: [{"turn": …, "state": …}]',
        )
    return (Moment(raw["state"], len(case.turns) or None),)


def _moments(raw: JsonValue, field: str, case: Case) -> tuple[Moment, ...]:
    """The states after some turns, in the order of the turns."""
    if raw is None:
        return ()
    if not isinstance(raw, list):
        raise wrong_type((field,), "a list of states, each with its turn", raw)
    moments: list[Moment] = []
    before = 0
    for position, given in enumerate(raw):
        at: Place = (field, position)
        moment, turn = _moment(given, at, case)
        if turn <= before:
            raise FaultyCaseError(
                f"the state after turn {turn} stands behind that after turn {before}",
                at,
                "give one state for each turn, in the order of the turns",
            )
        before = turn
        moments.append(moment)
    return tuple(moments)


def _moment(raw: JsonValue, at: Place, case: Case) -> tuple[Moment, int]:
    if not isinstance(raw, dict):
        raise wrong_type(at, _STATE_AND_TURN, raw)
    is_world = at[0] == "states"
    _refuse_unknown(raw, ("turn", "state", "patch") if is_world else ("turn", "state"), at)
    if case.turns and "turn" not in raw:
        raise FaultyCaseError("a state names no `turn`", at, f"write {_STATE_AND_TURN}")
    turn = raw.get("turn", 1)
    if not isinstance(turn, int) or isinstance(turn, bool):
        raise wrong_type((*at, "turn"), "the number of a turn", turn)
    _check_turn(turn, (*at, "turn"), case)
    if ("state" in raw) == ("patch" in raw):
        raise FaultyCaseError(
            "a state is given once, as `state`" + (" or `patch`" if is_world else ""),
            at,
            f"write {_STATE_AND_TURN}",
        )
    state = raw["state"] if "state" in raw else _patched(raw["patch"], (*at, "patch"), case)
    return Moment(state, turn if case.turns else None), turn


def _patched(raw: JsonValue, at: Place, case: Case) -> JsonValue:
    """The state that operations (RFC 6902) make of the case's initial state."""
    if case.initial_state is None:
        raise FaultyCaseError(
            f"case `{case.id}` has no `initial_state` that a patch could be applied to",
            at,
            "give the whole `state`, or the case its `initial_state`",
        )
    if not isinstance(raw, list):
        raise wrong_type(at, "a list of operations (RFC 6902)", raw)
    try:
        state = apply(case.initial_state, raw)
    except PatchError as error:
        raise FaultyCaseError(error.what, at, error.fix or "") from None
    # Measuring a large state takes milliseconds, so only where it may have become too deep.
    if any(map(_may_deepen, raw)) and depth_of(state) > MAX_DEPTH:
        raise FaultyCaseError(
            f"the patched state is nested more than {MAX_DEPTH} levels deep",
            at,
            "write a flatter state",
        )
    return state


def _may_deepen(operation: Any) -> bool:
    if operation["op"] in ("add", "replace"):
        depth: int = operation["path"].count("/") + depth_of(operation["value"])
        return depth > MAX_DEPTH
    return operation["op"] in ("copy", "move")


def _check_turn(turn: int, at: Place, case: Case) -> None:
    last = len(case.turns) or 1
    if not 1 <= turn <= last:
        raise FaultyCaseError(
            f"turn {turn} is recorded of case `{case.id}`, which has {_turns(case)}",
            at,
            f"name a turn from 1 to {last}: turn n is the user's n-th message",
        )


def _turns(case: Case) -> str:
    last = len(case.turns) or 1
    return "1 turn" if last == 1 else f"{last} turns"


def _refuse_unknown(raw: dict[str, Any], fields: tuple[str, ...], at: Place) -> None:
    for name in raw:
        if name not in fields:
            raise FaultyCaseError(
                f"unknown field `{name}` in a recording", (*at, name), suggest(name, fields)
            )
