"""What ends a replay that says nothing any more."""

from __future__ import annotations


class ReplayStop(BaseException):
    """Raised in the agent's code to end a replay that cannot count any more.

    It is no `Exception`, so that an agent's own handling does not take it for a failing tool.
    An agent that swallows it all the same changes nothing: the session has it already.
    """
