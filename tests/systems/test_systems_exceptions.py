"""What is told of an exception."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from oloproof.canonical import encode
from oloproof.systems.exceptions import LONGEST_TEXT, describe, place


class MuteError(Exception):
    def __str__(self) -> str:
        raise KeyboardInterrupt


class OddError(Exception):
    def __str__(self) -> str:
        return 5  # type: ignore[return-value]


class TestDescribe:
    @pytest.mark.parametrize(
        ("error", "text"),
        [
            (ValueError("no"), "ValueError: no"),
            (ValueError(), "ValueError"),
            (ValueError("two\n  lines\t"), "ValueError: two lines"),
            (KeyError("k"), "KeyError: 'k'"),
            (ValueError("\ud800"), r"ValueError: \ud800"),
            (MuteError(), "MuteError (its text cannot be read)"),
            (OddError(), "OddError (its text cannot be read)"),
            (
                ExceptionGroup("in a group", [ValueError("first"), TypeError("second")]),
                "ExceptionGroup: in a group (2 sub-exceptions): ValueError: first",
            ),
        ],
    )
    def test_it_is_one_line(self, error: BaseException, text: str) -> None:
        """Type and text, whatever the text is."""
        assert text == describe(error)
        encode(describe(error))

    def test_a_long_text_is_cut(self) -> None:
        """Somebody may put a whole document into an exception."""
        told = describe(ValueError("x" * 10_000))
        assert len("ValueError: ") + LONGEST_TEXT == len(told)
        assert told.endswith("…")

    @pytest.mark.parametrize("before", range(LONGEST_TEXT - 12, LONGEST_TEXT + 1))
    def test_no_part_of_a_secret_is_left_where_it_is_cut(self, before: int) -> None:
        """It is cleaned while it is whole, line breaks and all."""
        secret = "KEY\nOF\nMINE"
        told = describe(ValueError("x" * before + secret), lambda t: t.replace(secret, "#"))
        assert "K" not in told.removeprefix("ValueError")


class TestPlace:
    def test_the_innermost_line_of_the_project_is_named(self) -> None:
        """A library that it called is not where to look."""
        with pytest.raises(json.JSONDecodeError) as caught:
            json.loads("{")
        here = Path(__file__)
        assert place(caught.value, here.parent) == (
            f"{here.name}:{caught.tb.tb_lineno} in test_the_innermost_line_of_the_project_is_named"
        )

    def test_without_one_it_is_the_innermost_line_outside_of_this_package(self) -> None:
        """Code that lies elsewhere is named by its file alone."""
        with pytest.raises(json.JSONDecodeError) as caught:
            json.loads("{")
        told = place(caught.value, Path("/nowhere")) or ""
        assert told.startswith("decoder.py:")
        assert told.endswith(" in raw_decode")

    def test_a_folder_with_a_like_name_is_not_this_package(self, tmp_path: Path) -> None:
        """A user's project may be called oloproof-something and lie beside it."""
        import oloproof

        beside = f"{Path(oloproof.__file__).parent}-demo/app.py"
        scope: dict[str, Any] = {}
        exec(compile("def f(): raise ValueError", beside, "exec"), scope)
        with pytest.raises(ValueError) as caught:
            scope["f"]()
        assert "app.py:1 in f" == place(caught.value, tmp_path)

    def test_an_exception_without_frames_has_no_place(self) -> None:
        """Such as one that was never raised."""
        assert place(ValueError()) is None
