"""Where everything is printed: screens and JSON on stdout, all that goes beside them on stderr."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from typing import TYPE_CHECKING, Final, TextIO

if TYPE_CHECKING:
    from collections.abc import Callable

    from oloproof.errors import OloproofError
    from oloproof.records.report import Report
    from oloproof.reporting.terminal.page import Page

_PIPED_WIDTH: Final = 80
_WIDEST: Final = 120
_NARROWEST: Final = 40
_HANG: Final = 2
_LABEL: Final = re.compile(r" +\w+: +")


def show(write: Callable[[Page], None]) -> None:
    """Lays out a screen with `write` and prints it."""
    from oloproof.reporting.terminal.page import Page

    page = Page(_width(sys.stdout), _encoding(sys.stdout))
    write(page)
    coloured = is_terminal(sys.stdout) or os.environ.get("FORCE_COLOR")
    _put(sys.stdout, (_styled(page) if coloured else page.text) + "\n")


def show_json(report: Report) -> None:
    """Prints a report as JSON, in UTF-8 whatever the terminal writes."""
    from oloproof.reporting.json import dumps

    _put(sys.stdout, dumps(report))


def tell(text: str) -> None:
    """Prints lines beside the report, on stderr; one that is too long is wrapped."""
    from oloproof.reporting.terminal.text import hanging, visible

    encoding, width = _encoding(sys.stderr), _width(sys.stderr)
    for line in text.split("\n"):
        shown = visible(line, encoding)
        hang = min(_hang(shown), width // 2)
        _put(sys.stderr, "\n".join(hanging(shown, width, hang)) + "\n")


def _hang(line: str) -> int:
    """How far in a line goes on: where the text behind its label begins, else a little."""
    label = _LABEL.match(line)
    return label.end() if label else len(line) - len(line.lstrip(" ")) + _HANG


def tell_error(error: OloproofError, *, as_json: bool) -> None:
    """Prints what happened, where, and how to fix it; with `as_json` an object on stdout too."""
    tell(str(error))
    if as_json:
        from oloproof.records.report import ErrorDetail, ErrorReport

        detail = ErrorDetail(
            what=error.what, where=error.where, fix=error.fix, exit_code=error.exit_code
        )
        show_json(ErrorReport(error=detail))


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person sees what is written there as it is written."""
    return stream is not None and stream.isatty()


def mute_abandoned_stdout() -> bool:
    """Whether nobody reads stdout any more; then what is left for it goes nowhere, silently."""
    if sys.stdout is None or not _is_abandoned(sys.stdout):
        return False
    _mute(sys.stdout)
    return True


def _put(stream: TextIO | None, data: str | bytes) -> None:
    if stream is None:  # closed by the shell, as in `>&-`
        return
    try:
        if isinstance(data, bytes):
            stream.flush()
            stream.buffer.write(data)
        else:
            stream.write(data)
        stream.flush()
    except BrokenPipeError:
        _mute(stream)


def _is_abandoned(stream: TextIO) -> bool:
    import select

    try:
        stream.flush()
        watch = select.poll()
        watch.register(stream.fileno(), 0)
        return any(events & select.POLLERR for _, events in watch.poll(0))
    except BrokenPipeError:
        return True
    except (OSError, AttributeError):  # no file of the system's, or a system without `poll`
        return False


def _mute(stream: TextIO) -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def _encoding(stream: TextIO | None) -> str:
    return getattr(stream, "encoding", None) or "utf-8"


def _width(stream: TextIO | None) -> int:
    # In a pipe only COLUMNS counts, so that what is pasted from it is the same everywhere.
    declared = os.environ.get("COLUMNS", "")
    width = int(declared) if declared.isdecimal() else 0
    if stream is None or not is_terminal(stream):
        return max(width or _PIPED_WIDTH, _NARROWEST)
    with contextlib.suppress(OSError, ValueError):  # a terminal that is none of the system's
        width = width or os.get_terminal_size(stream.fileno()).columns
    return max(min(width or _PIPED_WIDTH, _WIDEST), _NARROWEST)


def _styled(page: Page) -> str:
    import io

    from rich.console import Console
    from rich.text import Text

    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=page.width, highlight=False)
    for line in page.lines:
        console.print(Text.assemble(*line.pieces), soft_wrap=True)
    return screen.getvalue().removesuffix("\n")
