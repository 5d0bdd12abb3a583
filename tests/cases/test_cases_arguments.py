"""A model that makes up the arguments of a call."""

from __future__ import annotations

from collections.abc import Callable

from cases_projects import CaseProject

CASES = ("twin", "invented", "misspelt", "left-out")


def test_a_call_with_wrong_arguments_is_recorded_as_given_and_never_ran(
    run_case: Callable[[str], CaseProject],
) -> None:
    """`closed` names what was invented, values given are held, and `required` is not met."""
    project = run_case("call-with-wrong-arguments")
    cases = {name: project.case(name) for name in CASES}
    assert {
        "twin": {"order_id": "7"},
        "invented": {"order_id": "8", "priority": "high"},
        "misspelt": {"orderid": "7"},
        "left-out": {},
    } == {name: case["steps"][0]["arguments"] for name, case in cases.items()}
    verdicts = {
        name: {verdict["metric"]: verdict for verdict in case["verdicts"]}
        for name, case in cases.items()
    }
    assert {
        "twin": ("pass", "pass", "pass"),
        "invented": ("fail", "fail", "fail"),
        "misspelt": ("fail", "not_applicable", "fail"),
        "left-out": ("pass", "not_applicable", "fail"),
    } == {
        name: tuple(
            found[metric]["status"] for metric in ("known_only", "right_order", "cancelled")
        )
        for name, found in verdicts.items()
    }
    for name, unknown in (("invented", "priority"), ("misspelt", "orderid")):
        detail = verdicts[name]["known_only"]["detail"]
        assert f"cancel (step 1 of turn 1) has an unknown argument: `{unknown}`" == detail
        assert "argument_not_given" == verdicts["misspelt"]["right_order"]["reason"]
