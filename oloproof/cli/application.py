"""The typer application: which commands there are, in the order of their help."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from oloproof.cli.cache import app as cache
from oloproof.cli.gate import gate
from oloproof.cli.groups import Commands
from oloproof.cli.init import init
from oloproof.cli.inspect import inspect
from oloproof.cli.pairs import pairs
from oloproof.cli.replay import replay
from oloproof.cli.run import run
from oloproof.cli.runs import runs
from oloproof.version import VERSION

PROGRAM: Final = "oloproof"
USAGE: Final = 2


app = typer.Typer(
    cls=Commands,
    # Plain help: rich is imported only by what prints a screen, which `--help` is not.
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
    epilog="Exit codes: 0 allowed or warned, 1 FAIL, 2 usage or configuration, "
    "3 INSUFFICIENT_EVIDENCE, 4 MANUAL_REVIEW, 5 cases unexecuted or interrupted, "
    "70 an error of Oloproof's own.",
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"{PROGRAM} {VERSION}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def root(
    context: typer.Context,
    _version: Annotated[
        bool,
        typer.Option(
            "--version", is_eager=True, callback=_show_version, help="Show the version and exit."
        ),
    ] = False,
) -> int:
    """Decide whether a stateful agent may be released.

    Oloproof runs an agent on cases in a sandbox, compares the world it left with the world
    as it should be, replays it under faults, and decides a gate.
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(USAGE)
    return 0


app.command(short_help="Write a project to start from.")(init)
app.command(short_help="Run what is not known yet, and decide the gate.")(run)
app.command(short_help="Decide a stored run again.")(gate)
app.command(short_help="List the cases of a run, or show all of one.")(inspect)
app.command(short_help="Replay a case under a fault, beside its recording.")(replay)
app.command(short_help="List the stored runs.")(runs)
app.command(short_help="Write the unlabelled pairs of a transform.")(pairs)
app.add_typer(cache, name="cache", short_help="Look after the stored evidence.")
