"""`state_schema`: every recorded state fits a JSON Schema."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, Field

from oloproof.errors import ConfigurationError
from oloproof.evaluation.comparing.differences import show, told_more
from oloproof.evaluation.contract import Comparison, failed, missing, passed
from oloproof.evaluation.options import OptionError
from oloproof.evaluation.schemas.schema import Schema, SchemaError
from oloproof.evaluation.states.snapshots import SnapshotOptions, StateCheck, unrecorded
from oloproof.paths import Absent
from oloproof.suites.explanation import describe
from oloproof.suites.validation import refuse

if TYPE_CHECKING:
    from collections.abc import Callable

    from oloproof.canonical import JsonValue
    from oloproof.evaluation.contract import Context, Evaluator, Verdict
    from oloproof.evaluation.schemas.schema import Violation
    from oloproof.evaluation.setting import Setting
    from oloproof.evaluation.turns import Conversation


def _schema_or_file(given: Any) -> Any:
    if isinstance(given, dict) or (isinstance(given, str) and given):
        return given
    raise refuse(
        f"`schema` must be a schema or the name of a file with one, not {describe(given)}",
        fix="write `schema: schemas/state.json`, or the schema itself",
    )


class Options(SnapshotOptions):
    """The schema itself, or the name of its file relative to the suite."""

    schema_: Annotated[Any, AfterValidator(_schema_or_file)] = Field(alias="schema")


def build(options: Options, setting: Setting) -> list[Evaluator]:
    """The one evaluator of a line."""
    return [
        StateSchema(
            metric=options.criterion_or_type,
            of=options.of,
            selector=options.selector,
            places=(),
            schema=_schema(options.schema_, setting),
        )
    ]


def inlined(options: dict[str, Any], read: Callable[[str], JsonValue]) -> dict[str, Any]:
    """The options with the schema itself in the place of its file's name."""
    given = options["schema"]
    return {**options, "schema": read(given)} if isinstance(given, str) else options


def _schema(given: str | dict[str, JsonValue], setting: Setting) -> Schema:
    try:
        if isinstance(given, dict):
            return Schema(given)
        return Schema(setting.read(given))
    except SchemaError as error:
        within = f" at {error.at}" if error.at else ""
        named = f"`{given}`" if isinstance(given, str) else "what is given"
        raise OptionError(
            "schema", f"{named} is no JSON Schema{within}: {error.what}", fix=error.fix
        ) from None
    except ConfigurationError as error:
        if error.where is not None and "does not exist" not in error.what:
            raise
        raise OptionError("schema", error.what, fix=error.fix or "") from None


@dataclass(frozen=True, slots=True)
class StateSchema(StateCheck):
    """The states after the selected turns against a schema."""

    schema: Schema

    def evaluate(self, context: Context) -> Verdict:
        """A failure where a state does not fit, missing without a recorded one."""
        return self.judge_turns(context, self._judge)

    def _judge(self, conversation: Conversation, turn: int) -> Verdict:
        state = conversation.state(self.of, turn)
        if isinstance(state, Absent):
            return unrecorded(conversation, self.of, turn)
        try:
            violations = self.schema.violations(state)
        except RecursionError:
            return missing("state_too_deep", detail="it is nested too deep for the schema")
        if not violations:
            return passed(compared=(Comparison("", state, state, True),))
        return failed(
            detail=_told(violations[0]) + told_more(violations),
            compared=tuple(
                Comparison(str(found.path), found.asked, found.actual, False, "by the schema")
                for found in violations
            ),
        )


def _told(violation: Violation) -> str:
    place = str(violation.path) or "the state"
    return f"{place} is {show(violation.actual)}, and the schema asks {show(violation.asked)}"
