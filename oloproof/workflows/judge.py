"""`oloproof judge`: ask a model of the claims whose words are unclear, and keep what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from oloproof.engine.contexts import context_of
from oloproof.engine.project import load_project
from oloproof.errors import ConfigurationError, suggest
from oloproof.evaluation.chosen import ForCases
from oloproof.evaluation.claims.judges import outcome_of
from oloproof.records.case_report import JudgementLine, JudgeReport
from oloproof.suites.files import append_lines
from oloproof.systems.loading import load_function
from oloproof.views.rows import StoredRun
from oloproof.views.stored import Warn, find_run, in_silence, open_store, read_run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from oloproof.engine.project import Project
    from oloproof.evaluation.claims.judges import Judge
    from oloproof.suites.suite import RawEvaluator


def judge(
    folder: Path, metric: str, provider: str, *, run: str = "latest", warn: Warn = in_silence
) -> JudgeReport:
    """Ask `provider` of every unclear claim of a run that was not judged yet.

    It is `module:function`, called as `function(instruction, message, says)`, and gives the
    raw verdict as text. What it said is kept at once, so that nothing is asked twice.
    """
    project = load_project(folder)
    line, declared = _declared(project, metric)
    chosen = declared if isinstance(declared, ForCases) else None
    check: Any = declared if chosen is None else chosen.inner
    ask = load_function(provider, project.suite.root)
    path = _judgements_of(line)
    asked: list[JudgementLine] = []
    with open_store(folder, warn) as (_, store):
        stored = StoredRun.open(store, read_run(store, find_run(store, run, where="--run")))
        for row in stored.rows():
            for unit in stored.restore(row).units:
                if chosen is not None and not chosen.speaks_of(unit.case):
                    continue
                for message in check.unclear(context_of(unit, None)):
                    digest = check.judge.digest(message, check.patterns)
                    if digest not in check.judge.known and all(
                        digest != one.digest for one in asked
                    ):
                        asked.append(_asked(ask, check, digest, unit.case.id, message))
                        _keep(path, check, asked[-1])
    return JudgeReport(metric=metric, written_to=str(path), judged=asked)


def _declared(project: Project, metric: str) -> tuple[RawEvaluator, Any]:
    """The line and the check of a metric that has a judge."""
    with_judge = {
        evaluator.metric: evaluator
        for evaluator in project.evaluators
        if getattr(getattr(evaluator, "inner", evaluator), "judge", None) is not None
    }
    check = with_judge.get(metric)
    if check is None:
        raise ConfigurationError(
            f"no check of the suite that makes the metric `{metric}` has a `judge`",
            fix=suggest(metric, with_judge)
            if with_judge
            else "declare one on a `claims` line: `judge: {model: …, version: …, …}`",
        )
    line = next(
        line
        for line in project.suite.evaluators
        if line.type == "claims" and line.options.get("criterion", "claims") == metric
    )
    return line, check


def _asked(
    ask: Callable[..., Any], check: Any, digest: str, case: str, message: str
) -> JudgementLine:
    judge: Judge = check.judge
    raw = ask(judge.instruction, message, list(check.patterns))
    if not isinstance(raw, str):
        raise ConfigurationError(
            f"the judge gave a {type(raw).__name__} for a message of case `{case}`",
            fix="give the model's answer as text, beginning with asserted, denied, "
            "not_asserted or unclear",
        )
    return JudgementLine(
        case=case, digest=digest, message=message, raw=raw, outcome=outcome_of(raw)
    )


def _judgements_of(line: RawEvaluator) -> Path:
    """The file that judgements are added to, which the suite was read with."""
    name = str(line.options["judge"]["judgements"])
    if not name.endswith(".jsonl"):
        raise ConfigurationError(
            f"judgements can be added to JSON Lines alone, and not to `{name}`",
            where=line.where("judge", "judgements"),
            fix="name a file that ends in .jsonl, with one judgement a line; what the other "
            "holds can be put there as it is, a line each",
        )
    return line.document.path.parent / name


def _keep(path: Path, check: Any, line: JudgementLine) -> None:
    """Add a judgement to its file; what stands there stays as it is."""
    judge: Judge = check.judge
    kept: Any = {
        "digest": line.digest,
        "model": judge.model,
        "version": judge.version,
        "instruction": judge.instruction,
        "message": line.message,
        "says": list(check.patterns),
        "raw": line.raw,
    }
    append_lines(path, [kept], what="the file of judgements")
