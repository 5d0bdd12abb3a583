"""Every screen with the report it shows, by the name of its snapshot."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import reporting_samples as samples

from oloproof.records.case_report import ReplayList
from oloproof.reporting.terminal.cache import (
    write_check,
    write_export,
    write_import,
    write_list,
    write_prune,
)
from oloproof.reporting.terminal.case import write_case, write_cases
from oloproof.reporting.terminal.check import write_check as write_conformance
from oloproof.reporting.terminal.checkpoints import write_checkpoints
from oloproof.reporting.terminal.gate import write_gate_of
from oloproof.reporting.terminal.init import write_examples, write_init
from oloproof.reporting.terminal.pairs import write_judge, write_pairs
from oloproof.reporting.terminal.replay import write_replays
from oloproof.reporting.terminal.run import write_run
from oloproof.reporting.terminal.runs import write_runs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from oloproof.records.report import Report
    from oloproof.reporting.terminal.page import Page


class Screen(NamedTuple):
    """A report and what writes it."""

    write: Callable[[Page, Report], None]
    report: Report

    def on(self, page: Page, report: Report | None = None) -> Page:
        self.write(page, report or self.report)
        return page


def _write_replays(page: Page, report: ReplayList) -> None:
    write_replays(page, report.replays)


REPLAYS = ReplayList(case="ord-004", replays=[samples.REPLAY, samples.UNTRUSTED])
RECORDED = ReplayList(case="ord-004", replays=[samples.RECORDED, samples.UNABLE])
SCREENS: Final[Mapping[str, Screen]] = {
    "run": Screen(write_run, samples.RUN),
    "gate": Screen(write_gate_of, samples.RUN),
    "case": Screen(write_case, samples.CASE),
    "cases": Screen(write_cases, samples.CASES),
    "replay": Screen(_write_replays, REPLAYS),
    "replay-recorded": Screen(_write_replays, RECORDED),
    "checkpoints": Screen(write_checkpoints, samples.CHECKPOINTS),
    "check": Screen(write_conformance, samples.CHECK),
    "check-sound": Screen(write_conformance, samples.SOUND),
    "runs": Screen(write_runs, samples.RUNS),
    "pairs": Screen(write_pairs, samples.PAIRS),
    "judge": Screen(write_judge, samples.JUDGED),
    "init": Screen(write_init, samples.INIT),
    "examples": Screen(write_examples, samples.EXAMPLES),
    "cache-list": Screen(write_list, samples.CACHE_LIST),
    "cache-verify": Screen(write_check, samples.CACHE_VERIFY),
    "cache-prune": Screen(write_prune, samples.CACHE_PRUNE),
    "cache-export": Screen(write_export, samples.CACHE_EXPORT),
    "cache-import": Screen(write_import, samples.CACHE_IMPORT),
}
