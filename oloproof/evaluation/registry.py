"""Binds the lines under `evaluators:` to evaluators, each type a module imported on demand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from oloproof.bookkeeping import NO_BOOKKEEPING
from oloproof.errors import ConfigurationError, suggest
from oloproof.evaluation.chosen import ForCases
from oloproof.evaluation.contract import CaseCheck
from oloproof.evaluation.dimensions import summaries
from oloproof.evaluation.options import OptionError
from oloproof.evaluation.outputs import OutputCheck
from oloproof.evaluation.schemas.paths import refuse_unknown_places
from oloproof.evaluation.setting import Setting
from oloproof.evaluation.states.expected import ExpectedStates
from oloproof.evaluation.states.snapshots import StateCheck
from oloproof.kinds import EVALUATORS
from oloproof.paths import MISSING, Absent
from oloproof.records.case import IDENTITY
from oloproof.suites.case_files import JsonLines
from oloproof.suites.located import Document, read_document
from oloproof.suites.suite import RawEvaluator

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from oloproof.bookkeeping import Bookkeeping
    from oloproof.canonical import JsonValue
    from oloproof.evaluation.contract import Evaluator
    from oloproof.evaluation.dimensions import DimensionSpec
    from oloproof.suites.suite import Suite, TransformSpec

_STATE_MATCHES: Final = "state_matches"
_OF_OUTPUTS: Final = frozenset({"exact_match", "claims"})
"""The types that tell whether an output is the expected one."""


def bind_all(
    lines: Sequence[RawEvaluator],
    transforms: Iterable[TransformSpec],
    dimensions: Sequence[DimensionSpec] = (),
    bookkeeping: Bookkeeping = NO_BOOKKEEPING,
    *,
    with_baselines: bool = False,
    root: Path | None = None,
) -> list[Evaluator]:
    """The evaluators of a suite in order; `ConfigurationError` names the line that is wrong.

    Those of its `dimensions` come last. A type may be the project's in `root` itself. Refused
    are unknown types and options, names that refer to nothing, and a metric that two
    evaluators would make.
    """
    names = tuple(transform.name for transform in transforms)
    setting = _setting(lines, names, bookkeeping)._replace(with_baselines=with_baselines, root=root)
    _refuse_unknown_dimensions(lines, [dimension.name for dimension in dimensions])
    bound = _bind_lines(lines, setting)
    _refuse_repeated_metrics(bound)
    evaluators = [evaluator for _, evaluator in bound]
    checks = [
        (e.inner, frozenset(e.patterns)) if isinstance(e, ForCases) else (e, None)
        for e in evaluators
    ]
    refuse_unknown_places((check, of) for check, of in checks if isinstance(check, StateCheck))
    if not dimensions:
        return evaluators
    dimension_of = {
        evaluator.metric: str(line.options["dimension"])
        for line, evaluator in bound
        if "dimension" in line.options
    }
    made = summaries(evaluators, dimension_of, dimensions)
    _refuse_metrics_of_that_name(bound, [summary.metric for summary in made])
    return evaluators + made


def _bind_lines(
    lines: Iterable[RawEvaluator], setting: Setting
) -> list[tuple[RawEvaluator, Evaluator]]:
    """The evaluators with their lines; lines that have the same baseline share it."""
    bound: list[tuple[RawEvaluator, Evaluator]] = []
    baselines: list[Evaluator] = []
    for line in lines:
        for evaluator in bind(line, setting):
            if evaluator.transform == IDENTITY:
                if evaluator in baselines:
                    continue
                baselines.append(evaluator)
            bound.append((line, evaluator))
    return bound


def bind_one(options: Mapping[str, JsonValue], suite: Suite) -> Evaluator:
    """The one evaluator of options that stand in no file, within a suite."""
    line = RawEvaluator(_document(dict(options), Path("given")), ())
    names = tuple(transform.name for transform in suite.transforms)
    setting = _setting(suite.evaluators, names, suite.system.bookkeeping)
    try:
        (made,) = bind(line, setting)
    except ConfigurationError as error:
        # There is no line to name: of `given:1: fault` only the option says something.
        option = (error.where or "").partition(": ")[2]
        where = f"the option `{option}`" if option else None
        raise ConfigurationError(error.what, where=where, fix=error.fix) from None
    return made


def lines_of(options: Iterable[Mapping[str, JsonValue]], path: Path) -> tuple[RawEvaluator, ...]:
    """Lines whose options are known already, as those of a stored run; `path` is for errors."""
    values: list[JsonValue] = [dict(line) for line in options]
    document = _document(values, path)
    return tuple(RawEvaluator(document, (position,)) for position in range(len(values)))


def _document(value: JsonValue, path: Path) -> Document:
    return Document(path, value, lines={}, digest="")


def bind(line: RawEvaluator, setting: Setting) -> list[Evaluator]:
    """The evaluators that one line makes."""
    module = _module(line, setting.root)
    options = line.read(module.Options)
    try:
        made: list[Evaluator] = EVALUATORS.build(
            line.type, module, options, _setting_of(line, setting), where=line.where()
        )
    except OptionError as error:
        raise ConfigurationError(error.what, where=line.where(error.field), fix=error.fix) from None
    if not isinstance(made, list) or not all(isinstance(check, CaseCheck) for check in made):
        raise ConfigurationError(
            f"evaluator `{line.type}`: `build` gave something else than a list of checks",
            where=line.where(),
            fix="give a list of objects whose classes derive from `CaseCheck`",
        )
    if options.cases is None:
        return made
    return [ForCases(check, options.cases, line.where("cases")) for check in made]


def kept_options(line: RawEvaluator) -> dict[str, Any]:
    """The options of a line with what its files hold instead of their names: for a stored run."""
    root = line.document.path.parent
    inlined: Callable[..., dict[str, Any]] | None = getattr(_module(line, root), "inlined", None)
    return line.options if inlined is None else inlined(line.options, _reader(line))


def _setting_of(line: RawEvaluator, setting: Setting) -> Setting:
    # Lines that stand in no file of the user's have no folder beside which files could be.
    if not line.document.path.is_absolute():
        return setting._replace(where=line.where)
    return setting._replace(where=line.where, read=_reader(line))


def _reader(line: RawEvaluator) -> Callable[[str], JsonValue]:
    def read(name: str, *, missing: JsonValue | Absent = MISSING) -> JsonValue:
        path = line.document.path.parent / name
        if not isinstance(missing, Absent) and not path.exists():
            return missing
        if path.suffix == ".jsonl":
            return [value for _, _, value in JsonLines(path, "the file").read()]
        return read_document(path, "the file").value

    return read


def expected_states(lines: Iterable[RawEvaluator]) -> ExpectedStates:
    """How the suite compares the world of each case: as its lines of `state_matches` do."""
    found = []
    for line in lines:
        if line.type == _STATE_MATCHES and line.options.get("of") != "active":
            options: Any = line.read(_module(line, None).Options)
            found.append((options.cases, options.comparison()))
    return ExpectedStates(tuple(found))


def _setting(
    lines: Iterable[RawEvaluator], transforms: tuple[str, ...], bookkeeping: Bookkeeping
) -> Setting:
    """What the lines of a suite may know of each other."""
    lines = tuple(lines)
    setting = Setting(transforms, expected_states(lines), bookkeeping)
    judges = (check for line in lines if line.type in _OF_OUTPUTS for check in bind(line, setting))
    return setting._replace(
        output_checks=tuple(check for check in judges if isinstance(check, OutputCheck))
    )


def _module(line: RawEvaluator, root: Path | None) -> Any:
    return EVALUATORS.find(line.type, where=line.where("type"), root=root)


def _refuse_unknown_dimensions(lines: Sequence[RawEvaluator], known: list[str]) -> None:
    for line in lines:
        name = line.options.get("dimension")
        if name is not None and name not in known:
            raise ConfigurationError(
                f"the suite declares no dimension `{name}`",
                where=line.where("dimension"),
                fix=suggest(str(name), known) if known else f"declare it: `dimensions: [{name}]`",
            )


def _refuse_metrics_of_that_name(
    bound: list[tuple[RawEvaluator, Evaluator]], taken: list[str]
) -> None:
    for line, evaluator in bound:
        if evaluator.metric in taken:
            raise ConfigurationError(
                f"the metric `{evaluator.metric}` has the name that belongs to the scorecard",
                where=line.where(),
                fix="give it a name of its own: `criterion: another_name`",
            )


def _refuse_repeated_metrics(bound: list[tuple[RawEvaluator, Evaluator]]) -> None:
    makers: dict[str, RawEvaluator] = {}
    for line, evaluator in bound:
        first = makers.setdefault(evaluator.metric, line)
        if first is not line:
            raise ConfigurationError(
                f"the metric `{evaluator.metric}` is made twice: here and at {first.where()}",
                where=line.where(),
                fix="give one of them a name of its own: `criterion: another_name`",
            )
