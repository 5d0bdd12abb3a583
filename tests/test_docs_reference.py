"""The reference leaves nothing out and makes nothing up: it is held against the code."""

from __future__ import annotations

import ast
import importlib
import json
import re
import typing
from typing import Any, get_args

import pytest
from docs_pages import ROOT
from pydantic import BaseModel
from pydantic_core import PydanticUndefined
from typer.main import get_command

import oloproof
from oloproof.cli.application import build
from oloproof.evaluation.claims.judges import JudgeFields
from oloproof.evaluation.comparing.rules import NORMALISERS
from oloproof.evaluation.faults import recovery
from oloproof.evaluation.options import EvaluatorOptions
from oloproof.evaluation.states.options import TolerancesFields
from oloproof.evaluation.turns import TurnOptions
from oloproof.gating.findings import Reason
from oloproof.kinds import EVALUATORS, TRANSFORMS
from oloproof.paths import parse
from oloproof.recording.endings import OBSTACLES
from oloproof.records.evidence import Divergence, OutcomeStatus
from oloproof.suites import suite_fields
from oloproof.suites.case_fields import _FIELDS as CASE_FIELDS
from oloproof.suites.case_fields import _FILE_FIELDS as FILE_FIELDS
from oloproof.suites.labels import _FIELDS as LABEL_FIELDS
from oloproof.suites.policy import Policy, Rule

REFERENCE = ROOT / "docs" / "reference"


def sections(name: str) -> dict[str, str]:
    """The text below each heading of a reference page, by the heading without backticks."""
    parts = re.split(r"^##+ (.*)$", (REFERENCE / name).read_text(), flags=re.MULTILINE)
    return {
        title.replace("`", ""): text for title, text in zip(parts[1::2], parts[2::2], strict=True)
    }


def table(text: str) -> dict[str, list[str]]:
    """The rows of the tables in a text by the code in their first cell, which may be several."""
    rows = {}
    for line in text.splitlines():
        if line.startswith("| `"):
            cells = [cell.strip() for cell in line.strip("|").split(" | ")]
            for name in re.findall(r"`([^`]+)`", cells[0]):
                rows[name] = cells
    return rows


def codes(text: str) -> set[str]:
    return set(re.findall(r"`([^`\n]+)`", text))


COMMAND: Any = get_command(build())


def every_command(group: Any = COMMAND, name: str = "", parent: Any = None) -> dict[str, Any]:
    """Each command with its context, by its name; those of a group after the group's."""
    context = group.make_context(name or "oloproof", [], parent=parent, resilient_parsing=True)
    found = {name: (group, context)}
    for word, command in getattr(group, "commands", {}).items():
        found |= every_command(command, f"{name} {word}".strip(), context)
    return found


COMMANDS = every_command()


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_is_documented(name: str) -> None:
    """Each command has a section with all of its arguments and options, and no other."""
    command, context = COMMANDS[name]
    text = sections("commands.md")[f"oloproof {name}".strip()]
    options: set[str] = set()
    for parameter in command.get_params(context):
        if parameter.param_type_name == "argument":
            assert (parameter.metavar or parameter.name).upper() in text
        else:
            options.update(parameter.opts)
    documented = {word for code in table(text) for word in code.split() if word.startswith("-")}
    assert options == documented


def test_every_exit_code_is_documented() -> None:
    """The table of exit codes has those of the help."""
    told = set(re.findall(r"\b\d+\b", COMMAND.epilog))
    rows = re.findall(r"^\| (\d+) \|", sections("commands.md")["Exit codes"], re.MULTILINE)
    assert told == set(rows)


def test_every_public_name_is_documented() -> None:
    """Every name of `oloproof.__all__` stands in the table of names."""
    intro = (REFERENCE / "python.md").read_text().partition("\n## ")[0]
    assert set(oloproof.__all__) == codes(intro) - {"import oloproof"}


RECORDS = [name for name in oloproof.__all__ if hasattr(getattr(oloproof, name), "model_fields")]


@pytest.mark.parametrize("name", RECORDS)
def test_every_field_of_a_record_is_documented(name: str) -> None:
    """The table of a record has all of its fields, and names those of the objects in them."""
    model = getattr(oloproof, name)
    text = sections("python.md")[name]
    properties = {key for key, value in vars(model).items() if isinstance(value, property)}
    assert set(model.model_fields) | properties - {"model_extra", "model_fields_set"} == set(
        table(text)
    )
    for inner in inner_models(model):
        if inner.__name__ not in RECORDS:
            names = {field.alias or key for key, field in inner.model_fields.items()}
            assert names <= codes(text), inner.__name__


def inner_models(model: type[BaseModel]) -> list[type[BaseModel]]:
    """The models that a model's fields hold."""

    def within(annotation: Any) -> list[type[BaseModel]]:
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            return [annotation]
        return [found for part in get_args(annotation) for found in within(part)]

    return [found for field in model.model_fields.values() for found in within(field.annotation)]


def told_default(value: Any) -> str:
    """A default as a table tells it."""
    if value is None:
        return "none"
    if isinstance(value, tuple | list):
        return f"`[{', '.join(map(str, value))}]`"
    return f"`{json.dumps(value) if not isinstance(value, str) else value}`"


def check_fields(model: type[BaseModel], text: str, besides: set[str] = frozenset()) -> None:
    """The table in `text` has the fields of `model` but those `besides`, with their defaults."""
    rows = table(text)
    fields = {field.alias or key: field for key, field in model.model_fields.items()}
    assert set(fields) - besides == set(rows)
    for name in rows:
        field = fields[name]
        default = rows[name][2]
        if field.is_required():
            assert default == "required", name
        elif field.default_factory is not None and field.default_factory_takes_validated_data:
            assert default not in ("", "required"), name
        elif isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            assert default == "see below", name
        else:
            value = field.default
            if value is PydanticUndefined:
                value = field.default_factory()  # type: ignore[call-arg,misc]  # checked above
            assert default == told_default(value), name


@pytest.mark.parametrize(
    ("page", "section", "model"),
    [
        ("suite.md", "The file", suite_fields.SuiteFields),
        ("suite.md", "system", suite_fields.SystemSpec),
        ("suite.md", "concurrency", suite_fields.Concurrency),
        ("suite.md", "retries", suite_fields.Retries),
        ("suite.md", "dimensions", suite_fields.DimensionFields),
        ("suite.md", "metamorphic", suite_fields.Metamorphic),
        ("suite.md", "metamorphic.transforms", suite_fields.TransformFields),
        ("policy.md", "The file", Policy),
        ("policy.md", "rules", Rule),
    ],
)
def test_every_field_of_a_file_is_documented(
    page: str, section: str, model: type[BaseModel]
) -> None:
    """Each field of the suite and the policy stands in its table, with its default."""
    check_fields(model, sections(page)[section])


def test_every_object_in_the_suite_has_its_table() -> None:
    """A new object within the suite or the policy needs a table of its own."""
    waiting = [suite_fields.SuiteFields, Policy]
    found = set()
    while waiting:
        model = waiting.pop()
        found.add(model.__name__)
        waiting += inner_models(model)
    tested = {"SuiteFields", "SystemSpec", "Concurrency", "Retries", "Metamorphic"}
    assert tested | {"DimensionFields", "TransformFields", "Policy", "Rule"} == found


@pytest.mark.parametrize(
    ("section", "fields"),
    [("Cases", CASE_FIELDS), ("Large states", FILE_FIELDS), ("Labels", LABEL_FIELDS)],
)
def test_every_field_of_a_case_is_documented(section: str, fields: Any) -> None:
    """Each field of a case, of a state in a file and of a label stands in its table."""
    assert set(fields) == set(table(sections("cases.md")[section]))


@pytest.mark.parametrize("name", EVALUATORS.names())
def test_every_evaluator_is_documented(name: str) -> None:
    """Each type has a section whose table has all of its options, with their defaults."""
    options = importlib.import_module(f"oloproof.evaluators.{name}").Options
    text = sections("evaluators.md")[name]
    head, _, rest = text.partition("| option |")
    assert "" != head.strip()
    check_fields(options, rest.partition("\n\n")[0], set(TurnOptions.model_fields))
    intro = (REFERENCE / "evaluators.md").read_text().partition("\n## ")[0]
    assert name in codes(intro)


def test_what_evaluators_share_is_documented() -> None:
    """The options of every type, those of `tolerance`, and the normalisers."""
    text = (REFERENCE / "evaluators.md").read_text()
    check_fields(
        EvaluatorOptions, text[text.index("| option of every") : text.index("| option by turn")]
    )
    shared = set(EvaluatorOptions.model_fields)
    check_fields(TurnOptions, text[text.index("| option by turn") : text.index("## Ver")], shared)
    check_fields(TolerancesFields, text[text.index("| field of `tolerance`") : text.index("```ya")])
    claims = sections("evaluators.md")["How words are read"]
    check_fields(JudgeFields, claims[claims.index("| field of `judge`") :])
    assert set(NORMALISERS) <= codes(sections("evaluators.md")["state_matches"])


ENDS = ("raised", "exited", "timed_out")
"""How a call of `reset` or `replay` can end beside well: other words are put together of these."""


def words_in_code() -> set[str]:
    """Every reason and label that the code can give, read out of it."""
    words = {ruling.word for _, ruling in recovery._TABLE}
    words |= set(get_args(OutcomeStatus)) - {"completed"}
    words |= {recovery.OUTCOME_UNKNOWN, recovery.NO_RECORDED_STATE}
    words |= {f"source_without_{kind}" for kind in ("output", "trajectory", "state")}
    words |= {f"no_recorded_{kind}" for kind in ("trajectory", "state")}
    words |= {f"{call}_{end}" for call in ("reset", "replay") for end in ENDS}
    words.add("replay_killed")
    words |= OBSTACLES
    for folder in ("evaluators", "evaluation", "recording", "replaying", "workflows"):
        for path in (ROOT / "oloproof" / folder).glob("*.py"):
            words |= _words_of(ast.parse(path.read_text()))
    return words


def _words_of(tree: ast.AST) -> set[str]:
    """The words given to `missing`, `not_applicable`, and as label, reason or unavailable."""
    given: list[ast.expr] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            named = {"label", "reason", "unavailable", "idle"}
            given += [word.value for word in node.keywords if word.arg in named]
            name = ast.unparse(node.func)
            if name in ("missing", "not_applicable") or name.endswith((".stop", ".lack", ".idle")):
                given += node.args[:1]
        elif (
            isinstance(node, ast.FunctionDef) and ast.unparse(node.returns or node) == "str | None"
        ):
            given += [n.value for n in ast.walk(node) if isinstance(n, ast.Return) and n.value]
    constants = [n for part in given for n in ast.walk(part) if isinstance(n, ast.Constant)]
    texts = {str(n.value) for n in constants if isinstance(n.value, str)}
    return {text for text in texts if re.fullmatch(r"[a-z]+(_[a-z]+)+", text)}


def test_every_word_of_a_verdict_is_documented() -> None:
    """Each reason and label stands in the page on evaluators."""
    annotation: Any = Divergence.__annotations__["kind"]
    kinds = get_args(eval(annotation.__forward_arg__, vars(typing)))
    words = words_in_code() | set(kinds)
    documented = codes((REFERENCE / "evaluators.md").read_text())
    assert set() == words - documented
    assert {"not_replayable", "no_source", "no_output", "raised", "gave_up"} <= words


def test_every_reason_of_a_decision_is_documented() -> None:
    """The table of decisions has exactly the reasons that a rule can be given."""
    rows = re.findall(
        r"^\| [A-Z_]+ \| `(\w+)` \|", sections("policy.md")["Decisions"], re.MULTILINE
    )
    assert sorted(get_args(Reason)) == sorted(rows)


def test_missing_replays_are_explained() -> None:
    """What the reference lists as reasons is explained, of either way of replaying, one by one."""
    listed = table(sections("evaluators.md")["Replays that do not count"])
    docs = ROOT / "docs"
    by_hand = (docs / "how-to" / "write-a-replay.md").read_text()
    recorded = (docs / "explanation" / "replay.md").read_text()
    divergences = recorded.partition("| divergence |")[2].partition("\n\n")[0]
    reasons = recorded.partition("| reason |")[2].partition("\n\n")[0]
    explained = {
        "by hand": set(table(by_hand.partition("## Why a replay can be missing")[2])),
        "recorded tools": set(table(divergences)) | set(table(reasons)),
    }
    for way, words in explained.items():
        assert words == {w for w, row in listed.items() if row[1] in (way, "both")} - {
            "not_replayed"
        }


def test_notes_of_replays_are_explained() -> None:
    """What a recording or replay remarks stands in the page on replays."""
    made = {
        str(node.args[0].value)
        for path in (ROOT / "oloproof" / "recording").glob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func) == "Note"
        and isinstance(node.args[0], ast.Constant)
    }
    text = (ROOT / "docs" / "explanation" / "replay.md").read_text()
    remarks = table(text.partition("| note |")[2].partition("\n\n")[0])
    assert made - OBSTACLES == set(remarks)


def test_paths_can_be_read() -> None:
    """Every path that the page on paths shows is one."""
    written = table((REFERENCE / "paths.md").read_text().partition("\n- ")[0])
    assert 9 == len(written)
    for text in written:
        assert parse(text).segments


def test_every_kind_of_transform_is_documented() -> None:
    """Each has its row, by the field that names it."""
    assert set(TRANSFORMS.names()) == set(table(sections("suite.md")["Kinds of transforms"]))
