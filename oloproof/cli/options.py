"""The options that several commands share, and the project they speak of."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

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
