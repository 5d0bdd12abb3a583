"""One case as it stands in a file, checked field by field and made into a `Case`.

Written by hand rather than as a model: a dataset may hold 100,000s of lines.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from oloproof.canonical import MAX_DEPTH, JsonValue, encode_in_order
from oloproof.errors import ConfigurationError, suggest
from oloproof.patches import PatchError, apply
from oloproof.records.case import Case, PatchedState
from oloproof.suites.conversations import expected_turns, read_turns
from oloproof.suites.explanation import describe
from oloproof.suites.faulty import FaultyCaseError, wrong_type
from oloproof.suites.json_text import depth_of
from oloproof.suites.places import show_place

if TYPE_CHECKING:
    from oloproof.suites.places import Place
    from oloproof.suites.state_files import StateFiles

_FIELDS: Final = frozenset(
    ("id", "input", "turns", "initial_state", "expected", "metadata", "cluster", "group_id")
)
_NAME: Final = re.compile(r"(?!\s*$)[^\x00-\x1f\x7f-\x9f~]{1,200}")
_FILE_FIELDS: Final = frozenset(("$file", "$patch"))


class _State(NamedTuple):
    """An initial state: its value, its JSON if that is there already, a bound of its depth."""

    value: JsonValue
    json: bytes | None = None
    depth: int | None = None
    given: PatchedState | None = None


def read_case(raw: JsonValue, line: int, files: StateFiles, *, whole: bool = True) -> Case:
    """The case that the value `raw` from line `line` says, or `FaultyCaseError`.

    Without `whole` its `state_json` is left out, which saves the encoding of a patched state
    where a case is only checked. A field that is null is not given, except `input` and
    `initial_state`, where null is a value.
    """
    if not isinstance(raw, dict):
        raise FaultyCaseError(
            f"a case is an object, not {describe(raw)}", (), 'write {"id": …, "input": …}'
        )
    if not raw.keys() <= _FIELDS:
        raise _unknown(raw)
    name = raw.get("id")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise _bad_id(raw)
    turns = read_turns(raw["turns"]) if "turns" in raw else ()
    if ("input" in raw) == bool(turns):
        raise _not_one_request(name, both=bool(turns))
    state = _state(raw["initial_state"], files) if "initial_state" in raw else None
    metadata = raw.get("metadata")
    if metadata is not None and not isinstance(metadata, dict):
        raise wrong_type(("metadata",), "an object", metadata)
    expected, patch = _expected(raw.get("expected"), state, len(turns))
    return Case(
        id=name,
        input={"turns": list(turns)} if turns else raw["input"],
        initial_state=None if state is None else state.value,
        state_json=_json(state) if whole and state is not None else None,
        has_state=state is not None,
        patched_state=None if state is None else state.given,
        expected=expected,
        expected_patch=patch,
        metadata=metadata,
        cluster=_cluster(raw) if "cluster" in raw or "group_id" in raw else None,
        line=line,
        turns=turns,
    )


def _state(raw: JsonValue, files: StateFiles) -> _State:
    if not isinstance(raw, dict) or not ("$file" in raw or "$patch" in raw):
        return _State(raw)
    name = raw.get("$file")
    at: Place = ("initial_state", "$file")
    if unknown := sorted(raw.keys() - _FILE_FIELDS):
        raise FaultyCaseError(
            f"unknown field `{unknown[0]}` beside `$file`",
            ("initial_state", unknown[0]),
            "give `$file` and `$patch` only; a state with a key `$file` must stand in a file",
        )
    if not isinstance(name, str):
        raise wrong_type(at, "the name of a file, such as state/shop.json.gz", name)
    try:
        file = files.read(name)
    except ConfigurationError as error:
        if error.where is not None:
            raise
        raise FaultyCaseError(error.what, at, error.fix or "") from None
    if "$patch" not in raw:
        return _State(file.value, file.json, file.depth)
    state = _State(file.value, depth=file.depth)
    at = ("initial_state", "$patch")
    patch = _operations(raw["$patch"], at)
    return _patched(state, patch, at)._replace(given=PatchedState(file.json, patch))


def _json(state: _State) -> bytes:
    return encode_in_order(state.value) if state.json is None else state.json


def _expected(
    raw: JsonValue, state: _State | None, turns: int
) -> tuple[dict[str, JsonValue] | None, list[JsonValue] | None]:
    """What is expected, with every state whole, and the patch that the end was given by, if any."""
    if raw is None:
        return None, None
    if not isinstance(raw, dict):
        raise wrong_type(("expected",), "an object", raw)
    if "turns" in raw:
        if not turns:
            raise FaultyCaseError(
                "`expected.turns` speaks of turns, and the case has one `input`",
                ("expected", "turns"),
                "give the user's messages as `turns`, or expect `answer` and `state`",
            )
        by_turn = expected_turns(
            raw["turns"], turns, lambda given, at: _resolved(given, at, state)[0]
        )
        raw = raw | {"turns": by_turn}
    return _resolved(raw, ("expected",), state)


def _resolved(
    raw: dict[str, JsonValue], at: Place, state: _State | None
) -> tuple[dict[str, JsonValue], list[JsonValue] | None]:
    """What is expected with its state whole, and the patch by which that was given, if any."""
    if "state_patch" not in raw:
        return raw, None
    name = show_place(at)
    at = (*at, "state_patch")
    if "state" in raw:
        raise FaultyCaseError(
            f"`{name}` gives both `state` and `state_patch`", at, "keep one of them"
        )
    if state is None:
        raise FaultyCaseError(
            f"`{name}.state_patch` has no `initial_state` to be applied to",
            at,
            "add `initial_state`, or give the whole `state`",
        )
    resolved = {key: value for key, value in raw.items() if key != "state_patch"}
    patch = _operations(raw["state_patch"], at)
    resolved["state"] = _patched(state, patch, at).value
    return resolved, patch


def _operations(raw: JsonValue, at: Place) -> list[JsonValue]:
    if not isinstance(raw, list):
        raise wrong_type(at, "a list of operations (RFC 6902)", raw)
    return raw


def _patched(state: _State, operations: list[JsonValue], at: Place) -> _State:
    try:
        value = apply(state.value, operations)
    except PatchError as error:
        raise FaultyCaseError(error.what, at, error.fix or "") from None
    bound = _depth_bound(depth_of(state.value) if state.depth is None else state.depth, operations)
    # Measuring a large state takes milliseconds, so only where it may be too deep.
    if bound > MAX_DEPTH and (bound := depth_of(value)) > MAX_DEPTH:
        raise FaultyCaseError(
            f"the patched value is nested more than {MAX_DEPTH} levels deep",
            at,
            "write a flatter value",
        )
    return _State(value, depth=bound)


def _depth_bound(depth: int, operations: list[JsonValue]) -> int:
    """What the depth of a value is at most, once operations that fit were applied to it."""
    for operation in operations:
        assert isinstance(operation, dict)  # it was applied
        above = str(operation["path"]).count("/")
        if operation["op"] in ("add", "replace"):
            depth = max(depth, above + depth_of(operation["value"]))
        elif operation["op"] in ("copy", "move"):
            depth += above
    return depth


def _cluster(raw: dict[str, JsonValue]) -> str | None:
    found: str | None = None
    for field in ("cluster", "group_id"):
        value = raw.get(field)
        if value is None:
            continue
        if not isinstance(value, str) or not _NAME.fullmatch(value):
            raise wrong_type((field,), "text (one line, at most 200 characters, no `~`)", value)
        if found is not None and found != value:
            raise FaultyCaseError(
                f"`cluster` is `{found}` but `group_id`, which means the same, is `{value}`",
                (field,),
                "keep one of them",
            )
        found = value
    return found


def _unknown(raw: dict[str, JsonValue]) -> FaultyCaseError:
    name = next(name for name in raw if name not in _FIELDS)
    return FaultyCaseError(f"unknown field `{name}` in a case", (name,), suggest(name, _FIELDS))


def _not_one_request(name: str, *, both: bool) -> FaultyCaseError:
    if both:
        return FaultyCaseError(
            f"the case `{name}` has both `input` and `turns`",
            ("turns",),
            "keep `input` for a single call, or `turns` for a conversation",
        )
    return FaultyCaseError(
        f"the case `{name}` has no `input`",
        ("input",),
        "add `input`, what the system gets, or `turns`, the user's messages",
    )


def _bad_id(raw: dict[str, JsonValue]) -> FaultyCaseError:
    if "id" not in raw:
        return FaultyCaseError(
            "a case has no `id`", ("id",), "add `id`, a text that no other case has"
        )
    name = raw["id"]
    if not isinstance(name, str) or not name.strip():
        quoted = isinstance(name, int | float) and not isinstance(name, bool)
        fix = f'quote it: "{name}"' if quoted else "write a text that no other case has"
        return FaultyCaseError(f"`id` must be text, not {describe(name)}", ("id",), fix)
    if "~" in name:
        return FaultyCaseError(
            f"the id {describe(name)} holds `~`, which marks the copies that transforms make",
            ("id",),
            "write the id without `~`",
        )
    return FaultyCaseError(
        f"the id {describe(name)!r} has more than 200 characters or a control character",
        ("id",),
        "write at most 200 characters on one line",
    )
