"""JSON values as they are laid out."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from oloproof.reporting.terminal.page import Page
from oloproof.reporting.terminal.text import visible
from oloproof.reporting.terminal.values import layout, size, write_context, write_value

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=30,
)


@given(values, st.integers(10, 80))
def test_a_layout_is_the_value(value: object, width: int) -> None:
    """The lines are JSON of the value, with its keys in the order given."""
    shown = json.loads("\n".join(layout(value, width)))  # type: ignore[arg-type]  # JSON
    assert json.dumps(value) == json.dumps(shown)


@given(values)
def test_a_value_stays_on_one_line_where_it_fits(value: object) -> None:
    """Nothing is spread over lines without need."""
    flat = json.dumps(value, ensure_ascii=False)
    lines = layout(value, 40)  # type: ignore[arg-type]  # JSON
    if cell_len(visible(flat)) <= 40:
        assert [flat] == lines


def test_depth_does_not_push_a_value_off_the_page() -> None:
    """However deep a value is nested, something of each line is left for it."""
    value: list[object] = ["the innermost"]
    for _ in range(150):
        value = [value, 1]
    page = Page(40)
    write_value(page, value)  # type: ignore[arg-type]  # JSON
    assert "the innermost" in page.text
    assert all(line.cell_len <= 40 for line in page.lines)


def test_both_ends_of_a_large_value_are_those_of_the_whole() -> None:
    """What is left out before laying out is only what would be left out after it."""
    large = {f"k{n:03}": {f"i{m:03}": [m] * 5 for m in range(60)} for n in range(90)}
    page = Page(60)
    write_context(page, large)  # type: ignore[arg-type]  # JSON
    whole = layout(large, 60)  # type: ignore[arg-type]  # JSON
    shown = page.text.splitlines()
    assert whole[:12] == shown[:12]
    assert whole[-12:] == shown[-12:]
    assert f"left out of {size(large)}" in shown[12]  # type: ignore[arg-type]  # JSON


def test_a_long_text_that_decides_nothing_is_shortened_in_its_middle() -> None:
    """Its two ends stay, and it is said how much is not there."""
    page = Page(80)
    write_context(page, "a" * 1000 + "b" * 1000)
    assert page.text.startswith('"aaa')
    assert page.text.endswith('bbb"')
    assert "1,682 characters left out" in " ".join(page.text.split())


def test_sizes_are_told_in_their_units() -> None:
    """Bytes, then thousands and millions of them."""
    assert "1 byte" == size(1)
    assert ("2 bytes", "1.0 kB", "1.0 MB") == (size(""), size("x" * 1000), size("x" * 1_000_000))
