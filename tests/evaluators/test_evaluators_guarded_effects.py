"""Effects that rest on the current revision of the working state, and on its permission."""

from __future__ import annotations

from typing import Any

import pytest
from conversation_samples import called, came_back, conversation, judged, places, updated

LINE = {"type": "guarded_effects", "tools": ["reserve"]}


def state(revision: Any = 1, *, allowed: Any = True) -> dict[str, Any]:
    return {"revision": revision, "permissions": {"reserve": allowed}}


def reserve(revision: int | None = 1, **fields: Any) -> dict[str, Any]:
    given = {} if revision is None else {"state_revision": revision}
    return called("reserve", {"room": "amber"}, **given, **fields)


QUEUED = reserve(1, status="queued", call_id="q")
DONE = came_back("reserve", {"accepted": True}, status="executed", call_id="q")
CANCELLED = came_back("reserve", status="cancelled", call_id="q")


def test_an_effect_on_the_current_state_with_permission_passes() -> None:
    """All three guards are compared."""
    verdict = judged(LINE, conversation([reserve()], active=[state()]))
    assert "p" == verdict.code
    assert [
        ("reserve.committed", 1, True),
        ("reserve.state_revision", 1, True),
        ("permissions.reserve", 1, True),
    ] == places(verdict)


def test_a_queued_action_of_an_older_revision_must_not_be_executed() -> None:
    """Cancelled and built again it may be; carried over it may not."""
    update = updated(2, constraints__attendees=6)
    active = [state(1), state(2)]
    verdict = judged(LINE, conversation([QUEUED], [update, DONE], active=active))
    assert "f:planning" == verdict.code
    assert (
        "reserve (step 1 of turn 1, executed at step 3 of turn 2) rests on revision 1, "
        "and revision 2 held when it was executed" == verdict.detail
    )
    rebuilt = conversation([QUEUED], [update, CANCELLED, reserve(2)], active=active)
    assert "p" == judged(LINE, rebuilt).code
    again = called("reserve", status="executed", call_id="q", state_revision=2)
    carried = conversation([QUEUED], [update, again], active=active)
    assert "f:planning" == judged(LINE, carried).code
    in_time = conversation([QUEUED, DONE], [update], active=active)
    assert "p" == judged(LINE, in_time).code


def test_a_result_that_comes_back_after_a_cancellation_is_an_effect() -> None:
    """The tool ran, and on the revision on which the call was queued."""
    plain = came_back("reserve", {"accepted": True}, call_id="q")
    update = updated(2, constraints__attendees=6)
    active = [state(1), state(2)]
    verdict = judged(LINE, conversation([QUEUED], [update, CANCELLED, plain], active=active))
    assert "f:planning" == verdict.code
    assert "executed at step 4 of turn 2" in str(verdict.detail)


@pytest.mark.parametrize("allowed", [False, None, 1, "yes"])
def test_an_effect_without_permission_fails(allowed: Any) -> None:
    """Only true is a permission."""
    verdict = judged(LINE, conversation([reserve()], active=[state(allowed=allowed)]))
    assert "f:planning" == verdict.code
    assert "was executed without permission: `permissions.reserve` is" in str(verdict.detail)


def test_a_permission_that_was_withdrawn_before_holds_for_the_queue() -> None:
    """It is that of the moment when the call was executed."""
    update = updated(2, permissions__reserve=False)
    context = conversation([QUEUED], [update, DONE], active=[state(1), state(2, allowed=False)])
    assert "f:planning" == judged(LINE | {"revision": None}, context).code
    before = conversation([QUEUED], [DONE, update], active=[state(1), state(2, allowed=False)])
    assert "p" == judged(LINE | {"revision": None}, before).code


def test_an_absent_permission_is_none_and_its_place_can_be_named() -> None:
    """The place holds the name of the tool where it says so."""
    context = conversation([reserve()], active=[{"revision": 1, "may": ["x"], "reserve ok": True}])
    assert "f:planning" == judged(LINE, context).code
    assert "f:planning" == judged(LINE | {"permission": "may"}, context).code
    assert "p" == judged(LINE | {"permission": "{tool} ok"}, context).code
    assert "p" == judged(LINE | {"permission": None}, context).code


def test_acting_between_a_proposed_update_and_its_commit_fails() -> None:
    """An update that is rejected, or committed first, holds nobody up."""
    proposed, committed = updated(2, committed=False), updated(2)
    active = [state(2)]
    line = LINE | {"revision": None}
    verdict = judged(line, conversation([proposed, reserve(1), committed], active=active))
    assert "f" == verdict.code
    assert (
        "reserve (step 2 of turn 1) was executed before revision 2 was committed: "
        "it is proposed at step 1, and committed at step 3" == verdict.detail
    )
    for steps in (
        [proposed, committed, reserve(2)],
        [reserve(2), proposed, committed],
        [proposed, reserve(2)],
        [proposed, called("search"), committed, reserve(2)],
    ):
        context = conversation([], steps, active=[state(2), state(2)])
        assert "p" == judged(line, context).code


def test_what_is_not_recorded_is_missing() -> None:
    """Without the revision or the state nothing can be said, and what is seen stands."""
    unknown = judged(LINE, conversation([reserve(None)], active=[state()]))
    assert "m:no_revision" == unknown.code
    assert "does not say on which revision it rests" in str(unknown.detail)
    assert "m:no_revision" == judged(LINE, conversation([reserve()])).code
    assert (
        "m:no_recorded_state" == judged(LINE | {"revision": None}, conversation([reserve()])).code
    )
    refused = conversation([reserve(None)], active=[state(allowed=False)])
    assert "f:planning" == judged(LINE, refused).code


def test_the_revision_may_be_known_from_the_updates_alone() -> None:
    """The one that an earlier turn committed last holds."""
    line = LINE | {"permission": None}
    for rests_on, code in ((2, "p"), (1, "f:planning")):
        context = conversation([updated(1), updated(2)], [reserve(rests_on)])
        assert code == judged(line, context).code


def test_without_an_effect_it_does_not_speak() -> None:
    """Neither blocked, nor proposed, nor queued is executed; another tool is none of them."""
    for step in (reserve(status="blocked"), reserve(status="proposed"), QUEUED, called("search")):
        assert "n:no_effect" == judged(LINE, conversation([step], active=[state(9)])).code


def test_a_permission_that_may_have_been_granted_afterwards_is_missing() -> None:
    """Where no update tells when it came, neither turn nor revision covers what was done."""
    line, bare = LINE | {"revision": None}, reserve(None)
    granted = [state(allowed=False), state(allowed=True)]
    assert "m:permission_not_dated" == judged(line, conversation([], [bare], active=granted)).code
    assert (
        "m:permission_not_dated" == judged(LINE, conversation([], [reserve()], active=granted)).code
    )
    assert "m:permission_not_dated" == judged(line, conversation([bare], active=[state()])).code
    dated = updated(1, permissions__reserve=True)
    for steps, code in (([dated, bare], "p"), ([bare, dated], "f:planning")):
        assert code == judged(line, conversation([], steps, active=granted)).code
    kept = conversation([], [bare], active=[state(), state()])
    assert "p" == judged(line, kept).code
    newer = conversation([], [reserve(2)], active=[state(1, allowed=False), state(2)])
    assert "p" == judged(LINE, newer).code
