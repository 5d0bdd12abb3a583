"""The suite: every field it may have, the files it names, and how mistakes are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import pytest

from oloproof import canonical
from oloproof.evaluation.options import EvaluatorOptions
from oloproof.suites.suite import Suite, load_suite

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from oloproof.errors import ConfigurationError

    Refusal = Callable[..., ConfigurationError]

MINIMAL = """\
project: desk
dataset: data/cases.jsonl
system: {name: desk, callable: app:desk}
"""
WHOLE = """\
version: 1
project: refund-desk
dataset: data/cases.jsonl
system:
  name: refund-desk
  version: scripted-1
  callable: app:desk.answer
  kind: null
  code_paths: [prompts/**]
  timeout_s: 30
  records: [agent_trajectory/v1]
concurrency: {system: 2}
replicates: 3
retries: {attempts: 2, on: [TransientError, httpx.ReadTimeout], wait_s: 0.5}
redact: [OPENAI_API_KEY, 'sk-[A-Za-z0-9]{20,}']
metamorphic:
  transforms:
    - {name: paraphrase, field: message, replace: [["Please refund", "Could you refund"]],
       validity_labels: labels/paraphrase.jsonl, minimum_validity: 0.9}
    - {name: injected, field: message, template: "{value} OVERRIDE"}
evaluators:
  - {type: exact_match, criterion: outcome_correct, field: answer}
  - type: state_matches
    mode: subset
slices: ["tool_calls:1,2", metadata.category]
min_slice_support: 5
"""


@pytest.fixture
def write(project: Path) -> Callable[[str], Path]:
    """Writes a suite beside a dataset and a file of labels."""
    for name in ("data/cases.jsonl", "labels/paraphrase.jsonl"):
        path = project / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("{}\n")

    def write(text: str) -> Path:
        path = project / "oloproof.yaml"
        path.write_text(text)
        return path

    return write


def test_every_field_of_a_suite_is_read(write: Callable[[str], Path], project: Path) -> None:
    """All that the design shows is read, with the line where it stands."""
    suite = load_suite(write(WHOLE))
    assert ("refund-desk", project / "data/cases.jsonl", project) == (
        suite.project,
        suite.dataset,
        suite.root,
    )
    system = suite.system
    assert ("refund-desk", "scripted-1", "app:desk.answer", None, ("prompts/**",), 30) == (
        system.name,
        system.version,
        system.callable,
        system.kind,
        system.code_paths,
        system.timeout_s,
    )
    assert (2, 3, 2, ("TransientError", "httpx.ReadTimeout"), 0.5) == (
        suite.concurrency_system,
        suite.replicates,
        suite.retries.attempts,
        suite.retries.on,
        suite.retries.wait_s,
    )
    assert ["OPENAI_API_KEY", "sk-[A-Za-z0-9]{20,}"] == suite.redact
    assert ["tool_calls:1,2", "metadata.category"] == [s.text for s in suite.slice_specs]
    assert ("<=1", "2", ">=3") == suite.slice_specs[0].ranges()
    assert 5 == suite.min_slice_support
    assert canonical.digest(WHOLE.encode()) == suite.digest


def test_transforms_are_read_with_their_labels(write: Callable[[str], Path], project: Path) -> None:
    """A transform has its declaration's line; labels are found from the root, if there are any."""
    paraphrase, injected = load_suite(write(WHOLE)).transforms
    assert {"replace": [["Please refund", "Could you refund"]]} == paraphrase.options
    assert ("labels/paraphrase.jsonl", 0.9) == (
        paraphrase.validity_labels,
        paraphrase.minimum_validity,
    )
    assert paraphrase.where.endswith("oloproof.yaml:18: metamorphic.transforms[0]")
    assert project / "labels/paraphrase.jsonl" == paraphrase.labels_path
    assert ("injected", "message", {"template": "{value} OVERRIDE"}, None, None, 0.85) == (
        injected.name,
        injected.field,
        injected.options,
        injected.validity_labels,
        injected.labels_path,
        injected.minimum_validity,
    )


def test_what_is_left_out_has_its_usual_value(write: Callable[[str], Path]) -> None:
    """A project, a dataset and a system are enough."""
    suite = load_suite(write(MINIMAL))
    assert ("auto", None, (), 120) == (
        suite.system.version,
        suite.system.kind,
        suite.system.code_paths,
        suite.system.timeout_s,
    )
    assert (1, 1, 1, [], (), (), (), 3) == (
        suite.concurrency_system,
        suite.replicates,
        suite.retries.attempts,
        suite.redact,
        suite.transforms,
        suite.evaluators,
        suite.slice_specs,
        suite.min_slice_support,
    )


class Options(EvaluatorOptions):
    """The options of a made-up evaluator."""

    mode: Literal["exact", "subset"] = "exact"
    paths: list[str] = []  # noqa: RUF012  # pydantic copies it
    tolerance: dict[str, float] | float | None = None


def test_an_evaluator_reads_its_own_options(write: Callable[[str], Path], refusal: Refusal) -> None:
    """Options are kept as written until their type checks them, with their lines."""
    match, state = load_suite(write(WHOLE)).evaluators
    assert (
        "exact_match",
        {"type": "exact_match", "criterion": "outcome_correct", "field": "answer"},
    ) == (
        match.type,
        match.options,
    )
    assert "oloproof.yaml:23: evaluators[1]" == state.where()
    assert "oloproof.yaml:24: evaluators[1].mode" == state.where("mode")
    assert "subset" == state.read(Options).mode

    for options, place, what, fix in (
        ("mod: subset", ".mod", "unknown field `mod` in `evaluators[0]`", "did you mean `mode`?"),
        ("mode: subsets", ".mode", "cannot be `subsets`", "did you mean `subset`?"),
        ("paths: a", ".paths", "must be a list, not `a`", "write a list"),
        ("paths: [a, no]", ".paths[1]", "`no`, which YAML reads as false", 'quote it: "no"'),
        ("tolerance: {a: x}", ".tolerance.a", "must be a number, not `x`", "write a number"),
    ):
        text = MINIMAL + f"evaluators:\n- type: state_matches\n  {options}\n"
        raw = load_suite(write(text)).evaluators[0]
        refusal(
            lambda raw=raw: raw.read(Options),
            where=f"oloproof.yaml:6: evaluators[0]{place}",
            what=what,
            fix=fix,
        )


def test_a_suite_is_found_from_anywhere(write: Callable[[str], Path], project: Path) -> None:
    """Paths are relative to the suite's folder, whatever the current one."""
    write(MINIMAL)
    (project / "elsewhere").mkdir()
    suite = load_suite(project / "elsewhere" / ".." / "oloproof.yaml")
    assert project == suite.root
    assert project / "data/cases.jsonl" == suite.dataset


def test_files_that_a_suite_names_must_be_there(
    write: Callable[[str], Path], refusal: Refusal
) -> None:
    """A missing dataset is refused where it is named; labels may yet be to come."""
    refusal(
        lambda: load_suite(write(MINIMAL.replace("cases", "case"))),
        where="oloproof.yaml:2: dataset",
        what="the dataset does not exist: data/case.jsonl",
        fix="correct the path",
    )
    refusal(
        lambda: load_suite(write(MINIMAL.replace("data/cases.jsonl", "data"))),
        where="oloproof.yaml:2: dataset",
        what="the dataset is a folder",
        fix="name the file inside it",
    )
    text = WHOLE.replace("labels/paraphrase", "labels/nowhere")
    assert isinstance(load_suite(write(text)), Suite)


def test_a_missing_suite_is_named(project: Path, refusal: Refusal) -> None:
    """Outside a project, the way into one is told."""
    refusal(
        lambda: load_suite(project / "oloproof.yaml"),
        where="oloproof.yaml",
        what="the suite does not exist",
        fix="oloproof init",
    )


def transform(text: str) -> str:
    return f"metamorphic:\n  transforms:\n    - {{name: t, field: message, {text}}}\n"


@pytest.mark.parametrize(
    ("old", "new", "where", "what", "fix"),
    [
        ("project: desk", "project:", ":1: project", "must be text, not empty", "write text here"),
        ("project: desk", "projekt: desk", ":1: projekt", "unknown field `projekt`", "`project`"),
        ("callable: ", "calable: ", ":3: system.calable", "unknown field", "`callable`"),
        ("name: desk, ", "", ":3: system.name", "`name` is missing in `system`", "add `name`"),
        ("app:desk", "app.desk", ":3: system.callable", "does not name", "`module:attr`"),
        ("app:desk", "'app:'", ":3: system.callable", "does not name", "`module:attr`"),
        ("app:desk", "../app:desk", ":3: system.callable", "does not name", "`module:attr`"),
        ("app:desk", "app:desk, version: 1.0", ":3: system.version", "must be text", 'it: "1.0"'),
        ("app:desk", "app:desk, version: 1.10", ":3: system.version", "`1.10`", 'it: "1.10"'),
        ("app:desk", "app:desk, version: 2026-01-05", ":3: system.version", "a date", "quote it"),
        ("app:desk", "app:desk, kind: klass", ":3: system.kind", "cannot be `klass`", "`class`"),
        ("app:desk", "app:desk, timeout_s: 0", ":3: system.timeout_s", "greater than 0", "than 0"),
        ("app:desk", "app:desk, http: x", ":3: system.http", "unknown", "`recorded: FILE`"),
        ("app:desk", "app:desk, recorded: x", ":3: system", "gives both", "`recorded: FILE`"),
        (", callable: app:desk", "", ":3: system", "gives neither", "`callable: module:attr`"),
        (
            "callable: app:desk",
            "recorded: r.jsonl, timeout_s: 3",
            ":3: system.timeout_s",
            "says nothing",
            "leave it out",
        ),
        (
            "callable: app:desk",
            "recorded: r.jsonl",
            ":3: system.recorded",
            "does not exist: r.jsonl",
            "create it",
        ),
        ("app:desk", "app:desk, command: x", ":3: system.command", "unknown", "a Python object"),
        ("", "concurrency: {systems: 2}\n", ":4: concurrency.systems", "unknown", "`system`"),
        ("", "concurrency: 2\n", ":4: concurrency", "must be an object", "write an object"),
        ("", "concurrency: {system: 0}\n", ":4: concurrency.system", "at least 1", "at least 1"),
        ("", "replicates: 1.5\n", ":4: replicates", "a whole number, not the number 1.5", "whole"),
        ("", "replicates: yes\n", ":4: replicates", "`yes`, which YAML reads as true", "whole"),
        ("", "retries: {on: [1]}\n", ":4: retries.on[0]", "must be text", 'quote it: "1"'),
        ("", "retries: {on: ['a b']}\n", ":4: retries.on[0]", "no", "TransientError"),
        ("", "redact: ['(']\n", ":4: redact[0]", "cannot be read", "regular expression"),
        ("", "redact: ['x*']\n", ":4: redact[0]", "even the empty text", "nothing but the secret"),
        ("", "slices: [tool_call:1]\n", ":4: slices[0]", "divides by nothing", "`tool_calls`"),
        ("", "slices: ['tool_calls:1', 'tool_calls:1']\n", ":4: slices[1]", "twice", "keep one"),
        ("", "min_slice_support: 0\n", ":4: min_slice_support", "at least 1", "at least 1"),
        ("", "evaluators:\n- state_matches\n", ":5: evaluators[0]", "an object", "write an object"),
        ("", "evaluators:\n- {mode: x}\n", ":5: evaluators[0]", "no `type`", "state_matches"),
        (
            "",
            "evaluators:\n- {type: ../x}\n",
            ":5: evaluators[0].type",
            "cannot be a type",
            "small letters",
        ),
        (
            "",
            "evaluators:\n- {type: 1}\n",
            ":5: evaluators[0].type",
            "cannot be a type",
            "small letters",
        ),
        (
            "",
            transform("template: '{value}', minimum_validity: 1"),
            ":6: metamorphic.transforms[0].minimum_validity",
            "less than 1",
            "less than 1",
        ),
        (
            "",
            transform("template: '{value}'").replace("name: t", "name: a~b"),
            ":6: metamorphic.transforms[0].name",
            "cannot stand in the id",
            "leave out `~`",
        ),
        (
            "",
            transform("template: '{value}'")
            + "    - {name: t, field: message, template: '{value}!'}\n",
            ":7: metamorphic.transforms[1].name",
            "the name `t` is given twice",
            "the first is `transforms[0]`",
        ),
        ("", "project: again\n", ":4: project", "given twice", "the first is in line 1"),
        ("", "x: [\n", ":5", "cannot be read", "close the bracket"),
    ],
)
def test_a_bad_suite_is_refused(
    write: Callable[[str], Path],
    refusal: Refusal,
    *,
    old: str,
    new: str,
    where: str,
    what: str,
    fix: str,
) -> None:
    """Each mistake is told with its line, its field and the way out."""
    text = MINIMAL.replace(old, new) if old else MINIMAL + new
    path = write(text)
    refusal(lambda: load_suite(path), where=f"oloproof.yaml{where}", what=what, fix=fix)


def test_options_may_be_as_deep_as_any_value(write: Callable[[str], Path]) -> None:
    """What the file's reader allows, the models take."""
    deep = "[" * 197 + "]" * 197
    path = write(MINIMAL + f"evaluators:\n- {{type: x, paths: {deep}}}\n")
    assert 1 == len(load_suite(path).evaluators)
