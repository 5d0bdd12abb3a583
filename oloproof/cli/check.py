"""`oloproof check`."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from oloproof.cli.options import JsonOption, ProjectOption, start_of
from oloproof.cli.output import show, show_json

NOT_REPLAYABLE: Final = 1


def check(
    cases: Annotated[
        int | None,
        typer.Option(
            "--cases",
            metavar="N",
            min=1,
            help="How many cases are tried, from the first on (default: 3).",
            show_default=False,
        ),
    ] = None,
    case: Annotated[
        list[str] | None,
        typer.Option(
            "--case",
            metavar="ID",
            help="Try this case; may be given several times.",
            show_default=False,
        ),
    ] = None,
    project: ProjectOption = None,
    as_json: JsonOption = False,
) -> int:
    """Say whether the system can be replayed, and why not.

    Runs a few cases and replays them in the same and in other processes. Exits with 0 where
    the system can be replayed, with 1 where it cannot. Nothing is stored.
    """
    from oloproof.reporting.terminal.check import write_check
    from oloproof.workflows.check import DEFAULT_CASES
    from oloproof.workflows.check import check as check_system

    if cases is not None and case:
        raise typer.BadParameter("--cases counts cases, --case names them: give one of the two")
    report = check_system(start_of(project), cases=cases or DEFAULT_CASES, only=case or ())
    if as_json:
        show_json(report)
    else:
        show(lambda page: write_check(page, report))
    return 0 if report.replayable else NOT_REPLAYABLE
