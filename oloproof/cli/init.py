"""`oloproof init`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from oloproof.cli.options import JsonOption  # noqa: TC001  # typer reads it at run time
from oloproof.cli.output import show, show_json

_LIST: Final = "list"


def init(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="The folder to write to.")] = Path(),
    example: Annotated[
        str | None,
        typer.Option(
            "--example",
            metavar="NAME",
            help="Lay out a worked example; `list` names them.",
            show_default=False,
        ),
    ] = None,
    system: Annotated[
        str | None,
        typer.Option(
            "--system",
            metavar="MODULE:ATTR",
            help="Write a project around a system of your own.",
            show_default=False,
        ),
    ] = None,
    ci: Annotated[
        str | None,
        typer.Option(
            "--ci",
            metavar="NAME",
            help="Add a workflow for continuous integration: `github`.",
            show_default=False,
        ),
    ] = None,
    as_json: JsonOption = False,
) -> int:
    """Write a project to start from; a file that exists is never overwritten."""
    if example is not None and system is not None:
        raise typer.BadParameter("--example and --system exclude each other")
    if example == _LIST:
        return _list_examples(as_json=as_json)
    from oloproof.reporting.terminal.init import write_init
    from oloproof.workflows.init import init as write_project

    report = write_project(path, example=example, system=system, ci=ci)
    if as_json:
        show_json(report)
    else:
        show(lambda page: write_init(page, report))
    return 0


def _list_examples(*, as_json: bool) -> int:
    from oloproof.records.project_report import ExampleLine, ExampleList
    from oloproof.reporting.terminal.init import write_examples
    from oloproof.workflows.init import examples

    known = [ExampleLine(name=name, description=text) for name, text in examples()]
    report = ExampleList(examples=known)
    if as_json:
        show_json(report)
    else:
        show(lambda page: write_examples(page, report))
    return 0
