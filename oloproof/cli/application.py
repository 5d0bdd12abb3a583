"""The typer application: which commands there are, in the order of their help."""

from __future__ import annotations

import importlib
from typing import Annotated, Final

import typer

from oloproof.cli.options import Commands
from oloproof.errors import EXIT_UNEXECUTED
from oloproof.version import VERSION

PROGRAM: Final = "oloproof"
USAGE: Final = 2

COMMANDS: Final = {
    "init": "Write a project to start from.",
    "run": "Run what is not known yet, and decide the gate.",
    "gate": "Decide a stored run again.",
    "inspect": "List the cases of a run, or show all of one.",
    "replay": "Replay a case under a fault, beside its recording.",
    "check": "Say whether the system can be replayed, and why not.",
    "runs": "List the stored runs.",
    "pairs": "Write the unlabelled pairs of a transform.",
    "judge": "Ask a model of claims whose words are unclear.",
    "cache": "Look after the stored evidence.",
}
"""The commands, each in the module of its name, and what they do in a few words."""


def build(named: str = "") -> typer.Typer:
    """The application with all its commands, or with only the one that is `named`.

    Laying out one takes a millisecond, so that a command pays for no other.
    """
    app = typer.Typer(
        cls=Commands,
        # Plain help: rich is imported only by what prints a screen, which `--help` is not.
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["--help", "-h"]},
        epilog="Exit codes: 0 allowed or warned, 1 FAIL, 2 usage or configuration, "
        f"3 INSUFFICIENT_EVIDENCE, 4 MANUAL_REVIEW, {EXIT_UNEXECUTED} cases unexecuted or "
        "interrupted, 70 an error of Oloproof's own.",
    )
    app.callback(invoke_without_command=True)(root)
    for name in [named] if named in COMMANDS else COMMANDS:
        module = importlib.import_module(f"oloproof.cli.{name}")
        if hasattr(module, "app"):
            app.add_typer(module.app, name=name, short_help=COMMANDS[name])
        else:
            app.command(short_help=COMMANDS[name])(getattr(module, name))
    return app


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"{PROGRAM} {VERSION}")
        raise typer.Exit


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
