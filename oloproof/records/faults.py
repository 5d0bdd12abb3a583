"""What the agent sees of a fault."""

from __future__ import annotations

from typing import Final

FAULT_RESULTS: Final[dict[str, dict[str, str]]] = {
    "error": {"error": "internal error"},
    "timeout": {"error": "timeout"},
    "malformed": {"raw": '{"status": '},
}
"""What the agent sees of a fault whose result is fixed."""
