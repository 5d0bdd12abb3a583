"""Writes JSON Schemas and snapshots again: `python tests/reporting/reporting_refresh.py`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from reporting_screens import SCREENS

from oloproof.reporting.json import REPORTS, schema
from oloproof.reporting.terminal.page import Page

SNAPSHOTS: Final = Path(__file__).parent / "snapshots"
SCHEMAS: Final = Path(__file__).parents[2] / "docs" / "reference" / "schemas"


def expected() -> dict[Path, bytes]:
    """Every generated file with what it should hold."""
    files = {SCHEMAS / f"{name}.json": schema(name) for name in REPORTS}
    for name, screen in SCREENS.items():
        files[SNAPSHOTS / f"{name}.txt"] = (screen.on(Page()).text + "\n").encode()
    return files


if __name__ == "__main__":
    for path, data in expected().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
