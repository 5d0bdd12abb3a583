"""The screens of `oloproof cache`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from oloproof.reporting.terminal.text import count, moment, size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from oloproof.records.store_report import (
        CacheCheck,
        CacheExport,
        CacheFile,
        CacheImport,
        CacheList,
        CachePrune,
        CacheRun,
        CheckedKind,
        ImportedRun,
    )
    from oloproof.reporting.terminal.page import Page, Part

_AT: Final = 11
_SHOWN_FILES: Final = 10
_KINDS: Final = {
    "run": "runs",
    "manifest": "manifests",
    "summary": "counts of runs",
    "rows": "parts of rows",
    "pairs": "lists of pairs",
    "case": "cases",
    "state": "states",
    "evidence": "evidence",
    "replay": "replays",
    "result": "results",
    "note": "notes",
    "unreferenced": "unreferenced",
}


def write_list(page: Page, report: CacheList) -> None:
    """What the store holds, then a row a run."""
    page.write(("store", "bold"), f"  {report.path}, {size(report.size_bytes)}", hang=2)
    held = f"{count(report.objects, 'object')}, {count(report.results, 'result')}"
    page.labelled(("holds", "dim"), f"{held}, {count(len(report.runs), 'run')}", at=_AT)
    if report.unused_bytes:
        page.labelled(("unused", "dim"), f"{size(report.unused_bytes)} of the file", at=_AT)
    _write_files(page, "waiting", report.journals, "which the next run takes over")
    _write_files(page, "set aside", report.set_aside, "which could not be read")
    if not report.runs:
        page.gap()
        page.write("No run is stored yet; `oloproof run` makes the first.")
        return
    names = ("run", "started", "status", "cases", "results", "evidence")
    head: list[Part] = [(name, "dim") for name in names]
    page.gap()
    page.table([head, *map(_run_row, report.runs)], "rllrrr")
    page.gap()
    page.write("Results and evidence are put down to the run that made them first.")
    elsewhere = report.results - sum(run.results for run in report.runs)
    if elsewhere > 0:
        page.write(f"{count(elsewhere, 'result')} came from runs that are not here any more.")


def _run_row(run: CacheRun) -> list[Part]:
    return [
        f"{run.run}",
        moment(run.started_at),
        run.status,
        ("damaged", "bold red") if run.cases is None else f"{run.cases:,}",
        f"{run.results:,}",
        size(run.size_bytes),
    ]


def _write_files(page: Page, label: str, files: Sequence[CacheFile], what: str) -> None:
    if not files:
        return
    total = size(sum(file.size_bytes for file in files))
    page.labelled((label, "dim"), f"{count(len(files), 'file')}, {total}, {what}", at=_AT)
    with page.indented(_AT):
        for file in files[:_SHOWN_FILES]:
            page.write(f"{file.name}  {size(file.size_bytes)}", hang=2)
        if len(files) > _SHOWN_FILES:
            page.write(f"and {len(files) - _SHOWN_FILES:,} more")


def write_check(page: Page, report: CacheCheck) -> None:
    """What was checked, what is not whole, and what becomes of it; the verdict last."""
    page.write(("store", "bold"), f"  {report.path}", hang=2)
    for problem in report.problems:
        page.labelled(("problem", "bold red"), problem, at=_AT)
    if report.kinds:
        head: list[Part] = [(name, "dim") for name in ("", "checked", "damaged", "missing")]
        page.gap()
        page.table([head, *map(_kind_row, report.kinds)], "lrrr")
    if report.runs:
        page.gap()
        page.labelled(("affected", "dim"), _runs(report.runs), at=_AT)
    for sentence in report.made_anew:
        page.gap()
        page.write(sentence)
    page.gap()
    if report.whole:
        page.write(("WHOLE", "bold green"), f"  {count(report.objects, 'object')} checked")
    else:
        page.write(("NOT WHOLE", "bold red"), f"  {count(report.objects, 'object')} checked")


def _kind_row(kind: CheckedKind) -> list[Part]:
    return [_KINDS[kind.kind], f"{kind.checked:,}", _bad(kind.damaged), _bad(kind.missing)]


def _bad(number: int) -> Part:
    return (f"{number:,}", "bold red") if number else "0"


def write_prune(page: Page, report: CachePrune) -> None:
    """What went, or would go, what stays, and how large the file is now."""
    page.write(("store", "bold"), f"  {report.path}", hang=2)
    label = "would drop" if report.dry_run else "dropped"
    evidence = f"{count(report.results, 'result')}, {count(report.objects, 'object')}"
    gone = f"{_runs(report.dropped)}; {evidence} ({size(report.object_bytes)})"
    at = max(_AT, len(label) + 2)
    page.labelled((label, "dim"), gone, at=at)
    page.labelled(("keeps" if report.dry_run else "kept", "dim"), _runs(report.kept), at=at)
    if report.kept_beyond:
        page.labelled(
            "",
            f"{_runs(report.kept_beyond)} among them, on which later ones rest: failed cases "
            "were tried again there, and gates say so",
            at=at,
        )
    if report.dry_run:
        page.labelled(("size", "dim"), size(report.size_before_bytes), at=at)
        return
    before, after = size(report.size_before_bytes), size(report.size_after_bytes)
    page.labelled(("size", "dim"), f"{after}, was {before}", at=at)
    if report.not_smaller:
        page.gap()
        page.write(
            f"The file could not be made smaller now ({report.not_smaller}); what is free in it "
            "is used again."
        )


def write_export(page: Page, report: CacheExport) -> None:
    """What was written, what was not, and the digest of all of it."""
    page.write(("written to ", "bold"), f"{report.file}, {size(report.size_bytes)}", hang=2)
    held = f"{count(report.objects, 'object')}, {count(report.results, 'result')}"
    page.labelled(("holds", "dim"), f"{_runs(report.runs)}; {held}", at=_AT)
    if report.added:
        page.labelled(
            "",
            f"{_runs(report.added)} among them, on which the others rest: failed cases were "
            "tried again there, and gates say so",
            at=_AT,
        )
    if report.running:
        page.labelled(("without", "dim"), f"{_runs(report.running)}, still running", at=_AT)
    page.labelled(("digest", "dim"), report.digest, at=_AT)
    if not report.whole:
        page.gap()
        page.write(("NOT WHOLE", "bold red"), f"  left out: {_left_out(report)}", hang=2)
        page.write("`oloproof cache verify` says what is damaged.")


def _left_out(report: CacheExport) -> str:
    parts = []
    if report.left_out:
        parts.append(f"{_runs(report.left_out)}, which cannot be read whole")
    if report.lost_results:
        parts.append(f"{count(report.lost_results, 'piece')} of evidence of other results")
    return "; ".join(parts)


def write_import(page: Page, report: CacheImport) -> None:
    """What was taken, what was there already, and what was refused and why."""
    page.write(("read from ", "bold"), report.file, hang=2)
    page.labelled(("digest", "dim"), report.digest, at=_AT)
    taken = f"{count(report.results, 'result')}, {count(report.objects, 'object')}"
    page.labelled(("taken", "dim"), f"{_imported(report.runs, 'taken')}; {taken}", at=_AT)
    if report.results_there or any(run.status == "there" for run in report.runs):
        there = f"{_imported(report.runs, 'there')}; {count(report.results_there, 'result')}"
        page.labelled(("there", "dim"), f"{there}, left as they were", at=_AT)
    for run in report.runs:
        if run.status == "refused":
            why = f"run {run.run_there}: {run.reason}"
            page.labelled(("refused", "bold red"), why, at=_AT)
    if report.results_refused:
        page.labelled(
            ("refused", "bold red"),
            f"{count(report.results_refused, 'result')}: a module that the system loads was "
            "another one there, under the same source digest",
            at=_AT,
        )


def _imported(runs: Sequence[ImportedRun], status: str) -> str:
    """The runs of one status with their numbers there and here."""
    pairs = [(run.run_there, run.run) for run in runs if run.status == status]
    if not pairs:
        return "no run"
    told = ", ".join(f"{a}" if a == b else f"{a} (here {b})" for a, b in pairs)
    return f"{'run' if len(pairs) == 1 else 'runs'} {told}"


def _runs(numbers: Sequence[int]) -> str:
    """Runs by their numbers, stretches of them as such: `runs 1 to 7, 9`."""
    if not numbers:
        return "no run"
    stretches: list[list[int]] = []
    for number in sorted(numbers):
        if stretches and number == stretches[-1][-1] + 1:
            stretches[-1].append(number)
        else:
            stretches.append([number])
    told = [f"{s[0]} to {s[-1]}" if len(s) > 2 else ", ".join(map(str, s)) for s in stretches]
    return f"{'run' if len(numbers) == 1 else 'runs'} {', '.join(told)}"
