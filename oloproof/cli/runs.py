"""`oloproof runs`."""

from __future__ import annotations

from oloproof.cli.options import JsonOption, ProjectOption, start_of
from oloproof.cli.output import show, show_json, tell


def runs(project: ProjectOption = None, as_json: JsonOption = False) -> int:
    """List the stored runs, the newest first."""
    from oloproof.reporting.terminal.runs import write_runs
    from oloproof.workflows.runs import list_runs

    report = list_runs(start_of(project), warn=tell)
    if as_json:
        show_json(report)
    else:
        show(lambda page: write_runs(page, report))
    return 0
