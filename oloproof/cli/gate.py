"""`oloproof gate`."""

from __future__ import annotations

from oloproof.cli.options import JsonOption, PolicyOption, ProjectOption, RunArgument, start_of
from oloproof.cli.output import show, show_json, tell


def gate(
    run: RunArgument = "latest",
    policy: PolicyOption = None,
    project: ProjectOption = None,
    as_json: JsonOption = False,
) -> int:
    """Decide a stored run again, without running anything, and exit on its gate.

    `oloproof --help` lists the exit codes.
    """
    from oloproof.reporting.terminal.gate import write_gate_of
    from oloproof.workflows.gate import gate as decide

    report = decide(start_of(project), run=run, policy=policy, warn=tell)
    assert report.gate is not None, "deciding a run sets its gate"
    if as_json:
        show_json(report)
    else:
        show(lambda page: write_gate_of(page, report))
    return report.gate.exit_code
