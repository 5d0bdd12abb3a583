"""What a system can ask of the case it runs in."""

from __future__ import annotations

import contextvars
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from oloproof.contract import (
    Conversational,
    CurrentCase,
    Replayable,
    Stateful,
    current_case,
    open_case,
)
from oloproof.errors import OloproofError


def a_case(name: str = "c-1", report: Any = None) -> CurrentCase:
    return CurrentCase(id=name, input_json=b'{"a":[1]}', report=report or (lambda _: None))


class TestCurrentCase:
    def test_it_knows_its_case(self) -> None:
        """Identifier, input, replicate and turn of the case are there."""
        with open_case(a_case()):
            case = current_case()
            assert ("c-1", {"a": [1]}, 1, None) == (case.id, case.input, case.replicate, case.turn)

    def test_its_input_is_a_fresh_copy_each_time(self) -> None:
        """What a system does to the input reaches nobody else."""
        with open_case(a_case()):
            current_case().input["a"].append(2)  # type: ignore[call-overload, index, union-attr]
            assert {"a": [1]} == current_case().input

    def test_outside_a_case_there_is_none(self) -> None:
        """The error says when it may be called."""
        with pytest.raises(OloproofError, match="outside a case"):
            current_case()

    def test_a_thread_without_context_finds_the_only_open_case(self) -> None:
        """Threads started by a library belong to the one case there is."""
        with open_case(a_case()), ThreadPoolExecutor(1) as pool:
            assert "c-1" == pool.submit(current_case).result().id

    def test_with_several_open_cases_a_thread_needs_a_context(self) -> None:
        """No case is guessed; in a copied context the right one is found."""
        with open_case(a_case("c-1")), ThreadPoolExecutor(1) as pool:
            context = contextvars.copy_context()
            with open_case(a_case("c-2")):
                assert "c-2" == current_case().id
                assert "several cases are open" in str(pool.submit(current_case).exception())
                assert "c-1" == pool.submit(context.run, current_case).result().id
            assert "c-1" == current_case().id

    def test_a_report_after_the_end_is_refused(self) -> None:
        """A thread or task that outlives its case does not speak for the next one."""
        reports: list[Any] = []
        case = a_case(report=reports.append)
        with open_case(case):
            case.agent_trajectory("first")  # type: ignore[arg-type]
        with pytest.raises(OloproofError, match="after the end of case `c-1`"):
            case.agent_trajectory("second")  # type: ignore[arg-type]
        assert ["first"] == reports

    def test_a_case_is_closed_however_its_block_ends(self) -> None:
        """An exception leaves no case open."""
        with pytest.raises(KeyboardInterrupt), open_case(a_case()):
            raise KeyboardInterrupt
        with pytest.raises(OloproofError, match="outside a case"):
            current_case()


class TestProtocols:
    def test_a_system_is_what_it_can_do(self) -> None:
        """No base class is needed: the methods tell."""

        class Desk:
            def reset(self, state: Any) -> None: ...
            def snapshot(self) -> Any: ...
            async def replay(self, trajectory: Any, *, checkpoint: Any, change: Any) -> Any: ...

        class Chat:
            def turn(self, message: str) -> Any: ...

        assert isinstance(Desk(), Stateful)
        assert isinstance(Desk(), Replayable)
        assert not isinstance(Desk(), Conversational)
        assert isinstance(Chat(), Conversational)
        assert not isinstance(Chat(), Stateful)
