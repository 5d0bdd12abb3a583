"""`oloproof replay`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from oloproof.cli.options import JsonOption, ProjectOption, start_of
from oloproof.cli.output import show, show_json, tell

if TYPE_CHECKING:
    from pathlib import Path

    from oloproof.records.faults import Duration

_EVERY_FAULT: Final = "all"


def replay(
    case: Annotated[str, typer.Argument(metavar="CASE", help="The id of a case.")],
    listed: Annotated[
        bool,
        typer.Option("--list", help="List the calls from which the case can be replayed."),
    ] = False,
    tool: Annotated[
        str | None,
        typer.Option("--tool", metavar="T", help="The tool that is to fail.", show_default=False),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="M", help="Or the model.", show_default=False),
    ] = None,
    fault: Annotated[
        str | None,
        typer.Option(
            "--fault",
            metavar="F",
            help="How it fails, such as `error`; `all` for every fault.",
            show_default=False,
        ),
    ] = None,
    occurrence: Annotated[
        int | None,
        typer.Option(
            "--occurrence",
            metavar="N",
            min=1,
            help="At which of its calls (default: 1).",
            show_default=False,
        ),
    ] = None,
    step: Annotated[
        int | None,
        typer.Option(
            "--step",
            metavar="N",
            min=1,
            help="The step of the call, instead of its name and --occurrence.",
            show_default=False,
        ),
    ] = None,
    duration: Annotated[
        str | None,
        typer.Option(
            "--duration",
            metavar="D",
            help="For how many of its calls: `once` (the default), `always` or a number.",
            show_default=False,
        ),
    ] = None,
    run: Annotated[
        str, typer.Option("--run", metavar="RUN", help="The run whose recording is replayed.")
    ] = "latest",
    project: ProjectOption = None,
    as_json: JsonOption = False,
) -> int:
    """Replay one case under its control and a fault, beside its recording.

    Without --tool, --model, --step and --fault: every fault that the suite declares. A call
    alone gets an error; a fault alone goes to what the suite declares faults of.
    """
    named = [tool, model, fault, step]
    if listed:
        if any(given is not None for given in [*named, occurrence, duration]):
            raise typer.BadParameter("--list shows every call: name none beside it")
        return _list(case, run, project, as_json=as_json)
    if step is not None and any(given is not None for given in (tool, model, occurrence)):
        raise typer.BadParameter("--step names the call: leave its name and --occurrence out")
    if tool is not None and model is not None:
        raise typer.BadParameter("one call fails: name it with --tool or with --model")
    if occurrence is not None and all(given is None for given in (tool, model, fault)):
        raise typer.BadParameter("--occurrence goes with --tool, --model or --fault")
    one = any(given is not None for given in named)
    if duration is not None and not one:
        raise typer.BadParameter("--duration goes with --tool, --model, --step or --fault")
    options: dict[str, Any] = {
        "tool": tool,
        "model": model,
        "fault": fault,
        "occurrence": 1 if occurrence is None else occurrence,
        "step": step,
        "duration": _duration(duration),
    }
    return _replay(case, run, project, options, one=one, as_json=as_json)


def _replay(
    case: str, run: str, project: Path | None, options: dict[str, Any], *, one: bool, as_json: bool
) -> int:
    from oloproof.records.case_report import ReplayList
    from oloproof.reporting.terminal.replay import write_replays
    from oloproof.workflows.replay import replay as replay_case

    reports = replay_case(start_of(project), case, run=run, **options, warn=tell)
    if not as_json:
        show(lambda page: write_replays(page, reports))
    elif one and options["fault"] != _EVERY_FAULT:
        [report] = reports
        show_json(report)
    else:
        show_json(ReplayList(case=case, replays=reports))
    return 0


def _list(case: str, run: str, project: Path | None, *, as_json: bool) -> int:
    from oloproof.reporting.terminal.checkpoints import write_checkpoints
    from oloproof.workflows.replay import checkpoints

    report = checkpoints(start_of(project), case, run=run, warn=tell)
    if as_json:
        show_json(report)
    else:
        show(lambda page: write_checkpoints(page, report))
    return 0


def _duration(given: str | None) -> Duration:
    if given is None or given == "once":
        return "once"
    if given == "always":
        return "always"
    if not given.isdecimal() or int(given) < 1:
        raise typer.BadParameter(f"--duration is `once`, `always` or a number, not `{given}`")
    return "once" if int(given) == 1 else int(given)
