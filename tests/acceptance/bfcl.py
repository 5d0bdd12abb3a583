"""Turns recorded runs of the Berkeley Function Calling Leaderboard into a project.

The data holds calls alone. What they gave and left behind is found by making them again, on
the classes that the package `bfcl-eval` brings along.
"""

from __future__ import annotations

import ast
import copy
import functools
import importlib
import importlib.util
import json
import math
import sys
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

CODE = "bfcl_eval.eval_checker.multi_turn_eval.func_source_code"
MODULES = {
    "GorillaFileSystem": "gorilla_file_system",
    "MathAPI": "math_api",
    "MessageAPI": "message_api",
    "TwitterAPI": "posting_api",
    "TicketAPI": "ticket_api",
    "TradingBot": "trading_bot",
    "TravelAPI": "travel_booking",
    "VehicleControlAPI": "vehicle_control",
}
EVALUATORS: list[dict[str, Any]] = [
    {"type": "state_matches", "criterion": "final_state", "final": True},
    {"type": "state_matches", "criterion": "state_after_each_turn"},
    {"type": "results_contain"},
    {"type": "calls", "in_every_turn": True},
]
"""The suite's three conditions, and what a check of the final state alone says."""


def is_installed() -> bool:
    """Whether the classes can be imported."""
    return importlib.util.find_spec("bfcl_eval") is not None


@functools.cache
def class_of(name: str) -> Any:
    """One of the suite's classes."""
    if "mpmath" not in sys.modules and importlib.util.find_spec("mpmath") is None:
        # It is used for one logarithm, which reference and run get alike.
        stand_in: Any = ModuleType("mpmath")
        stand_in.mp, stand_in.log = SimpleNamespace(dps=15), math.log
        sys.modules["mpmath"] = stand_in
    return getattr(importlib.import_module(f"{CODE}.{MODULES[name]}"), name)


@dataclass
class Played:
    """What a list of calls by turn gave, and the state after each turn."""

    results: list[list[str]] = field(default_factory=list)
    states: list[dict[str, Any]] = field(default_factory=list)


def play(case: dict[str, Any], calls: list[list[str]]) -> Played:
    """Make the calls of each turn in a world that begins as the case's does."""
    world = {name: class_of(name)() for name in case["involved_classes"]}
    for name, instance in world.items():
        if hasattr(instance, "_load_scenario"):
            instance._load_scenario(copy.deepcopy(case["initial_state"].get(name, {})))
    played = Played()
    for turn in calls:
        played.results.append([result_of(call, world) for call in turn])
        played.states.append({name: plain(public(made)) for name, made in world.items()})
    return played


def result_of(call: str, world: dict[str, Any]) -> str:
    """What a call gave, as the suite writes it down."""
    name, args, kwargs = read_call(call)
    owner = next((made for made in world.values() if hasattr(made, name)), None)
    try:
        result = getattr(owner, name)(*args, **kwargs)
    except Exception as error:
        return f"Error during execution: {error}"
    if not isinstance(result, dict):
        return str(result)
    try:
        return json.dumps(result)
    except TypeError:
        return str(result)


def read_call(call: str) -> tuple[str, list[Any], dict[str, Any]]:
    """The name and the arguments of a call that is written as Python."""
    node = ast.parse(call, mode="eval").body
    assert isinstance(node, ast.Call)
    assert isinstance(node.func, ast.Name)
    args = [ast.literal_eval(arg) for arg in node.args]
    return node.func.id, args, {str(k.arg): ast.literal_eval(k.value) for k in node.keywords}


def public(made: object) -> dict[str, Any]:
    """The attributes that the suite compares."""
    return {name: value for name, value in vars(made).items() if not name.startswith("_")}


def plain(value: Any) -> Any:
    """A value as JSON; of an object its class and what the suite compares of it."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, set):
        return sorted(map(plain, value), key=str)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return {"class": type(value).__name__, **plain(compared(value))}


def compared(made: Any) -> dict[str, Any]:
    """What `==` looks at in an object of the file system."""
    names = {"File": ("name", "content"), "Directory": ("name", "contents")}[type(made).__name__]
    return {name: getattr(made, name) for name in names}


def case_of(run: dict[str, Any], case: dict[str, Any]) -> dict[str, Any]:
    """The case of a run: what the user says, and what the reference leads to in each turn."""
    reference = case["trajectory"]
    played = play(case, reference)
    turns = {
        str(number): {"state": state, "results": results, "calls": calls}
        for number, (calls, results, state) in enumerate(
            zip(reference, played.results, played.states, strict=True), start=1
        )
        if calls  # where the reference calls nothing, the suite looks at nothing
    }
    return {
        "id": run["id"],
        "turns": ["\n".join(messages) for messages in case["input"]],
        "initial_state": case["initial_state"],
        "expected": {"turns": turns},
        "cluster": case["id"],
    }


def recording_of(run: dict[str, Any], case: dict[str, Any]) -> dict[str, Any]:
    """What a run did and left behind, turn by turn."""
    played = play(case, run["trajectory"])
    return {
        "case": run["id"],
        "states": [
            {"turn": number, "state": state} for number, state in enumerate(played.states, start=1)
        ],
        "trajectory": {"steps": list(steps(run["trajectory"], played.results))},
    }


def steps(calls: list[list[str]], results: list[list[str]]) -> Iterator[dict[str, Any]]:
    """The steps of an agent that made these calls."""
    index = 0
    for turn, (made, given) in enumerate(zip(calls, results, strict=True), start=1):
        for call, result in zip(made, given, strict=True):
            name, args, kwargs = read_call(call)
            named = {"args": args, **kwargs} if args else kwargs
            step = {"turn": turn, "tool_name": name, "call_id": f"call-{index // 2 + 1}"}
            yield {"index": index + 1, "kind": "tool_call", "arguments": named, **step}
            yield {"index": index + 2, "kind": "tool_result", "result": result, **step}
            index += 2
