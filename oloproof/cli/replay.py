"""`oloproof replay`."""

from __future__ import annotations

from typing import Annotated

import typer

from oloproof.cli.options import JsonOption, ProjectOption, start_of
from oloproof.cli.output import show, show_json, tell


def replay(
    case: Annotated[str, typer.Argument(metavar="CASE", help="The id of a case.")],
    tool: Annotated[
        str | None,
        typer.Option("--tool", metavar="T", help="The tool that is to fail.", show_default=False),
    ] = None,
    fault: Annotated[
        str | None,
        typer.Option(
            "--fault", metavar="F", help="How it fails, such as `error`.", show_default=False
        ),
    ] = None,
    occurrence: Annotated[
        int | None,
        typer.Option(
            "--occurrence",
            metavar="N",
            min=1,
            help="At which of its calls (default: 1).",
            show_default=False,
        ),
    ] = None,
    run: Annotated[
        str, typer.Option("--run", metavar="RUN", help="The run whose recording is replayed.")
    ] = "latest",
    project: ProjectOption = None,
    as_json: JsonOption = False,
) -> int:
    """Replay one case under its control and a fault, beside its recording.

    Without --tool and --fault: every fault that the suite declares. A tool alone gets an
    error; a fault alone goes to the tool that the suite declares faults of.
    """
    from oloproof.records.case_report import ReplayList
    from oloproof.reporting.terminal.replay import write_replays
    from oloproof.workflows.replay import replay as replay_case

    one = tool is not None or fault is not None
    if occurrence is not None and not one:
        raise typer.BadParameter("--occurrence goes with --tool or --fault")
    reports = replay_case(
        start_of(project),
        case,
        run=run,
        tool=tool,
        fault=fault,
        occurrence=1 if occurrence is None else occurrence,
        warn=tell,
    )
    if not as_json:
        show(lambda page: write_replays(page, reports))
    elif one:
        [report] = reports
        show_json(report)
    else:
        show_json(ReplayList(case=case, replays=reports))
    return 0
