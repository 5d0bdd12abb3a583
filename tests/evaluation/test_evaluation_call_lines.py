"""Lines of a suite about calls and messages, and everything in them that is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from oloproof.errors import ConfigurationError
from oloproof.evaluation.contract import Evaluator
from oloproof.evaluation.registry import bind_all
from oloproof.suites.located import parse_document
from oloproof.suites.suite import RawEvaluator


def bound(text: str) -> list[Evaluator]:
    source = f"evaluators:\n  - {{{text}}}\n"
    document = parse_document(source.encode(), Path("oloproof.yaml").absolute())
    return bind_all([RawEvaluator(document, ("evaluators", 0))], [])


@pytest.mark.parametrize(
    ("text", "metric"),
    [
        ("type: calls, forbidden: [t]", "calls"),
        ("type: calls, forbidden: [t], criterion: nothing_booked, after: 1", "nothing_booked"),
        ("type: calls, required: {t: {min: 1, max: 2}}", "calls"),
        ("type: call_order, order: [a, b]", "call_order"),
        ("type: call_order, order: [a], before_message: each_turn", "call_order"),
        ("type: call_arguments, tool: t, argument: a, equals: null", "call_arguments"),
        ("type: superseded_absent", "superseded_absent"),
        (
            "type: dependency_recomputed, result_of: t, depends_on: [a], used_by: [u]",
            "dependency_recomputed",
        ),
        ("type: guarded_effects, tools: [t], revision: null", "guarded_effects"),
        ("type: results_contain, turn: 1", "results_contain"),
        ("type: claims", "claims"),
        ("type: asks_again, known: {a: [x]}", "asks_again"),
        ("type: needless_confirmation, patterns: [x]", "needless_confirmation"),
        ("type: offered_options, path: a, forbidden: [x]", "offered_options"),
        ("type: artefact_not_effect, effect: t, name: letter", "artefact_not_effect"),
    ],
)
def test_a_line_makes_one_metric(text: str, metric: str) -> None:
    """Named by its criterion, else by its type."""
    (one,) = bound(text)
    assert metric == one.metric


@pytest.mark.parametrize(
    ("text", "what", "field", "fix"),
    [
        ("type: calls", "says nothing of any call", "", "give `allowed`, `forbidden`"),
        ("type: calls, forbiden: [t]", "unknown field", "forbiden", "did you mean `forbidden`?"),
        ("type: calls, forbidden: []", "is empty", "forbidden", "write at least one entry"),
        ("type: calls, forbidden: [t, t]", "`t` is given twice", "forbidden[1]", "keep one"),
        ("type: calls, forbidden: [t], required: [t]", "`t` is forbidden, and", "forbidden[0]", ""),
        ("type: calls, forbidden: [t], allowed: [t]", "`t` is forbidden, and", "forbidden[0]", ""),
        ("type: calls, required: {t: {}}", "no number is given", "required.t", "write `min`"),
        (
            "type: calls, required: {t: {min: 3, max: 2}}",
            "no number is at least 3 and at most 2",
            "required.t.max",
            "or larger",
        ),
        ("type: calls, required: {}", "`required` is empty", "required", "name a tool"),
        ("type: calls, required: []", "`required` is empty", "required", "name a tool"),
        ("type: calls, required: [t, 1]", "named by its text", "required[1]", "write the name"),
        ("type: calls, required: [t, t]", "`t` is given twice", "required[1]", "keep one"),
        ("type: calls, required: t", "must be an object", "required", "write an object"),
        (
            "type: calls, forbidden: [t], statuses: [done]",
            "cannot be `done`",
            "statuses[0]",
            "known:",
        ),
        (
            "type: calls, forbidden: [t], arguments: {'a..b': 1}",
            "cannot be read at character 3",
            'arguments."a..b"',
            "quote keys",
        ),
        ("type: calls, forbidden: [t], turn: 0", "must be at least 1", "turn", "at least 1"),
        ("type: calls, forbidden: [t], turn: 1, after: 1", "cannot both", "after", "give one of"),
        ("type: call_order, order: [a]", "one tool alone has no order", "order", "at least two"),
        ("type: call_arguments, argument: a, equals: 1", "`tool` is missing", "tool", "add"),
        ("type: call_arguments, tool: t", "says nothing of any argument", "", "give `argument`"),
        ("type: call_arguments, tool: [t, ''], closed: true", "is empty", "tool[1]", "the name"),
        ("type: call_arguments, tool: '', closed: true", "no name is given", "tool", "write one"),
        (
            "type: call_arguments, tool: t, argument: a",
            "nothing says what the argument must be",
            "argument",
            "give `follows`",
        ),
        (
            "type: call_arguments, tool: t, argument: a, follows: b, equals: 1",
            "`follows` and `equals` cannot both be given",
            "equals",
            "keep one",
        ),
        ("type: call_arguments, tool: t, follows: a", "without an argument", "follows", "name it"),
        (
            "type: call_arguments, tool: t, argument: a, follows: 'b[*]'",
            "may name several places",
            "follows",
            "name one place",
        ),
        (
            "type: call_arguments, tool: t, argument: a, equals: 1, of: world",
            "`of` says nothing without `follows`",
            "of",
            "leave it out",
        ),
        ("type: call_arguments, tool: t, closed: true", "need each other", "closed", "list the"),
        ("type: call_arguments, tool: t, known: [a]", "says nothing of any argument", "", "give"),
        ("type: superseded_absent, of: model", "cannot be `model`", "of", "known: `active`"),
        ("type: superseded_absent, compare_turns: [0]", "at least 1", "compare_turns[0]", ""),
        (
            "type: dependency_recomputed, result_of: t, depends_on: [a]",
            "nothing says what uses the results",
            "",
            "list the tools in `used_by`",
        ),
        (
            "type: dependency_recomputed, result_of: t, depends_on: [], used_by: [u]",
            "is empty",
            "depends_on",
            "at least one",
        ),
        (
            "type: guarded_effects, tools: [t], permission: 'may.{tool}..'",
            "cannot be read",
            "permission",
            "quote keys",
        ),
        (
            "type: guarded_effects, tools: [t], permission: 'may[*]'",
            "may name several places",
            "permission",
            "without `[*]`",
        ),
        ("type: results_contain, mode: some", "cannot be `some`", "mode", "known: `exact`"),
        ("type: claims, says: [booked]", "what bears the claim out", "says", "give `needs`"),
        ("type: claims, says: ['?'], forbidden: true", "has no words", "says[0]", "to be found"),
        ("type: claims, forbidden: true", "which claim is forbidden", "forbidden", "give `says`"),
        ("type: claims, needs: {call: t}", "which claim needs it", "needs", "give `says`"),
        ("type: claims, language: en", "that of the patterns", "language", "give `says`"),
        ("type: claims, template: '{a'", "cannot be read at character 1", "template", "`{{`"),
        (
            "type: claims, says: [x], needs: {}",
            "evidence is a call or a place of the state",
            "needs",
            "`call: TOOL`",
        ),
        (
            "type: claims, says: [x], needs: {call: t, state: a, equals: 1}",
            "evidence is a call or a place of the state",
            "needs.state",
            "`call: TOOL`",
        ),
        (
            "type: claims, says: [x], needs: {state: a}",
            "`state` and `equals` need each other",
            "needs.state",
            "its value at `equals`",
        ),
        (
            "type: claims, says: [x], needs: {state: a, equals: 1, arguments: {b: 1}}",
            "those of a call",
            "needs.arguments",
            "leave them out",
        ),
        (
            "type: claims, says: [x], forbidden: true, needs: {state: a, equals: 1}",
            "a forbidden claim needs no state",
            "needs",
            "`call`",
        ),
        ("type: claims, says: [x], forbidden: true, template: a", "must be said", "template", ""),
        ("type: asks_again, known: {}", "is empty", "known", "at least one"),
        ("type: asks_again, known: {'a[*]': [x]}", "several places", 'known."a[*]"', "one place"),
        ("type: needless_confirmation", "`patterns` is missing", "patterns", "add `patterns`"),
        ("type: offered_options, forbidden: [x]", "where the options are found", "", "`path`"),
        (
            "type: offered_options, ids: [x], artefact: a, forbidden: [x]",
            "where in the artefact",
            "artefact",
            "give their `path`",
        ),
        ("type: offered_options, path: a", "which options may be offered", "", "give `allowed`"),
        (
            "type: offered_options, path: a, allowed: [1], allowed_at: b",
            "cannot both be given",
            "allowed",
            "keep one",
        ),
        ("type: artefact_not_effect, effect: t", "which artefact", "", "its `kind` or its `name`"),
    ],
)
def test_a_wrong_line_is_refused_with_its_field(text: str, what: str, field: str, fix: str) -> None:
    """The error names the file, the line, the field and how to fix it."""
    with pytest.raises(ConfigurationError) as caught:
        bound(text)
    error = caught.value
    assert what in error.what
    assert f"oloproof.yaml:2: evaluators[0]{f'.{field}' if field else ''}" == error.where
    assert fix in str(error.fix)
