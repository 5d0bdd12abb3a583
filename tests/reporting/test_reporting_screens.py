"""Every screen: what it looks like, and that nothing breaks it or hides in it."""

from __future__ import annotations

import re

import pytest
import reporting_samples as samples
from reporting_hostile import hostile
from reporting_refresh import SNAPSHOTS
from reporting_screens import SCREENS, Screen
from rich.cells import cell_len

from oloproof.paths import MISSING
from oloproof.records.case_report import CaseList, CaseReport, ReplayReport, TurnReport
from oloproof.reporting.terminal.case import write_case, write_cases
from oloproof.reporting.terminal.page import Page
from oloproof.reporting.terminal.replay import write_replay
from oloproof.reporting.terminal.run import write_run
from oloproof.reporting.terminal.text import visible
from oloproof.reporting.terminal.values import one_line

screens = pytest.mark.parametrize("screen", SCREENS.values(), ids=SCREENS)


def squeezed(text: str) -> str:
    return "".join(text.split())


def holds(page: Page, *texts: str) -> bool:
    """Whether a page shows each text whole, however it was folded."""
    shown = squeezed(page.text)
    return all(squeezed(visible(text, page.encoding)) in shown for text in texts)


@pytest.mark.parametrize("name", SCREENS)
def test_the_screen_is_the_one_that_was_looked_at(name: str) -> None:
    """A screen changes only on purpose; `reporting_refresh.py` writes the snapshots again."""
    expected = (SNAPSHOTS / f"{name}.txt").read_text(encoding="utf-8")
    assert expected == SCREENS[name].on(Page()).text + "\n"


@screens
@pytest.mark.parametrize("width", [40, 79, 80, 81, 120])
@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1"])
def test_no_line_is_wider_than_the_page(screen: Screen, width: int, encoding: str) -> None:
    """Nothing exceeds the page or trails in blanks, however hostile, wide or long the texts are."""
    for report in (screen.report, hostile(screen.report)):
        for line in screen.on(Page(width, encoding), report).lines:
            assert cell_len(line.plain) <= width
            assert line.plain.rstrip(" ") == line.plain


@screens
def test_no_text_reaches_the_terminal_as_a_command(screen: Screen) -> None:
    """Control characters and marks that reorder text stand as escapes, markup as it was written."""
    shown = screen.on(Page(), hostile(screen.report)).text
    assert shown.replace("\n", "").isprintable()
    assert "\\u001b" in shown
    assert "\\u202e" in shown
    assert "[bold" in shown


@screens
@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_a_poor_encoding_is_enough(screen: Screen, encoding: str) -> None:
    """What a terminal cannot write is written as an escape instead of crashing."""
    screen.on(Page(encoding=encoding), hostile(screen.report)).text.encode(encoding)


@screens
def test_nothing_depends_on_colour(screen: Screen) -> None:
    """No status is told by a style alone: a styled stretch always has text of its own."""
    page = screen.on(Page())
    assert all(text.strip() for line in page.lines for text, style in line.pieces if style)


def test_a_run_says_whole_what_decides() -> None:
    """Names, reasons and sentences of a run are folded, never cut."""
    report = hostile(samples.RUN)
    page = Page()
    write_run(page, report)
    assert report.gate is not None
    assert holds(page, report.project, *report.notices, *report.gate.notes)
    for metric in report.metrics:
        assert holds(page, metric.metric, *metric.missing, *metric.excluded, *metric.failures)
    for decision in report.gate.decisions:
        assert holds(page, decision.rule, decision.metric, decision.requirement, decision.detail)
    for slice_ in report.slices:
        assert holds(page, slice_.slice)
    for one in report.validity:
        assert holds(page, one.transform, *one.labellers)


@pytest.mark.parametrize("screen", [SCREENS["run"], SCREENS["gate"]], ids=["run", "gate"])
def test_the_verdict_is_the_last_line(screen: Screen) -> None:
    """A gate ends with its verdict and exit code, and begins with them."""
    lines = screen.on(Page()).text.splitlines()
    assert "BLOCK  exit code 1" == lines[-1]
    assert 2 == lines.count("BLOCK  exit code 1")
    assert SCREENS["gate"].on(Page()).text.startswith("BLOCK  exit code 1\n")


def test_a_run_without_a_policy_says_that_nothing_was_decided() -> None:
    """An exploring run must not be read as one that was let through."""
    page = Page()
    write_run(page, samples.RUN.model_copy(update={"gate": None}))
    assert page.text.splitlines()[-1].startswith("NOTHING WAS DECIDED")


def test_notices_told_already_are_left_out() -> None:
    """`notices` stands in for those of the report."""
    page = Page()
    write_run(page, samples.RUN, notices=[])
    assert not holds(page, samples.RUN.notices[0])


def test_a_slice_with_many_ranges_is_set_in_blocks() -> None:
    """Ranges that do not fit beside each other stand below each other, each with all metrics."""
    ranges = [samples.slice_of("metadata.kind", f"kind number {n}", 5) for n in range(12)]
    page = Page()
    write_run(page, samples.RUN.model_copy(update={"slices": ranges}))
    assert holds(page, *(f"kind number {n}" for n in range(12)))
    assert 12 == page.text.count("5 cases")


def test_a_case_shows_whole_what_its_checks_compared() -> None:
    """Paths and values of a failed comparison are shown whole, however long."""
    report = hostile(samples.CASE)
    page = SCREENS["case"].on(Page(), report)
    assert isinstance(report, CaseReport)
    for verdict in report.verdicts:
        assert holds(page, verdict.metric, *filter(None, [verdict.detail]))
        for compared in verdict.compared:
            assert holds(page, compared.path)
            if not compared.passed:
                assert holds(page, one_line(compared.expected))
                assert holds(page, one_line(compared.actual if compared.has_actual else MISSING))


def test_a_long_value_that_was_compared_is_not_shortened() -> None:
    """Thousands of characters that decide are thousands of characters on the screen."""
    words = " ".join(f"word{n}" for n in range(2000))
    compared = samples.CASE.verdicts[1].compared[0].model_copy(update={"actual": words})
    verdict = samples.CASE.verdicts[1].model_copy(update={"compared": [compared]})
    page = SCREENS["case"].on(Page(), samples.CASE.model_copy(update={"verdicts": [verdict]}))
    assert holds(page, words)


def test_a_long_state_is_shortened_in_its_middle_with_its_size() -> None:
    """A state is context: of a large one both ends are shown, and how large it is."""
    state = samples.CASE.final.model_copy(
        update={"state": {f"key{n:04}": "x" * 50 for n in range(2000)}}
    )
    page = SCREENS["case"].on(Page(), samples.CASE.model_copy(update={"final": state}))
    assert holds(page, "key0000", "key1999", "final state 126.0 kB", "left out of 126.0 kB")
    assert "key1000" not in page.text


@pytest.mark.parametrize(("keys", "left_out"), [(56, False), (120, True)])
def test_a_small_state_is_shown_whole(keys: int, left_out: bool) -> None:
    """Of a world in a panel up to sixty lines are shown, and of a larger one its ends."""
    state = samples.CASE.final.model_copy(
        update={"state": {f"key{n:04}": "x" * 50 for n in range(keys)}}
    )
    page = SCREENS["case"].on(Page(), samples.CASE.model_copy(update={"final": state}))
    assert left_out == holds(page, "left out of")
    assert left_out != holds(page, *(f"key{n:04}" for n in range(keys)))


@pytest.mark.parametrize(
    ("unmatched", "told"), [(1, "1 label that names no pair"), (2, "2 labels")]
)
def test_one_label_is_one(unmatched: int, told: str) -> None:
    """Labels without a pair are counted in words that fit their number."""
    one = samples.RUN.validity[0].model_copy(update={"unmatched": unmatched})
    page = Page()
    write_run(page, samples.RUN.model_copy(update={"validity": [one]}))
    assert holds(page, told)


def test_labels_that_are_still_to_come_are_said() -> None:
    """The file that is not there is named, with the command that writes it."""
    one = samples.RUN.validity[0].model_copy(update={"absent": "labels/x.jsonl"})
    page = Page()
    write_run(page, samples.RUN.model_copy(update={"validity": [one]}))
    assert holds(page, "labels/x.jsonl is not there yet: `oloproof pairs paraphrase`")


def test_cases_and_copies_are_counted_apart() -> None:
    """The list counts as a run does: a copy is no case, and a replicate is neither."""
    line = samples.CASES.cases[0]
    names = ["a", "a", "a~injected", "a~injected", "b", "b"]
    lines = [
        line.model_copy(update={"case": n, "replicate": 1 + i % 2}) for i, n in enumerate(names)
    ]
    page = Page()
    write_cases(page, CaseList(run=3, failures_only=False, cases=lines))
    assert "run 3  2 cases, 1 copy" == page.text.splitlines()[0]
    page = Page()
    write_cases(page, CaseList(run=3, failures_only=False, cases=lines[:2]))
    assert "run 3  1 case" == page.text.splitlines()[0]


def test_an_untrusted_control_names_the_first_divergence() -> None:
    """What was expected and what came stand whole in the panel of the case too."""
    page = SCREENS["case"].on(
        Page(), samples.CASE.model_copy(update={"replays": [samples.UNTRUSTED]})
    )
    assert holds(page, "NOT TRUSTED: changed_result at step 5", '{"status": "refunded"}')


def test_the_first_difference_is_pointed_at_once() -> None:
    """The pointer stands in the row of the first step that differs, and nowhere else."""
    lines = SCREENS["replay"].on(Page()).text.splitlines()
    pointed = [line for line in lines if ">>>" in line]
    assert 2 == len(pointed)  # one in each of the two replays shown
    assert all(line.startswith("5  ") for line in pointed)


def test_an_end_state_alone_can_be_the_first_difference() -> None:
    """Equal steps do not hide that the world came out otherwise."""
    replay = samples.REPLAY.model_copy(update={"replay": samples.side(samples.STEPS, {})})
    page = SCREENS["replay"].on(
        Page(), SCREENS["replay"].report.model_copy(update={"replays": [replay]})
    )
    assert holds(page, "first difference: the end state")


def test_passed_over_types_are_told_apart() -> None:
    """`(absent)` is no text, null is null, and `1` beside `1.0` shows both."""
    page = SCREENS["case"].on(Page())
    assert "expected  30\n" in page.text
    assert "actual    30.0\n" in page.text
    assert "actual    (absent)\n" in page.text


def test_the_order_of_keys_makes_no_difference() -> None:
    """Equal objects are the same whatever the order of their keys, and unequal ones read alike."""
    compared = samples.CASE.verdicts[1].compared[0]
    same = compared.model_copy(
        update={"passed": True, "expected": {"b": 1, "a": 2}, "actual": {"a": 2, "b": 1}}
    )
    other = compared.model_copy(update={"expected": {"b": 1, "a": 2}, "actual": {"a": 2, "b": 3}})
    verdict = samples.CASE.verdicts[1].model_copy(update={"compared": [same, other]})
    page = SCREENS["case"].on(Page(), samples.CASE.model_copy(update={"verdicts": [verdict]}))
    assert 'same     orders.ord-004.status  {"a": 2, "b": 1}\n' in page.text
    assert 'expected  {"a": 2, "b": 1}\n' in page.text
    assert 'actual    {"a": 2, "b": 3}\n' in page.text


def rows(replay: ReplayReport) -> list[str]:
    """The lines of a replay's screen that begin with the number of a step."""
    page = Page()
    write_replay(page, replay)
    return [line for line in page.text.splitlines() if re.match(r"[\d-]+(/[\d-]+)? ", line)]


def test_what_was_done_alike_stands_beside_each_other() -> None:
    """A call that is made again moves nothing else out of its place."""
    found = [line.split()[0] for line in rows(samples.RECORDED)]
    assert ["1", "2", "3", "4", "5", "-/6", "-/7", "6/8"] == found
    assert "same" == rows(samples.RECORDED)[-1].split()[-1]


def test_a_step_that_is_lacking_is_said_to_be() -> None:
    """A replay that ends early leaves its side empty, and that can be the first difference."""
    short = samples.REPLAY.model_copy(update={"replay": samples.side(samples.STEPS[:5], {})})
    assert "6/-" == rows(short)[-1].split()[0]
    page = Page()
    write_replay(page, short)
    assert holds(page, "first difference: only the recording has its step 6")


def test_a_fault_that_nobody_sees_is_shown_where_it_struck() -> None:
    """Equal results do not hide that the call was struck; it is no difference either."""
    fault = {"fault": "slow", "as": "returned", "applied": True, "visible": False}
    steps = [step | {"fault": fault} if step["index"] == 5 else step for step in samples.STEPS]
    page = Page()
    write_replay(
        page, samples.REPLAY.model_copy(update={"replay": samples.side(steps, samples.AFTER)})
    )
    assert holds(page, "first difference: none", "fault slow, returned;")


@pytest.mark.parametrize(("status", "shown"), [("executed", False), ("blocked", True)])
def test_only_a_status_that_is_not_the_usual_is_shown(status: str, shown: bool) -> None:
    """That a call was executed need not be said of every one."""
    steps = [step | {"status": status} for step in samples.STEPS]
    page = Page()
    write_case(page, samples.CASE.model_copy(update={"steps": steps}))
    assert shown == (status in page.text)


def test_a_check_tells_each_reason_once_with_its_places() -> None:
    """Cases with the same reason stand below one word, above one fix."""
    again = samples.CHECK.reasons[0].model_copy(update={"case": "ord-007"})
    report = samples.CHECK.model_copy(update={"reasons": [*samples.CHECK.reasons, again]})
    page = SCREENS["check"].on(Page(), report)
    lines = page.text.splitlines()
    assert 1 == lines.count("hash_order")
    assert holds(page, "ord-004, call 3", "ord-007, call 3")
    assert 1 == page.text.count("sort what comes out of a set")


def test_in_a_conversation_passed_checks_are_a_line_each() -> None:
    """The turns show again how each came out; what failed is told whole."""
    turn = TurnReport(
        turn=1,
        message="Refund it.",
        reached=True,
        has_reply=True,
        reply="Done.",
        steps=[],
        world_changes=[],
        active_changes=[],
        checks=[],
    )
    page = Page()
    write_case(page, samples.CASE.model_copy(update={"turns": [turn]}))
    assert not holds(page, 'same     answer  "refunded"')
    assert holds(page, "PASS  outcome_correct", "differs  orders.ord-004.status")
    page = Page()
    write_case(page, samples.CASE)
    assert holds(page, 'same     answer  "refunded"')
