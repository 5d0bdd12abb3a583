"""The JSON of every report, and its schemas."""

from __future__ import annotations

import orjson
import pytest
import reporting_samples as samples
from reporting_hostile import hostile
from reporting_refresh import SCHEMAS, expected
from reporting_screens import SCREENS

from oloproof.records.report import ErrorDetail, ErrorReport, Report
from oloproof.reporting.json import REPORTS, dumps, schema

ERROR = ErrorReport(error=ErrorDetail(what="w", where=None, fix=None, exit_code=2))
ALL = [*(screen.report for screen in SCREENS.values()), samples.REPLAY, ERROR]


@pytest.mark.parametrize("report", ALL, ids=lambda report: type(report).__name__)
def test_json_holds_the_whole_report(report: Report) -> None:
    """What is written is the report again when it is read."""
    for one in (report, hostile(report)):
        assert one == type(one).model_validate_json(dumps(one))


def test_json_is_indented_and_ends_its_line() -> None:
    """The same bytes everywhere: readable, and a whole text file."""
    assert b'{\n  "error": {\n    "what": "w",' == dumps(ERROR)[:31]
    assert dumps(ERROR).endswith(b"}\n")


def test_every_report_has_a_sample() -> None:
    """A report that is added gets a sample, and so all the tests here."""
    assert set(REPORTS.values()) == {type(report) for report in ALL}


@pytest.mark.parametrize("path", expected(), ids=lambda path: path.name)
def test_generated_files_are_fresh(path: object) -> None:
    """Schemas and snapshots are those of the code; `reporting_refresh.py` writes them again."""
    assert expected()[path] == path.read_bytes()  # type: ignore[attr-defined, index]


def test_no_schema_is_left_over() -> None:
    """Every committed schema is that of a report there is."""
    assert {f"{name}.json" for name in REPORTS} == {path.name for path in SCHEMAS.iterdir()}


@pytest.mark.parametrize("name", REPORTS)
def test_a_schema_says_what_every_field_is_in(name: str) -> None:
    """A schema names its dialect, allows no other field and requires all that are written."""
    made = orjson.loads(schema(name))
    assert made["$schema"].endswith("2020-12/schema")
    assert made["additionalProperties"] is False
    assert set(made["properties"]) == set(made["required"])


@pytest.mark.parametrize("name", REPORTS)
def test_every_schema_is_documented(name: str) -> None:
    """The reference names every schema."""
    assert f"(schemas/{name}.json)" in (SCHEMAS.parent / "json.md").read_text(encoding="utf-8")
