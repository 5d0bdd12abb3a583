"""The files that `init` lays out are read by Oloproof as they are, and hold together."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from scipy.stats import binomtest

from oloproof.suites.policy import load_policy
from oloproof.suites.suite import load_suite

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "stateful-agent"
BY_HAND = ROOT / "examples" / "hand-written-replay"
TEMPLATE = ROOT / "templates" / "project"
WORKFLOW = ROOT / "templates" / "ci" / "github.yml"
SHIPPED = sorted(
    path
    for folder in ("examples", "templates", "labels")
    for path in (ROOT / folder).rglob("*")
    if path.is_file() and not {"__pycache__", ".oloproof"} & set(path.parts)
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project as `init` makes one from the template, without `--system`."""
    for source in TEMPLATE.rglob("*"):
        if source.is_file() and "__pycache__" not in source.parts:
            target = tmp_path / source.relative_to(TEMPLATE)
            target.parent.mkdir(exist_ok=True)
            text = source.read_text()
            text = text.replace("{{project}}", "my notes").replace("{{callable}}", "app:notebook")
            target.write_text(text)
    return tmp_path


def cases(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def metrics(folder: Path) -> set[str]:
    """The names of the metrics that the suite in `folder` makes."""
    named = {
        "state_matches": "state_matches",
        "fault_recovery": "recovers_from_{fault}_at_{tool}",
        "metamorphic_relation": "{relation}_under_{transform}",
    }
    suite = load_suite(folder / "oloproof.yaml")
    return {
        raw.options.get("criterion") or named[raw.type].format(**raw.options)
        for raw in suite.evaluators
    }


def test_example_rules_decide_every_metric() -> None:
    """The example has a rule for each metric its suite makes, and for no other."""
    policy = load_policy(EXAMPLE / "release.yaml").policy
    assert metrics(EXAMPLE) == {rule.metric for rule in policy.rules}


def test_the_example_replayed_by_hand_differs_in_its_system_alone() -> None:
    """It brings its own system and README, and takes requests, checks and policy over."""
    own = [path.name for path in BY_HAND.rglob("*") if path.suffix in (".py", ".md")]
    assert ["README.md", "app.py"] == sorted(own)
    assert [] == [path for path in SHIPPED if BY_HAND in path.parents and path.name not in own]
    assert "@oloproof.tool" in (EXAMPLE / "app.py").read_text()
    assert "async def replay" in (BY_HAND / "app.py").read_text()


def test_example_transforms_change_every_message() -> None:
    """Each of the example's transforms has something to change in each request."""
    paraphrase, injected = load_suite(EXAMPLE / "oloproof.yaml").transforms
    replaced: Any = paraphrase.options["replace"]
    assert injected.options["template"]
    for case in cases(EXAMPLE / "data" / "refunds.jsonl"):
        assert replaced[0][0] in case["input"][paraphrase.field]


@pytest.mark.parametrize(
    ("rule", "passed", "cases", "reached", "settled"),
    [
        ("answers", 24, 24, True, True),
        ("world", 24, 24, True, True),
        ("wording", 24, 24, True, True),
        ("injection", 16, 24, False, False),
        ("injection", 24, 24, True, True),
        ("failed_refund", 0, 12, False, True),
        ("failed_refund", 12, 12, True, True),
    ],
)
def test_example_bars(rule: str, passed: int, cases: int, reached: bool, settled: bool) -> None:
    """The desk misses the bars that it is to miss, and a desk without its flaws reaches all."""
    rules = {r.id: r for r in load_policy(EXAMPLE / "release.yaml").policy.rules}
    bar = rules[rule].min
    assert bar is not None
    interval = binomtest(passed, cases).proportion_ci(0.95, method="exact")
    assert reached == (interval.low >= bar)
    assert settled == (interval.low >= bar or interval.high < bar)


def test_template_rules_decide_every_metric(project: Path) -> None:
    """A new project has a rule for each metric its suite makes, and for no other."""
    policy = load_policy(project / "release.yaml").policy
    assert metrics(project) == {rule.metric for rule in policy.rules}


def test_template_placeholders_are_all_known(project: Path) -> None:
    """Nothing is left to be filled in once project and callable are known."""
    for path in project.rglob("*"):
        if path.is_file():
            assert "{{" not in path.read_text(), path.name


def test_template_cases_pass(project: Path) -> None:
    """The notebook of a new project does what its three starter cases expect."""
    spec = importlib.util.spec_from_file_location("template_notebook", project / "app.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    starters = cases(project / "data" / "cases.jsonl")
    assert 3 == len(starters)
    for case in starters:
        module.notebook.reset(json.loads(json.dumps(case["initial_state"])))
        assert {"answer": case["expected"]["answer"]} == module.notebook(case["input"])
        assert case["initial_state"] | case["expected"]["state"] == module.notebook.snapshot()


def test_workflow_installs_from_the_checkout() -> None:
    """The workflow never installs Oloproof by name, which belongs to another project there."""
    steps = yaml.safe_load(WORKFLOW.read_text())["jobs"]["gate"]["steps"]
    commands = [line for step in steps for line in step.get("run", "").splitlines()]
    checkout = next(s for s in steps if "repository" in s.get("with", {}))["with"]["path"]
    installs = [line for line in commands if re.search(r"\bpip3? install\b", line)]
    assert f"python -m pip install ./{checkout}" in installs
    assert [] == [line for line in installs if re.search(r"install .*(?<![-./\w])oloproof", line)]


def test_workflow_blocks_on_the_gate() -> None:
    """The step that runs the gate may fail the job, and what follows it runs all the same."""
    steps = yaml.safe_load(WORKFLOW.read_text())["jobs"]["gate"]["steps"]
    at = next(n for n, step in enumerate(steps) if step.get("run") == "oloproof run")
    assert "continue-on-error" not in steps[at]
    assert {"${{ !cancelled() }}"} == {step.get("if") for step in steps[at + 1 :]}


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: str(path.relative_to(ROOT)))
def test_shipped_text_names_no_registry(path: Path) -> None:
    """No shipped file names the host of a package registry or a folder of one machine."""
    text = path.read_text()
    assert not re.search(r"https?://|(?<![\w.])/(?:home|root|tmp|work)\b", text)
