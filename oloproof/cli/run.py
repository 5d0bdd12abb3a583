"""`oloproof run`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from oloproof.cli.options import JsonOption, PolicyOption, ProjectOption, start_of
from oloproof.cli.output import is_terminal, show, show_json


def run(
    policy: PolicyOption = None,
    project: ProjectOption = None,
    rerun_failed: Annotated[
        bool,
        typer.Option(
            "--rerun-failed",
            help="Execute failed cases again; the run and every gate on it say so.",
        ),
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Run every case that is not known yet, judge all, and decide the gate.

    Exits on the gate (`oloproof --help` lists the exit codes); without a policy nothing is
    decided, and a run that got through exits 0.
    """
    from oloproof.cli.progress import follow, listener
    from oloproof.reporting.terminal.run import write_run
    from oloproof.workflows.run import run as execute

    watch = listener(sys.stderr)
    events = execute(start_of(project), policy=policy, rerun_failed=rerun_failed)
    finished = follow(events, watch)
    if as_json:
        show_json(finished.report)
        return finished.exit_code
    untold = None
    if is_terminal(sys.stdout) and is_terminal(sys.stderr):
        untold = [notice for notice in finished.report.notices if notice not in watch.told]
    show(lambda page: write_run(page, finished.report, notices=untold))
    return finished.exit_code
