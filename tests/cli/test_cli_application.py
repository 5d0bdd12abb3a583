"""The application is laid out as far as a command needs it."""

from __future__ import annotations

import gc

import pytest
from typer.main import get_command

from oloproof.cli import main
from oloproof.cli.application import COMMANDS, build


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_pays_for_no_other(name: str) -> None:
    """Where a command is named, it alone is laid out, as it is among all of them."""
    alone, among = get_command(build(name)), get_command(build())
    assert [name] == list(alone.commands)  # type: ignore[attr-defined]
    assert among.commands[name].get_short_help_str(80) == (  # type: ignore[attr-defined]
        alone.commands[name].get_short_help_str(80)  # type: ignore[attr-defined]
    )


@pytest.mark.parametrize("name", ["", "--help", "rum"])
def test_what_names_no_command_gets_all(name: str) -> None:
    """Help lists every command, and a wrong name is compared with every one."""
    assert list(COMMANDS) == list(get_command(build(name)).commands)  # type: ignore[attr-defined]


def test_garbage_is_collected_as_before_afterwards() -> None:
    """A command that is called from a program leaves the collector as it found it."""
    before, frozen = gc.get_threshold(), gc.get_freeze_count()
    main(["--version"])
    assert (before, frozen) == (gc.get_threshold(), gc.get_freeze_count())
