"""The notes that go along with exported runs, and what they mean where they arrive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from oloproof.store.exchange import Settlement

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from oloproof.canonical import JsonValue
    from oloproof.store.database import Store

DATASET: Final = "dataset "
"""Notes of the state files that belong to a dataset, by its path in the project."""

LOADED: Final = "loaded "
"""Notes of the modules that a system loaded, by its source digest; see `identity`."""

SYSTEM: Final = "system "
"""Notes of the version and source digest that a system was last run with, by its name."""


def notes_of(store: Store, runs: Iterable[int]) -> dict[str, JsonValue]:
    """What has to be known of the systems of some runs, beside the runs themselves."""
    notes: dict[str, JsonValue] = store.notes(LOADED) | store.notes(DATASET)
    for number in sorted(runs):
        row = store.run(number)
        manifest = None if row is None else store.get_json(row.manifest)
        if manifest is not None:
            system = manifest["system"]
            notes[SYSTEM + system["name"]] = [system["version"], system["source_digest"]]
    return notes


def settle(store: Store, theirs: Mapping[str, JsonValue]) -> Settlement:
    """Which of another store's notes hold here, and of which systems no result may be taken.

    A source digest covers the modules that a system was seen to load only once they change.
    So results under one digest are not the same thing in two stores that first saw such a
    module with different contents.
    """
    taken: dict[str, JsonValue] = {}
    refused: set[str] = set()
    for name, value in theirs.items():
        mine: Any = store.note(name)
        if name.startswith((SYSTEM, DATASET)) and mine is None:
            taken[name] = value
        elif name.startswith(LOADED) and isinstance(value, dict):
            mine = mine or {}
            if any(mine.get(module, found) != found for module, found in value.items()):
                refused.add(name.removeprefix(LOADED))
            elif value.keys() - mine.keys():
                taken[name] = mine | value
    return Settlement(taken, frozenset(refused))
