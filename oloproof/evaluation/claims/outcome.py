"""What a place or a message may come to, and why."""

from __future__ import annotations

from typing import Literal, NamedTuple

ClaimOutcome = Literal["asserted", "denied", "not_asserted", "unclear"]


class Reading(NamedTuple):
    """What one place says, and the rule that decided, in words."""

    outcome: ClaimOutcome
    reason: str

    @property
    def definite(self) -> bool:
        """Whether it says that the thing was done or was not."""
        return self.outcome in ("asserted", "denied")
