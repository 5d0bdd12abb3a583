"""Declared retries."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import pytest

from oloproof.canonical import encode
from oloproof.errors import TransientError
from oloproof.execution.calling import Called, Caller
from oloproof.execution.retrying import Retries


class RateLimitError(TransientError):
    pass


@dataclass
class Attempt:
    called: Called
    outage: bool = False

    def met_outage(self) -> None:
        self.outage = True


def attempts(*errors: BaseException | None) -> Any:
    """An attempt that fails as told, one time after the other."""
    left = list(errors)

    def attempt() -> Attempt:
        error = left.pop(0)

        def act() -> str:
            if error is not None:
                raise error
            return "done"

        return Attempt(Caller(None).call("call", act))

    return attempt


class TestRetries:
    def test_without_retries_there_is_one_attempt(self) -> None:
        """Nothing is declared, nothing is tried again."""
        performance, before, waited_s = Retries().run(attempts(TransientError("busy")))
        assert ("raised", [], 0.0) == (performance.called.outcome.status, before, waited_s)
        assert performance.outage

    def test_a_transient_error_is_tried_again_and_recorded(self) -> None:
        """The last attempt counts; those before it are kept beside it."""
        retries = Retries(attempts=3, wait_s=0)
        errors = (TransientError("1"), TransientError("2"), None)
        performance, before, _ = retries.run(attempts(*errors))
        assert "done" == performance.called.value
        assert ["TransientError: 1", "TransientError: 2"] == [b["error"] for b in before]

    def test_the_last_failure_is_the_outcome(self) -> None:
        """No more than the declared number is tried."""
        retries = Retries(attempts=2, wait_s=0)
        performance, before, _ = retries.run(attempts(TransientError("1"), TransientError("2")))
        assert "TransientError: 2" == performance.called.outcome.error
        assert ["TransientError: 1"] == [b["error"] for b in before]
        assert performance.outage

    @pytest.mark.parametrize("number", [1, 3])
    def test_what_the_last_attempt_met_is_an_outage(self, number: int) -> None:
        """Only where it is a declared exception: another one, or none at all, is the system's."""
        for last, expected in ((RateLimitError("429"), True), (ValueError("no"), False)):
            errors = [TransientError("busy")] * (number - 1) + [last]
            made, before, _ = Retries(attempts=number, wait_s=0).run(attempts(*errors))
            assert (expected, number - 1) == (made.outage, len(before))
        assert not Retries(attempts=number, wait_s=0).run(attempts(None))[0].outage

    def test_other_errors_are_not_tried_again(self) -> None:
        """A wrong answer or a bug is an outcome."""
        performance, before, _ = Retries(attempts=3, wait_s=0).run(attempts(ValueError("no")))
        assert ("ValueError: no", []) == (performance.called.outcome.error, before)

    @pytest.mark.parametrize(
        ("on", "error", "transient"),
        [
            ("TransientError", RateLimitError(), True),
            ("RateLimitError", TransientError(), False),
            ("oloproof.errors.TransientError", RateLimitError(), True),
            ("openai.TransientError", TransientError(), False),
            ("TransientError", ExceptionGroup("", [TransientError(), RateLimitError()]), True),
            ("TransientError", ExceptionGroup("", [TransientError(), ValueError()]), False),
            ("SystemExit", SystemExit(), True),
            ("TransientError", None, False),
        ],
    )
    def test_classes_are_named_alone_or_with_their_module(
        self, on: str, error: BaseException | None, transient: bool
    ) -> None:
        """Derived classes count too, and a group when everything in it does."""
        assert transient == Retries(on=(on,)).is_transient(error)

    def test_waiting_doubles_and_is_told(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The clock of whoever watches can be stopped meanwhile, and the time is not the case's."""
        slept: list[float] = []
        told: list[float] = []
        monkeypatch.setattr(time, "sleep", slept.append)
        retries = Retries(attempts=4, wait_s=0.5, before_wait=told.append)
        _, _, waited_s = retries.run(attempts(*[TransientError()] * 4))
        assert [0.5, 1.0, 2.0] == slept == told
        assert b"[0.5,1.0,2.0]" == encode(told)  # it has to cross a pipe
        assert 3.5 == waited_s
