"""What all tests share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from oloproof.recording import waiting as idleness

if TYPE_CHECKING:
    from collections.abc import Iterator

# A loaded machine is no failure: no test of ours asserts a time.
settings.register_profile("oloproof", deadline=None)
settings.load_profile("oloproof")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What is known to take minutes has no limit."""
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.timeout(0))


@pytest.fixture(scope="session", autouse=True)
def _own_threads_of_pytest_are_idle() -> Iterator[None]:
    """The threads in which pytest-xdist waits for orders are no code of an agent's.

    Taken to be at work, each call that waits in vain would wait ten times as long.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(idleness, "_WAITS", idleness._WAITS | {"execnet"})
        yield
