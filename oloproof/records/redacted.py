"""What stands in a record where a secret was."""

from __future__ import annotations

from typing import Final

REDACTED: Final = "[redacted:"
"""How every redacted place begins; what follows names the rule. It cannot be served again."""
