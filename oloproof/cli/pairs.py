"""`oloproof pairs`."""

from __future__ import annotations

from typing import Annotated

import typer

from oloproof.cli.options import JsonOption, ProjectOption, start_of
from oloproof.cli.output import show, show_json


def pairs(
    transform: Annotated[
        str, typer.Argument(metavar="TRANSFORM", help="The name of a transform of the suite.")
    ],
    print_only: Annotated[
        bool, typer.Option("--print", help="Show the pairs and write nothing.")
    ] = False,
    project: ProjectOption = None,
    as_json: JsonOption = False,
) -> int:
    """Write the unlabelled pairs of a transform, both texts on a line, for a person to label."""
    from oloproof.reporting.terminal.pairs import write_pairs
    from oloproof.workflows.pairs import pairs as list_pairs

    report = list_pairs(start_of(project), transform, write=not print_only)
    if as_json:
        show_json(report)
    else:
        show(lambda page: write_pairs(page, report))
    return 0
