"""`oloproof inspect`."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003  # typer reads it at run time
from typing import Annotated

import typer

from oloproof.cli.options import JsonOption, ProjectOption, RunArgument, start_of
from oloproof.cli.output import show, show_json, tell


def inspect(
    run: RunArgument = "latest",
    case: Annotated[
        str | None,
        typer.Option("--case", metavar="ID", help="Show all of one case.", show_default=False),
    ] = None,
    replicate: Annotated[
        int | None,
        typer.Option(
            "--replicate",
            metavar="N",
            min=1,
            help="Which replicate of the case (default: 1).",
            show_default=False,
        ),
    ] = None,
    failures: Annotated[
        bool,
        typer.Option(
            "--failures", help="List only cases with a failed or missing check or a bad outcome."
        ),
    ] = False,
    project: ProjectOption = None,
    as_json: JsonOption = False,
) -> int:
    """List the cases of a run, or show one with all that is known of it."""
    if case is None and replicate is not None:
        raise typer.BadParameter("--replicate goes with --case")
    if case is not None and failures:
        raise typer.BadParameter("--failures lists cases, --case shows one: give one of the two")
    if case is None:
        return _list(run, project, failures=failures, as_json=as_json)
    from oloproof.reporting.terminal.case import write_case
    from oloproof.workflows.inspect import inspect_case

    report = inspect_case(start_of(project), run, case, replicate or 1, warn=tell)
    if as_json:
        show_json(report)
    else:
        show(lambda page: write_case(page, report))
    return 0


def _list(run: str, project: Path | None, *, failures: bool, as_json: bool) -> int:
    from oloproof.reporting.terminal.case import write_cases
    from oloproof.workflows.inspect import list_cases

    report = list_cases(start_of(project), run, failures=failures, warn=tell)
    if as_json:
        show_json(report)
    else:
        show(lambda page: write_cases(page, report))
    return 0
