"""What model calls cost, as far as they told it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from oloproof.canonical import decode

if TYPE_CHECKING:
    from collections.abc import Iterable

    from oloproof.canonical import JsonValue
    from oloproof.recording.events import Event

_NAMES: Final = {
    "input_tokens": ("input_tokens", "prompt_tokens"),
    "output_tokens": ("output_tokens", "completion_tokens"),
    "cost_usd": ("cost_usd",),
}


def usage_of(events: Iterable[Event]) -> dict[str, JsonValue] | None:
    """The sums over all model calls that came back, or None where there was no model call.

    A number that one of them did not tell is unknown for all: half a sum is none.
    """
    calls = [event for event in events if event.kind == "model"]
    if not calls:
        return None
    told = [_told(event) for event in calls if event.ending in ("returned", "abandoned")]
    out: dict[str, JsonValue] = {}
    for name, spellings in _NAMES.items():
        found = [_number(usage, spellings, whole=name != "cost_usd") for usage in told]
        known = [number for number in found if number is not None]
        if known and len(known) == len(found):
            out[name] = sum(known)
    out["model_calls"] = len(calls)
    return out


def _told(event: Event) -> dict[str, Any]:
    """The usage in a result; of a stream, the last one in its items."""
    if event.result is None or '"usage"' not in event.result:
        return {}
    value: Any = decode(event.result.encode())
    for item in reversed(value) if event.streamed else (value,):
        usage = item.get("usage") if isinstance(item, dict) else None
        if isinstance(usage, dict):
            return usage
    return {}


def _number(
    usage: dict[str, Any], spellings: tuple[str, ...], *, whole: bool
) -> int | float | None:
    for name in spellings:
        value = usage.get(name)
        if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
            continue
        if value >= 0:
            return value
    return None
