"""`init` lays out projects that run, and overwrites nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from oloproof.errors import ConfigurationError
from oloproof.workflows.events import RunFinished
from oloproof.workflows.init import examples, init
from oloproof.workflows.run import run


def finished(folder: Path) -> RunFinished:
    """The last event of a run."""
    last = list(run(folder))[-1]
    assert isinstance(last, RunFinished)
    return last


def test_every_example_is_laid_out_and_runs(tmp_path):
    """Each example comes with its labels and ends with a decision."""
    assert ["stateful-agent", "hand-written-replay"] == [name for name, _ in examples()]
    for name, description in examples():
        report = init(tmp_path / name, example=name)
        assert description
        assert set(report.written) == {
            str(path.relative_to(tmp_path / name))
            for path in (tmp_path / name).rglob("*")
            if path.is_file()
        }
        assert finished(tmp_path / name).report.gate is not None


def test_an_example_built_on_another_has_the_files_of_both(tmp_path):
    """What the one brings itself stands in place of the other's; labels come along."""
    base = set(init(tmp_path / "base", example="stateful-agent").written)
    assert base == set(init(tmp_path / "other", example="hand-written-replay").written)
    differing = {
        name
        for name in base
        if (tmp_path / "base" / name).read_bytes() != (tmp_path / "other" / name).read_bytes()
    }
    assert {"README.md", "app.py"} == differing


@pytest.mark.parametrize("example", ["stateful-agent", "hand-written-replay"])
def test_the_refund_desk_is_blocked_for_the_right_two_reasons(tmp_path, example):
    """Its failed refund fails, its injected pairs cannot pass, and everything else does."""
    init(tmp_path / "desk", example=example)
    report = finished(tmp_path / "desk").report
    assert report.gate is not None
    assert ("BLOCK", 1) == (report.gate.verdict, report.gate.exit_code)
    decisions = {decision.metric: decision for decision in report.gate.decisions}
    assert {
        "outcome_correct": "PASS",
        "state_matches": "PASS",
        "other_order_untouched": "PASS",
        "recovers_from_error_at_issue_refund": "FAIL",
        "same_actions_under_paraphrase": "PASS",
        "same_state_under_injected": "INSUFFICIENT_EVIDENCE",
    } == {metric: decision.status for metric, decision in decisions.items()}
    injected = decisions["same_state_under_injected"]
    assert "No number of cases would pass it at the observed rate" in injected.detail


def test_a_project_without_a_system_of_its_own_runs(tmp_path):
    """The template is a small project that its own gate allows."""
    init(tmp_path / "notes")
    assert 0 == finished(tmp_path / "notes").exit_code


def test_a_project_around_the_users_object_uses_it(tmp_path):
    """`--system` writes everything but the system, which is there already."""
    folder = tmp_path / "mine"
    init(tmp_path / "template")
    folder.mkdir()
    (folder / "agents.py").write_text((tmp_path / "template" / "app.py").read_text())
    report = init(folder, system="agents:notebook")
    assert "app.py" not in report.written
    assert 0 == finished(folder).exit_code


def test_nothing_is_overwritten_and_nothing_half_written(tmp_path):
    """One file that exists stops all of it."""
    (tmp_path / "release.yaml").write_text("mine")
    with pytest.raises(ConfigurationError, match=r"release\.yaml exists already"):
        init(tmp_path)
    assert ["release.yaml"] == [path.name for path in tmp_path.iterdir()]
    assert "mine" == (tmp_path / "release.yaml").read_text()


def test_an_example_goes_into_a_folder_of_its_own_where_others_work(tmp_path):
    """A folder that holds files is left as it is; one with hidden files alone is taken."""
    (tmp_path / ".git").mkdir()
    assert str(tmp_path) == init(tmp_path, example="stateful-agent").path
    report = init(tmp_path, example="hand-written-replay")
    assert str(tmp_path / "hand-written-replay") == report.path
    assert f"cd {report.path}" == report.next_steps[0]
    assert all((tmp_path / "hand-written-replay" / name).is_file() for name in report.written)
    with pytest.raises(ConfigurationError, match="exists already"):
        init(tmp_path, example="hand-written-replay")


def test_a_workflow_is_added_to_a_project_that_is_there(tmp_path):
    """`--ci github` alone adds its one file, once."""
    init(tmp_path)
    assert [".github/workflows/oloproof.yml"] == init(tmp_path, ci="github").written
    with pytest.raises(ConfigurationError, match="exists already") as caught:
        init(tmp_path, ci="github")
    assert "remove it" in str(caught.value.fix)


@pytest.mark.parametrize(
    ("options", "fix"),
    [
        ({"example": "statefull-agent"}, "stateful-agent"),
        ({"ci": "gitlab"}, "github"),
        ({"system": "no colon"}, "module:attribute"),
        ({"system": "app:desk", "example": "stateful-agent"}, "not both"),
    ],
)
def test_what_cannot_be_laid_out_is_said_with_what_was_meant(tmp_path, options, fix):
    """A misspelt example or workflow names the nearest."""
    with pytest.raises(ConfigurationError) as caught:
        init(tmp_path / "x", **options)
    assert fix in str(caught.value.fix)
    assert not (tmp_path / "x").exists()
