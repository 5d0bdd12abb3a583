"""The way in: runs one command and turns whatever comes of it into an exit code."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sys
import threading
from typing import TYPE_CHECKING, Final

import typer
from typer.main import get_command

from oloproof.cli.application import PROGRAM, build
from oloproof.cli.output import mute_abandoned_stdout, tell, tell_error
from oloproof.errors import EXIT_UNEXECUTED, ConfigurationError, OloproofError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

OWN_ERROR: Final = 70


class _InterruptError(OloproofError):
    exit_code = EXIT_UNEXECUTED


class _OwnError(OloproofError):
    exit_code = OWN_ERROR


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command that `arguments` name (default: those of the process).

    Gives the exit code: that of the gate, 2 for a mistake in usage or configuration,
    5 when interrupted, 70 for an error of Oloproof's own.
    """
    if f"_{PROGRAM.upper()}_COMPLETE" in os.environ:
        build()(prog_name=PROGRAM)  # a shell asks for completions; typer answers and exits
    given = sys.argv[1:] if arguments is None else list(arguments)
    _accept_any_text()
    with _sigterm_as_interrupt():
        return _code_of(given)


@contextlib.contextmanager
def _sigterm_as_interrupt() -> Iterator[None]:
    """Take SIGTERM, by which CI ends a job, as Ctrl-C: it loses no more than that does.

    Afterwards it is what it was, since the process may be another program's.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL if before is None else before)


def _code_of(given: list[str]) -> int:
    try:
        return _invoke(given)
    except typer.Exit as end:
        return end.exit_code
    except OloproofError as error:
        return _fail(error, given)
    except KeyboardInterrupt:
        return _fail(_InterruptError("interrupted; what was done is kept"), given)
    except BaseException as error:  # also SystemExit: nothing below may choose the exit code
        if isinstance(error, BrokenPipeError) and mute_abandoned_stdout():
            return 0
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EIO):
            return _fail(_unwritable(error), given)
        return _fail(_usage_error(error) or _own_error(error), given)


def _invoke(arguments: list[str]) -> int:
    # Not the application itself: that turns an interrupt into 130 and a closed pipe into 1.
    command = get_command(build(*arguments[:1]))
    with command.make_context(PROGRAM, arguments) as context:
        code = command.invoke(context)
    assert isinstance(code, int), "every command gives its exit code"
    return code


def _accept_any_text() -> None:
    """Lets no character crash an output that cannot encode it."""
    for stream in (sys.stdout, sys.stderr):
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="backslashreplace")


def _fail(error: OloproofError, arguments: list[str]) -> int:
    tell_error(error, as_json="--json" in arguments)
    return error.exit_code


def _usage_error(error: BaseException) -> OloproofError | None:
    """A mistake in the arguments; typer's class for them has no public name in every version."""
    if not callable(message := getattr(error, "format_message", None)):
        return None
    context = getattr(error, "ctx", None)
    command = context.command_path if context else PROGRAM
    options = getattr(error, "possibilities", None)
    nearest = f"did you mean `{options[0]}`? " if options else ""
    return ConfigurationError(
        str(getattr(error, "message", "") if options else message()),
        where=f"the arguments of `{command}`",
        fix=f"{nearest}`{command} --help` lists what it takes",
    )


def _unwritable(error: OSError) -> OloproofError:
    return ConfigurationError(
        f"what was to be printed could not be written: {error.strerror}",
        where="standard output",
        fix="see whether the disk it goes to is full; `oloproof gate` decides the run again",
    )


def _own_error(error: BaseException) -> OloproofError:
    import traceback

    tell("".join(traceback.format_exception(error)).rstrip())
    return _OwnError(
        f"an error of Oloproof's own: {type(error).__name__}: {error}",
        fix="nothing was decided; please report it with the traceback above",
    )
