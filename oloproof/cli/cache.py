"""`oloproof cache`: list, verify, prune, export and import."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, TypeAlias

import typer

from oloproof.cli.options import Commands, JsonOption, ProjectOption, start_of
from oloproof.cli.output import show, show_json, tell

NOT_WHOLE: Final = 1
USAGE: Final = 2

FileArgument: TypeAlias = Annotated[
    Path, typer.Argument(metavar="FILE", help="The file, from the current folder.")
]

app = typer.Typer(cls=Commands, rich_markup_mode=None)


@app.callback(invoke_without_command=True)
def cache(context: typer.Context) -> int:
    """Look after the store: the evidence that runs have left.

    Exit codes: 0 done and whole, 1 something is damaged or missing, 2 usage or a store that
    cannot be used.
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(USAGE)
    return 0


@app.command("list", short_help="Say what the store holds.")
def list_(project: ProjectOption = None, as_json: JsonOption = False) -> int:
    """Say what the store holds: runs, results, objects, and what lies beside it.

    Nothing is checked; `oloproof cache verify` does that.
    """
    from oloproof.reporting.terminal.cache import write_list
    from oloproof.workflows.cache import list_cache

    report = list_cache(start_of(project), warn=tell)
    if as_json:
        show_json(report)
    else:
        show(lambda page: write_list(page, report))
    return 0


@app.command(short_help="Check that everything in the store is whole.")
def verify(project: ProjectOption = None, as_json: JsonOption = False) -> int:
    """Compare every object with its digest, and see that nothing is missing.

    Exits with 1 where something is damaged or missing, and says what is made again.
    """
    from oloproof.reporting.terminal.cache import write_check
    from oloproof.workflows.cache import verify_cache

    report = verify_cache(start_of(project), warn=tell)
    if as_json:
        show_json(report)
    else:
        show(lambda page: write_check(page, report))
    return 0 if report.whole else NOT_WHOLE


@app.command(short_help="Drop old runs and what only they need.")
def prune(
    keep_runs: Annotated[
        int,
        typer.Option("--keep-runs", metavar="N", min=1, help="How many of the newest runs stay."),
    ] = 10,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be dropped, and drop nothing.")
    ] = False,
    project: ProjectOption = None,
    as_json: JsonOption = False,
) -> int:
    """Drop all but the newest runs, then the evidence that none of these rests on.

    What is dropped is gone: export it first where it may be asked for. Nothing is dropped
    while a run is going on.
    """
    from oloproof.reporting.terminal.cache import write_prune
    from oloproof.workflows.cache import prune_cache

    report = prune_cache(start_of(project), keep_runs=keep_runs, dry_run=dry_run, warn=tell)
    if as_json:
        show_json(report)
    else:
        show(lambda page: write_prune(page, report))
    return 0


@app.command(short_help="Write runs with their evidence to a file.")
def export(
    file: FileArgument,
    run: Annotated[
        str | None,
        typer.Option(
            "--run",
            metavar="RUN",
            help="One run, by its number or as `latest` (default: all that have ended).",
            show_default=False,
        ),
    ] = None,
    project: ProjectOption = None,
    as_json: JsonOption = False,
) -> int:
    """Write runs with everything they rest on to one file, for another store to import.

    Every object is checked first. Exits with 1 where something had to be left out.
    """
    from oloproof.reporting.terminal.cache import write_export
    from oloproof.workflows.cache import export_cache

    report = export_cache(start_of(project), file, run=run, warn=tell)
    if as_json:
        show_json(report)
    else:
        show(lambda page: write_export(page, report))
    return 0 if report.whole else NOT_WHOLE


@app.command("import", short_help="Take runs over from such a file.")
def import_(file: FileArgument, project: ProjectOption = None, as_json: JsonOption = False) -> int:
    """Take over from a file what is not there yet; nothing is overwritten.

    The runs get new numbers. A file of which anything is damaged is refused.
    """
    from oloproof.reporting.terminal.cache import write_import
    from oloproof.workflows.cache import import_cache

    report = import_cache(start_of(project), file, warn=tell)
    if as_json:
        show_json(report)
    else:
        show(lambda page: write_import(page, report))
    return 0
