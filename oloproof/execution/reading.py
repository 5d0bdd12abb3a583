"""What is made of a case: of what its calls gave, and of what the system reports of itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oloproof.errors import OloproofError
from oloproof.execution.trajectories import StoredTrajectory, store_trajectory
from oloproof.paths import Absent

if TYPE_CHECKING:
    from collections.abc import Callable

    from oloproof.execution.performing import Performance, Values


class OutputReading:
    """Reads what the calls of a case gave; trajectories that are reported are not used."""

    def __init__(self, execution: Values) -> None:
        self._execution = execution

    def report(self, trajectory: object) -> None:
        """Not used."""

    def read(self, performance: Performance) -> None:
        """Take the output, or the outcome that there is none to be kept."""
        value = performance.called.value
        if isinstance(value, Absent):
            return
        what = "the output" if performance.replies is None else "the reply"
        try:
            performance.output = self._execution.plain(value, what)
        except BaseException as error:
            performance.outcome = self._execution.not_json(error)
            return
        if performance.replies is not None:
            performance.replies.append(performance.output)

    def finish(self, performance: Performance) -> None:
        """Nothing is left to be taken."""


class CaseReading(OutputReading):
    """Reads a case that runs for the first time: the last trajectory reported during it, too."""

    def __init__(self, execution: Values, on_report: Callable[[bytes], None]) -> None:
        super().__init__(execution)
        self._on_report = on_report
        self._trajectory: StoredTrajectory | None = None
        self._problem: str | None = None

    def report(self, trajectory: object) -> None:
        """Keep a report; a wrong one raises in the code that made it."""
        redaction = self._execution.redaction
        redaction.refresh()
        try:
            self._trajectory = store_trajectory(trajectory, redaction)
        except OloproofError as error:
            # The code that made it may swallow the error: the evidence still says it.
            self._problem = redaction.of_text(error.what)
            raise
        self._problem = None
        self._on_report(self._trajectory.json)

    def finish(self, performance: Performance) -> None:
        """Take the trajectory that was reported last."""
        performance.trajectory, performance.trajectory_problem = self._trajectory, self._problem
