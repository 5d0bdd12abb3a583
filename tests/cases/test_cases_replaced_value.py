"""A folder and a number of people that were replaced, and come up again inside of texts."""

from __future__ import annotations

from collections.abc import Callable

from cases_projects import CaseProject

OLD_FOLDER = ("whole-value", "in-command", "in-full-path", "in-text-to-other-agent")
NEW = ("twin-new-command", "twin-longer-name", "twin-number-elsewhere")


def test_a_replaced_value_fails_where_it_stands_as_a_whole_part_of_a_text(
    run_case: Callable[[str], CaseProject],
) -> None:
    """A longer name that begins alike is another value, and so is a number in an identifier."""
    project = run_case("replaced-value-inside-a-text")

    def judged(name: str) -> tuple[str, str]:
        (check,) = project.case(name)["verdicts"]
        return check["status"], check["detail"] or ""

    for name in OLD_FOLDER:
        status, detail = judged(name)
        assert "fail" == status
        assert 'has "out/reports"' in detail
    status, detail = judged("number-as-text")
    assert "fail" == status
    assert "has 12 at `copies`" in detail
    assert ["pass"] * 3 == [judged(name)[0] for name in NEW]
