"""The JSON behind `--json`: one report a command, the same bytes on a terminal and in a pipe."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import orjson

from oloproof.records.case_report import (
    CaseList,
    CaseReport,
    CheckpointList,
    JudgeReport,
    PairList,
    ReplayList,
    ReplayReport,
)
from oloproof.records.project_report import CheckReport, ExampleList, InitReport
from oloproof.records.report import ErrorReport, RunReport
from oloproof.records.store_report import (
    CacheCheck,
    CacheExport,
    CacheImport,
    CacheList,
    CachePrune,
    RunList,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from oloproof.records.report import Report

REPORTS: Final[Mapping[str, type[Report]]] = {
    "cache-export": CacheExport,
    "cache-import": CacheImport,
    "cache-list": CacheList,
    "cache-prune": CachePrune,
    "cache-verify": CacheCheck,
    "case": CaseReport,
    "cases": CaseList,
    "check": CheckReport,
    "checkpoints": CheckpointList,
    "error": ErrorReport,
    "examples": ExampleList,
    "init": InitReport,
    "judge": JudgeReport,
    "pairs": PairList,
    "replay": ReplayReport,
    "replays": ReplayList,
    "run": RunReport,
    "runs": RunList,
}
"""Every report by the name of its schema, `docs/reference/schemas/NAME.json`."""


def dumps(report: Report) -> bytes:
    """A report as JSON, indented, its fields in the order of the schema, with a line's end."""
    return orjson.dumps(report.model_dump(), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def schema(name: str) -> bytes:
    """The JSON Schema (2020-12) of the report called `name`, as it is committed."""
    made = REPORTS[name].model_json_schema(mode="serialization")
    return orjson.dumps(
        {"$schema": "https://json-schema.org/draft/2020-12/schema", **made},
        option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE,
    )
