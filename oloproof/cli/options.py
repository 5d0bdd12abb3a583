"""Options and arguments that commands share, and the groups in which help lists them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer
from typer.core import TyperGroup

from oloproof.errors import ConfigurationError, suggest


class Commands(TyperGroup):
    """A group of commands."""

    # `Any`, since typer brings its own context class in some versions and click's in others.
    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command of a name; `ConfigurationError` where there is none."""
        name = args[0]
        if not ctx.resilient_parsing and self.get_command(ctx, name) is None:
            raise ConfigurationError(
                f"there is no command `{name}`",
                where=f"the arguments of `{ctx.command_path}`",
                fix=suggest(name, self.list_commands(ctx)),
            )
        return super().resolve_command(ctx, args)


ProjectOption: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--project",
        "-C",
        metavar="DIR",
        exists=True,
        file_okay=False,
        help="The folder of the project, or one below it: oloproof.yaml is looked for there and "
        "then upward (default: from the current folder).",
        show_default=False,
    ),
]
PolicyOption: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--policy",
        metavar="FILE",
        help="The policy to decide by (default: release.yaml of the project).",
        show_default=False,
    ),
]
JsonOption: TypeAlias = Annotated[
    bool,
    typer.Option("--json", help="Write JSON instead of a screen, also for errors."),
]
RunArgument: TypeAlias = Annotated[
    str,
    typer.Argument(metavar="RUN", help="The number of a stored run, or `latest`."),
]


def start_of(given: Path | None) -> Path:
    """The folder from which the project is looked for: `given`, else the current one."""
    return Path.cwd() if given is None else given
