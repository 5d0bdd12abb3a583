"""What a worker is told of the system that it loads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from oloproof.suites.suite import Suite


def opening(suite: Suite, journal: dict[str, Any] | None = None) -> dict[str, Any]:
    """What a worker is told of the system it is to load, and where it writes down results."""
    return {
        "journal": journal,
        "root": str(suite.root),
        "callable": suite.system.callable,
        "kind": suite.system.kind,
        "timeout_s": suite.system.timeout_s,
        "models": suite.system.models,
        "ignore": list(suite.system.ignore),
        "generated_keys": list(suite.system.generated_keys),
        "redact": list(suite.redact),
        "retries": {
            "attempts": suite.retries.attempts,
            "on": list(suite.retries.on),
            "wait_s": suite.retries.wait_s,
        },
    }
