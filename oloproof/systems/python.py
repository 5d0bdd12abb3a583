"""A system that is a Python object of the user's: found by name, told apart, called.

A class makes one instance a sandbox; a callable without required parameters is a factory,
called once a sandbox; anything else callable is the system itself. `kind` overrides.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from oloproof.contract import Conversational, Replayable, Stateful
from oloproof.errors import ConfigurationError, suggest
from oloproof.systems.exceptions import describe, place

if TYPE_CHECKING:
    from collections.abc import Callable

    from oloproof.canonical import JsonValue
    from oloproof.records.trajectory import AgentCheckpoint, AgentTrajectory, ReplayChange

    Clean = Callable[[str], str]

Kind = Literal["instance", "class", "factory", "function"]


class PythonSystem(NamedTuple):
    """A user's system, ready to be called. Its methods may be sync or async.

    `target` is what is called; `owner` the object that owns the sandbox: for a bound method
    the object it is bound to. `another` makes one more with a sandbox of its own; None where
    that cannot be, or where it would not help: a system that is not async does not let go.
    """

    target: Any
    owner: Any
    stateful: bool
    replayable: bool
    conversational: bool
    another: Callable[[], PythonSystem] | None = None

    @classmethod
    def of(cls, target: Any, make: Callable[[], Any] | None = None) -> PythonSystem:
        """The system that a target belongs to, with what it can do.

        `make` makes another target, where a class or a factory made this one.
        """
        owner = _owner(target)
        conversational = isinstance(owner, Conversational)
        called = owner.turn if conversational else target
        return cls(
            target,
            owner,
            stateful=isinstance(owner, Stateful),
            replayable=isinstance(owner, Replayable),
            conversational=conversational,
            another=(lambda: cls.of(make(), make)) if make and _is_async(called) else None,
        )

    def reset(self, state: JsonValue) -> Any:
        """Have the sandbox put into `state`; an awaitable where the system's method is async."""
        return self.owner.reset(state)

    def turn(self, message: str) -> Any:
        """The reply to the user's next message, or an awaitable of it."""
        return self.owner.turn(message)

    def snapshot(self) -> Any:
        """The sandbox as the system gives it, or an awaitable of that."""
        return self.owner.snapshot()

    def replay(
        self, trajectory: AgentTrajectory, *, checkpoint: AgentCheckpoint, change: ReplayChange
    ) -> Any:
        """The continuation as the system gives it, or an awaitable of that."""
        return self.owner.replay(trajectory, checkpoint=checkpoint, change=change)

    @property
    def single_call(self) -> bool:
        """Whether it can be called with an input; a system that is talked with need not be."""
        return callable(self.target) and (not self.conversational or _takes_input(self.target))

    @property
    def active_state(self) -> Callable[[], Any] | None:
        """The reader of the agent's own working state, where it has one."""
        reader = getattr(self.owner, "active_state", None)
        return reader if callable(reader) else None


def load_system(
    spec: str, root: Path, kind: Kind | None = None, *, clean: Clean = str
) -> PythonSystem:
    """The system that `module:attr` names, imported from the project folder `root`.

    Raises `ConfigurationError` when nothing of that name can be imported, made or called;
    `clean` takes secrets out of what the user's code raised.
    """
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    loader = _Loader(spec, root, clean)
    try:
        module_name, _, attribute = spec.partition(":")
        found = loader.attribute(loader.module(module_name), attribute)
        return loader.system(found, kind or tell_kind(found))
    except ConfigurationError:
        raise
    except BaseException as error:  # such as a property that raises
        raise loader.raised(
            f"looking into `{spec}`", error, "its attributes must be readable without a case"
        ) from error


def load_function(spec: str, root: Path) -> Callable[..., Any]:
    """The function that `module:attr` names in the project; `ConfigurationError` for another.

    What it raises becomes a `ConfigurationError`, too, with the line in the project.
    """
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    loader = _Loader(spec, root, str)
    module_name, separator, attribute = spec.partition(":")
    if not separator or not attribute:
        raise ConfigurationError(
            f"`{spec}` names no function", mend="write it as `module:function`"
        )
    found = loader.attribute(loader.module(module_name), attribute)
    if not callable(found):
        raise ConfigurationError(
            f"`{spec}` is a {type(found).__name__} that cannot be called", mend="name a function"
        )

    def called(*args: Any) -> Any:
        try:
            return found(*args)
        except Exception as error:
            raise loader.raised(
                f"calling `{spec}`", error, "what was done until then is kept"
            ) from error

    return called


def tell_kind(found: Any) -> Kind:
    """What an object is: a class, a factory, a function or an instance."""
    if inspect.isclass(found):
        return "class"
    routine = inspect.isroutine(found) or isinstance(found, functools.partial)
    if not routine:
        return "factory" if _takes_nothing(found) else "instance"
    if inspect.iscoroutinefunction(found):
        return "function"
    signature = _signature(found)
    return "function" if signature is None or _needs_or_gathers(signature) else "factory"


def _needs_or_gathers(signature: inspect.Signature) -> bool:
    """Whether it has a required parameter, or takes any number of them."""
    parameters = signature.parameters.values()
    return any(
        p.kind is p.VAR_POSITIONAL or (p.default is p.empty and p.kind is not p.VAR_KEYWORD)
        for p in parameters
    )


def _takes_nothing(found: Any) -> bool:
    """Whether it is an object that can be called, but not with an input."""
    return (
        callable(found)
        and not isinstance(found, Stateful | Conversational)
        and not (_takes_input(found))
    )


def _takes_input(found: Any) -> bool:
    # A decorator may add arguments of its own: what it takes counts, not what it wraps.
    signature = _signature(found, follow_wrapped=False)
    if signature is None:
        return True
    try:
        signature.bind(None)
    except TypeError:
        return False
    return True


def _is_async(called: Any) -> bool:
    return any(map(inspect.iscoroutinefunction, (called, getattr(called, "__call__", None))))  # noqa: B004


def _signature(found: Any, *, follow_wrapped: bool = True) -> inspect.Signature | None:
    try:
        return inspect.signature(found, follow_wrapped=follow_wrapped)
    except (TypeError, ValueError):
        return None  # some built-in callables tell nothing of theirs


def _owner(target: Any) -> Any:
    while isinstance(target, functools.partial):
        target = target.func
    return target.__self__ if inspect.ismethod(target) else target


@dataclass(frozen=True, slots=True)
class _Loader:
    """Finds and makes the object of one spec; every failure is an error for its user."""

    spec: str
    root: Path
    clean: Clean

    def module(self, name: str) -> Any:
        """The module, imported."""
        try:
            module = importlib.import_module(name)
        except BaseException as error:
            if isinstance(error, ModuleNotFoundError) and _is_part(error.name, name):
                raise self._no_module(name) from None
            if isinstance(error, ModuleNotFoundError):
                mend = f"install `{error.name}` into the environment that Oloproof runs in"
            elif isinstance(error, SyntaxError):
                mend = "correct the line"
            else:
                mend = "the module must import without side effects that need the run"
            raise self.raised(f"importing `{name}`", error, mend) from error
        self._refuse_hidden(name)
        return module

    def _refuse_hidden(self, name: str) -> None:
        """A file of the project whose name another module has taken already is never loaded."""
        own = self.root / f"{name.partition('.')[0]}.py"
        file = getattr(sys.modules.get(own.stem), "__file__", None)
        if own.is_file() and (file is None or not Path(file).is_relative_to(self.root)):
            raise ConfigurationError(
                f"`{self.spec}` means {own.name}, but another module is called `{own.stem}` too",
                where=file or "built into Python",
                mend=f"rename {own.name}: the name belongs to Python or to an installed package",
            )

    def attribute(self, module: Any, attribute: str) -> Any:
        """What the module holds under a name, or a name in a name."""
        found = module
        for part in attribute.split("."):
            if not hasattr(found, part):
                names = [name for name in vars(module) if not name.startswith("_")]
                raise ConfigurationError(
                    f"`{self.spec}` names nothing: {module.__name__} has no `{attribute}`",
                    where=getattr(module, "__file__", None),
                    mend=suggest(attribute, names),
                )
            found = getattr(found, part)
        return found

    def system(self, found: Any, kind: Kind) -> PythonSystem:
        """The system itself: a class or a factory is called, anything else taken as it is."""
        if kind not in ("class", "factory"):
            self._refuse_uncallable(found, f"`{self.spec}`")
            return PythonSystem.of(found)
        if not callable(found):
            raise ConfigurationError(
                f"`{self.spec}` is declared as {kind} but cannot be called",
                mend="correct `system.kind`",
            )
        return PythonSystem.of(self._made(found), functools.partial(self._made, found))

    def _made(self, maker: Any) -> Any:
        try:
            made = maker()
        except BaseException as error:
            raise self.raised(
                f"making the system from `{self.spec}`",
                error,
                "a class or a factory is called without arguments, once a sandbox",
            ) from error
        self._refuse_uncallable(made, f"what `{self.spec}` made")
        return made

    def _refuse_uncallable(self, found: Any, shown: str) -> None:
        kind = type(found).__name__
        if isinstance(found, Conversational) and not inspect.isclass(found):
            self._refuse_mute(found, shown)
        elif inspect.isawaitable(found):
            if inspect.iscoroutine(found):
                found.close()
            raise ConfigurationError(
                f"{shown} is a {kind}: a factory cannot be async",
                mend="make the system in a plain function; its methods may be async",
            )
        elif not callable(found):
            raise ConfigurationError(
                f"{shown} is a {kind} that cannot be called",
                mend="give it `__call__(self, input)` or `turn(self, message)`, or name a "
                "function or a bound method",
            )
        elif not _takes_input(found):
            raise ConfigurationError(
                f"{shown} cannot be called with an input: its parameters are {_signature(found)}",
                mend="it is called as `system(input)`; give further parameters a default",
            )

    def _refuse_mute(self, found: Conversational, shown: str) -> None:
        """Refuse a system that is talked with and takes no message."""
        if not callable(found.turn) or not _takes_input(found.turn):
            raise ConfigurationError(
                f"{shown} cannot be talked with: its `turn` takes no message",
                mend="it is called as `system.turn(message)`; give further parameters a default",
            )

    def raised(self, doing: str, error: BaseException, mend: str) -> ConfigurationError:
        """The error that says what the user's code raised, and where."""
        what = f"{doing} raised {describe(error, self.clean)}"
        if isinstance(error, SyntaxError) and error.filename:
            return ConfigurationError(what, where=f"{error.filename}:{error.lineno}", mend=mend)
        return ConfigurationError(what, where=place(error, self.root), mend=mend)

    def _no_module(self, name: str) -> ConfigurationError:
        local = [path.stem for path in self.root.glob("*.py")]
        local += [path.parent.name for path in self.root.glob("*/__init__.py")]
        return ConfigurationError(
            f"`{self.spec}` names a module that is not there: {name}",
            where=f"looked in {self.root} and the installed packages",
            mend=suggest(name, local) if local else f"write {name.replace('.', '/')}.py there",
        )


def _is_part(missing: str | None, name: str) -> bool:
    """Whether a missing module is the named one or a package it lies in."""
    return missing is not None and (name + ".").startswith(missing + ".")
