"""Groups of commands that name the nearest one where there is none of the name given."""

from __future__ import annotations

from typing import Any

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
                mend=suggest(name, self.list_commands(ctx)),
            )
        return super().resolve_command(ctx, args)
