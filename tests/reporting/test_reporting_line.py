"""Lines of styled text: nothing of a piece is lost, whatever is done with them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from oloproof.reporting.terminal.line import Line

pieces = st.tuples(st.text("ab \u6f22", max_size=5), st.sampled_from(["", "bold", "red"]))
line_of = st.lists(pieces, max_size=5).map(lambda found: Line(*found))


def styled(line: Line) -> list[tuple[str, str]]:
    """Each character with its style."""
    return [(char, style) for text, style in line.pieces for char in text]


@given(line_of, line_of)
def test_a_joined_line_has_the_pieces_of_both(first: Line, second: Line) -> None:
    """Joining keeps every character and its style, and leaves the other line alone."""
    expected, other = styled(first) + styled(second), styled(second)
    first.extend(second)
    assert expected == styled(first)
    assert other == styled(second)


@given(line_of, st.data())
def test_what_is_divided_is_whole_together(line: Line, data: st.DataObject) -> None:
    """The lines that one is divided into are that one, each ending where it was asked to."""
    places = st.lists(st.integers(0, len(line.plain)), max_size=4).map(sorted)
    ends = data.draw(places)
    parts = line.divide(ends)
    assert styled(line) == [char for part in parts for char in styled(part)]
    assert [part.plain for part in Text(line.plain).divide(ends)] == [p.plain for p in parts]


@given(line_of, st.one_of(st.none(), st.integers(-2, 9)))
def test_spaces_are_taken_off_the_end_alone(line: Line, most: int | None) -> None:
    """No more spaces go than there are, or than were allowed to."""
    before = styled(line)
    there = len(line.plain) - len(line.plain.rstrip(" "))
    line.strip_end(most)
    gone = there if most is None else min(there, max(most, 0))
    assert before[: len(before) - gone] == styled(line)


def test_padding_is_measured_in_cells() -> None:
    """A wide character takes two cells, and padding by less than one space adds none."""
    line = Line(("\u6f22", "bold"))
    line.pad(5 - line.cell_len)
    line.pad(-1)
    assert ("\u6f22   ", 5) == (line.plain, line.cell_len)
