"""Where calling code stands, and what the parts of a session ask of each other there."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, NoReturn, Protocol, TypeAlias

if TYPE_CHECKING:
    from datetime import timedelta
    from threading import Condition

    from oloproof.recording.events import Event, Origin
    from oloproof.recording.late import LateCalls
    from oloproof.records.evidence import Divergence


class OpenCase(Protocol):
    """What code that finds its place, or waits there, asks of the session of its case."""

    root: Scope
    clock: int
    condition: Condition
    is_open: bool
    is_unclear: bool
    late: LateCalls
    origin: Origin
    preparing: bool
    sandbox: object

    def instant_of(self, ticks: int) -> timedelta:
        """How long after its beginning the case is, for the so-many-th look at the clock."""

    def fork(self, scope: Scope, what: str) -> Scope:
        """A lane that begins here, told apart by what it does first."""

    def note_adopted(self) -> None:
        """Count a call out of a thread that lost its context."""

    def outside(self, name: str) -> None:
        """Note that a call was made which cannot be told to be this case's."""


class Block(Protocol):
    """A block of ours; what is called in it is no effect of the agent until it is over."""

    over: bool


def identity(*parts: object) -> str:
    """A short digest of what tells something apart."""
    text = "\0".join(map(str, parts))
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


class Scope:
    """A place in which calls and draws are counted: a session, a lane, or the body of a call.

    Its key depends on nothing but what the program did to get there.
    """

    __slots__ = ("_counts", "key", "latest")

    def __init__(self, key: str) -> None:
        self.key: Final = key
        self.latest: timedelta | None = None  # how late it was when code here last looked
        self._counts: dict[str, int] = {}

    def next(self, what: str) -> str:
        """The identity of the next thing of this kind done here."""
        number = self._counts.get(what, 0)
        self._counts[what] = number + 1
        return identity(self.key, what, number)

    def count(self, what: str) -> int:
        """How often this was done here before; it is now once more."""
        number = self._counts.get(what, 0)
        self._counts[what] = number + 1
        return number


class Position:
    """Where code stands in a session; `last` is the call it made last, `parent` the one it is in.

    `block` is the block of ours in which it stands, such as a call of `snapshot` or `reset`,
    `home` the sandbox of code that was begun outside of every case.
    """

    __slots__ = ("adopted", "block", "home", "last", "owner", "parent", "scope", "session")

    def __init__(
        self,
        session: OpenCase | None,
        owner: int,
        scope: Scope,
        *,
        parent: Event | None = None,
        last: int | None = None,
        adopted: bool = False,
        block: Block | None = None,
        home: Home | None = None,
    ) -> None:
        self.session = session
        self.owner = owner
        self.scope = scope
        self.parent = parent
        self.last = last
        self.adopted = adopted
        self.block = block
        self.home = home

    @property
    def is_ours(self) -> bool:
        """Whether what is called here is no effect of the agent."""
        return self.block is not None and not self.block.over


class Home:
    """A sandbox, with the case that is open in it."""

    __slots__ = ("session",)

    def __init__(self) -> None:
        self.session: OpenCase | None = None


Runs: TypeAlias = "list[tuple[object, Exception | None]]"
"""What the runs of a struck tool returned or raised."""


class ReplayedCase(OpenCase, Protocol):
    """What directs the calls of a replay, and strikes some, asks of its session."""

    events: list[Event]
    fired: bool
    virtual_s: float

    @property
    def trusted(self) -> bool:
        """Whether it went as its recording did, so far."""

    def diverge(self, divergence: Divergence) -> NoReturn:
        """The replay went another way than its recording."""

    def stop(self, reason: str, detail: str) -> NoReturn:
        """The replay says nothing any more, and why."""

    def arrive(self, event: Event) -> None:
        """Under the lock: a call may begin."""

    def go_on(self) -> None:
        """The fault is delivered; from here on the case is live."""

    def is_recorded(self, event: Event) -> bool:
        """Whether the answer of a call is taken from the recording."""


class Direction(Protocol):
    """What a replay does at each call."""

    def before(self, event: Event) -> None:
        """Wait until a call may begin, in a thread."""

    async def before_async(self, event: Event) -> None:
        """Wait until a call may begin, in a task."""

    def until_end(self, event: Event) -> None:
        """Wait until a call may come back, in a thread."""

    async def until_end_async(self, event: Event) -> None:
        """Wait until a call may come back, in a task."""

    def wait_for_ever(self) -> NoReturn:
        """Wait in a thread until the session is over."""

    async def wait_for_ever_async(self) -> NoReturn:
        """Wait in a task until it is cancelled or the session is over."""

    def serve(self, event: Event) -> Any:
        """What the recording has for a call: the value, or its exception raised."""

    def runs(self, event: Event) -> int:
        """How often a struck function runs."""

    def deliver(self, event: Event, runs: Runs) -> Any:
        """What the agent sees of a fault, given what the tool's runs returned or raised."""
