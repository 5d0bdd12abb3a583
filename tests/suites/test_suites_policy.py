"""The policy: what it may say, and how what it may not say is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from oloproof.suites.policy import Policy, Rule, load_policy

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from oloproof.errors import ConfigurationError

    Refusal = Callable[..., ConfigurationError]

RULE = "- {id: a, metric: m, min: 0.5}\n"


def test_a_policy_is_read_with_the_line_of_each_rule(project: Path) -> None:
    """All fields are read, and each rule's line is known for what refers to it later."""
    path = project / "release.yaml"
    path.write_text(
        "version: 1\nconfidence_level: 0.9\nallow_approximate_methods: true\nmin_clusters: 24\n"
        "block_on: [FAIL]\nwarn_on: [MANUAL_REVIEW]\nrules:\n"
        "  - {id: good, metric: state_matches, min: 0.8, max_missing_fraction: 0.05}\n"
        "  - id: rare\n    metric: refused\n    max: 1\n"
        "  - {id: nobody, metric: other, max_failures: 0, max_excluded_fraction: 0.1}\n"
        "  - {id: person, metric: state_matches, requires_manual_review: true}\n"
    )
    located = load_policy(path)
    assert (
        Policy(
            version=1,
            confidence_level=0.9,
            allow_approximate_methods=True,
            min_clusters=24,
            block_on=["FAIL"],
            warn_on=["MANUAL_REVIEW"],
            rules=[
                Rule(id="good", metric="state_matches", min=0.8, max_missing_fraction=0.05),
                Rule(id="rare", metric="refused", max=1),
                Rule(id="nobody", metric="other", max_failures=0, max_excluded_fraction=0.1),
                Rule(id="person", metric="state_matches", requires_manual_review=True),
            ],
        )
        == located.policy
    )
    assert {"good": 8, "rare": 9, "nobody": 12, "person": 13} == located.lines
    assert path == located.path


def test_everything_but_success_blocks_unless_said_otherwise(project: Path) -> None:
    """The usual confidence is 0.95, and what `warn_on` lists does not block by default."""
    path = project / "release.yaml"
    path.write_text("rules:\n" + RULE)
    policy = load_policy(path).policy
    assert ["FAIL", "INSUFFICIENT_EVIDENCE", "MANUAL_REVIEW"] == policy.block_on
    assert ([], 0.95, False, 20) == (
        policy.warn_on,
        policy.confidence_level,
        policy.allow_approximate_methods,
        policy.min_clusters,
    )
    path.write_text("warn_on: [INSUFFICIENT_EVIDENCE]\nrules:\n" + RULE)
    assert ["FAIL", "MANUAL_REVIEW"] == load_policy(path).policy.block_on


@pytest.mark.parametrize(
    ("text", "where", "what", "fix"),
    [
        ("", ":1", "the file is empty", "write an object"),
        ("- a", ":1", "the file must be an object", "write an object"),
        ("version: 1", ":1: rules", "`rules` is missing", "add `rules`"),
        ("version: 1\nrules: []", ":2: rules", "`rules` is empty", "at least one"),
        ("rules: x", ":1: rules", "must be a list, not `x`", "write a list"),
        (
            "rules:\n- {id: a, metrc: m, min: 1}",
            ":2: rules[0].metrc",
            "unknown field `metrc` in `rules[0]` (and 1 more)",
            "did you mean `metric`?",
        ),
        (
            "rulez:\n" + RULE,
            ":1: rulez",
            "unknown field `rulez` (and 1 more)",
            "did you mean `rules`?",
        ),
        (
            "rules:\n- {id: a, metric: m, min: 0.5, max: 0.6}",
            ":2: rules[0].max",
            "gives both `min` and `max`",
            "one rule for each",
        ),
        ("rules:\n- {id: a, metric: m}", ":2: rules[0]", "requires nothing", "`max_failures`"),
        (
            "rules:\n" + RULE + "- id: a\n  metric: m\n  max_failures: 0",
            ":3: rules[1].id",
            "the id `a` is given twice",
            "rename",
        ),
        ("rules:\n- {id: no, metric: m, min: 1}", ":2: rules[0].id", "YAML reads", 'it: "no"'),
        ("rules:\n- {id: 1.0, metric: m, min: 1}", ":2: rules[0].id", "1.0", 'quote it: "1.0"'),
        ("rules:\n- {id: 1.10, metric: m, min: 1}", ":2: rules[0].id", "1.1", 'it: "1.10"'),
        ("rules:\n- {id: '', metric: m, min: 1}", ":2: rules[0].id", "is empty", "correct"),
        (
            "rules:\n- {id: a, metric: m, min: 1.5}",
            ":2: rules[0].min",
            "at most 1",
            "fraction: 0.015",
        ),
        ("rules:\n- {id: a, metric: m, min: 80}", ":2: rules[0].min", "at most 1", "fraction: 0.8"),
        (
            "rules:\n- {id: a, metric: m, min: '0.8'}",
            ":2: rules[0].min",
            "must be a number, not `0.8`",
            "without quotes: 0.8",
        ),
        (
            "rules:\n- {id: a, metric: m, max_failures: 1.5}",
            ":2: rules[0].max_failures",
            "must be a whole number",
            "whole number",
        ),
        (
            "rules:\n- {id: a, metric: m, max_failures: -1}",
            ":2: rules[0].max_failures",
            "must be at least 0, not -1",
            "at least 0",
        ),
        ("min_clusters: 19\nrules:\n" + RULE, ":1: min_clusters", "at least 20", "at least 20"),
        ("confidence_level: 95\nrules:\n" + RULE, ":1: confidence_level", "less than 1", "0.95"),
        ("version: 2\nrules:\n" + RULE, ":1: version", "not known here", "write `version: 1`"),
        ("version: true\nrules:\n" + RULE, ":1: version", "whole number, not true", "whole"),
        ("block_on: [FIAL]\nrules:\n" + RULE, ":1: block_on[0]", "cannot be `FIAL`", "`FAIL`"),
        ("warn_on: [FIAL]\nrules:\n" + RULE, ":1: warn_on[0]", "cannot be `FIAL`", "`FAIL`"),
        ("block_on: [fail]\nrules:\n" + RULE, ":1: block_on[0]", "cannot be `fail`", "`FAIL`"),
        (
            "block_on: [XYZ]\nrules:\n" + RULE,
            ":1: block_on[0]",
            "cannot be `XYZ`",
            "known: `FAIL`, `INSUFFICIENT_EVIDENCE`, `MANUAL_REVIEW`",
        ),
        ("block_on: [PASS]\nrules:\n" + RULE, ":1: block_on[0]", "lists PASS", "list FAIL"),
        (
            "warn_on: [FAIL]\nblock_on: [FAIL]\nrules:\n" + RULE,
            ":1: warn_on[0]",
            "both `block_on` and `warn_on`",
            "keep it in one",
        ),
        ("rules:\n" + RULE + "rules: []", ":3: rules", "given twice", "the first is in line 1"),
        ("rules:\n- {id: a, metric: m, min: .nan}", ":2: rules[0].min", "not finite", "quote"),
    ],
)
def test_a_bad_policy_is_refused(
    project: Path, refusal: Refusal, text: str, where: str, what: str, fix: str
) -> None:
    """Each mistake is told with its line, its field and the way out."""
    path = project / "release.yaml"
    path.write_text(text)
    refusal(lambda: load_policy(path), where=f"release.yaml{where}", what=what, fix=fix)


def test_a_policy_in_json_is_read_alike(project: Path, refusal: Refusal) -> None:
    """A .json policy says the same, and is refused with lines as well, without YAML's advice."""
    path = project / "release.json"
    path.write_text('{"rules": [\n{"id": "a", "metric": "m", "min": 0.5}]}')
    assert {"a": 2} == load_policy(path).lines
    path.write_text('{"rules": [\n{"id": 1.0, "metric": "m", "min": 0.5}]}')
    error = refusal(
        lambda: load_policy(path), where="release.json:2: rules[0].id", what="must be text"
    )
    assert "write text here" == error.fix


def test_a_missing_policy_is_named(project: Path, refusal: Refusal) -> None:
    """A policy that is not there is a mistake of its own."""
    path = project / "release.yaml"
    refusal(lambda: load_policy(path), where="release.yaml", what="the policy does not exist")
