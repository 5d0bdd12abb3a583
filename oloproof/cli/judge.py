"""`oloproof judge`."""

from __future__ import annotations

from typing import Annotated

import typer

from oloproof.cli.options import JsonOption, ProjectOption, start_of
from oloproof.cli.output import show, show_json, tell


def judge(
    metric: Annotated[
        str, typer.Argument(metavar="METRIC", help="The metric of a `claims` line with a judge.")
    ],
    provider: Annotated[
        str,
        typer.Option(
            "--with",
            metavar="MODULE:FUNCTION",
            help="What asks the model: function(instruction, message, says) gives its answer.",
        ),
    ],
    run: Annotated[str, typer.Option(help="The number of a run, or `latest`.")] = "latest",
    project: ProjectOption = None,
    as_json: JsonOption = False,
) -> int:
    """Ask a model of the claims whose words are unclear, and keep its raw verdicts."""
    from oloproof.reporting.terminal.pairs import write_judge
    from oloproof.workflows.judge import judge as ask

    report = ask(start_of(project), metric, provider, run=run, warn=tell)
    if as_json:
        show_json(report)
    else:
        show(lambda page: write_judge(page, report))
    return 0
