"""Finds and makes the Python object of the user's that a suite names."""

from __future__ import annotations

import functools
import importlib
import inspect
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from oloproof.contract import Conversational
from oloproof.errors import ConfigurationError, OloproofError, nearest, suggest
from oloproof.systems.exceptions import describe, place
from oloproof.systems.lifetime import lifetime_of, only_gives
from oloproof.systems.python import Kind, PythonSystem, signature_of, takes_input, tell_kind

if TYPE_CHECKING:
    from collections.abc import Callable

    Clean = Callable[[str], str]

_SANDBOX: Final = ("reset", "snapshot")
_CALLED: Final = {"reset": "reset(self, state)", "snapshot": "snapshot(self)"}
OPTIONS: Final = {
    "tool": ("name", "call_id", "reads", "on_fault"),
    "model": ("name", "call_id", "on_fault"),
}
"""The options of the decorators of tools and models."""
_UNKNOWN_OPTION: Final = re.compile(r"(tool|model)\(\) got an unexpected keyword argument '(\w+)'")


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


def load_object(spec: str, root: Path | None = None) -> Any:
    """The module, or what `module:attr` names in one, of the project in `root`.

    Raises `ConfigurationError` when nothing of that name can be imported.
    """
    if root is not None and str(root) not in sys.path:
        sys.path.insert(0, str(root))
    loader = _Loader(spec, root or Path(), str)
    name, _, attribute = spec.partition(":")
    module = loader.module(name)
    return loader.attribute(module, attribute) if attribute else module


def load_function(spec: str, root: Path) -> Callable[..., Any]:
    """The function that `module:attr` names in the project; `ConfigurationError` for another.

    What it raises becomes a `ConfigurationError`, too, with the line in the project.
    """
    module_name, separator, attribute = spec.partition(":")
    if not separator or not attribute:
        raise ConfigurationError(f"`{spec}` names no function", fix="write it as `module:function`")
    found = load_object(spec, root)
    loader = _Loader(spec, root, str)
    if not callable(found):
        raise ConfigurationError(
            f"`{spec}` is {_with_article(type(found).__name__)} that cannot be called",
            where=getattr(sys.modules.get(module_name), "__file__", None),
            fix="name a function",
        )

    def called(*args: Any) -> Any:
        try:
            return found(*args)
        except Exception as error:
            raise loader.raised(
                f"calling `{spec}`", error, "what was done until then is kept"
            ) from error

    return called


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
                fix = f"install `{error.name}` into the environment that Oloproof runs in"
            elif isinstance(error, SyntaxError):
                fix = "correct the line"
            elif isinstance(error, OloproofError) and error.fix:
                fix = error.fix
            elif isinstance(error, TypeError) and (option := _UNKNOWN_OPTION.match(str(error))):
                declared, given = option.groups()
                said = suggest(given, OPTIONS[declared])
                fix = f"`@oloproof.{declared}` has no option `{given}`: {said}"
            else:
                fix = "the module must import without side effects that need the run"
            raise self.raised(f"importing `{name}`", error, fix) from error
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
                fix=f"rename {own.name}: the name belongs to Python or to an installed package",
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
                    fix=suggest(attribute, names),
                )
            found = getattr(found, part)
        return found

    def system(self, found: Any, kind: Kind) -> PythonSystem:
        """The system itself: a class or a factory is called, anything else taken as it is."""
        if kind not in ("class", "factory"):
            self._refuse_uncallable(found, f"`{self.spec}`")
            return self._living(PythonSystem.of(found))
        if not callable(found):
            raise ConfigurationError(
                f"`{self.spec}` is declared as {kind} but cannot be called",
                fix="correct `system.kind`",
            )
        make = functools.partial(self._made, found)
        return self._living(PythonSystem.of(make(), make))

    def _living(self, system: PythonSystem) -> PythonSystem:
        """The system with the way in which it is opened and closed, if it has one."""
        another = system.another
        return self._whole(system)._replace(
            another=None if another is None else lambda: self._living(another()),
            lifetime=lifetime_of(system.owner),
            opened=functools.partial(self._opened, system),
        )

    def _opened(
        self, system: PythonSystem, given: Any, error: BaseException | None
    ) -> PythonSystem:
        """The system of what entering it gave; the object that was entered, where that is it."""
        if error is not None:
            fix = "what it needs must be there before any case runs"
            raise self.raised(f"opening `{self.spec}`", error, fix) from error
        owner = system.owner
        if only_gives(owner):
            self._refuse_uncallable(given, f"what entering `{self.spec}` gave")
        elif given is owner or not (callable(given) or isinstance(given, Conversational)):
            return system
        return self._whole(PythonSystem.of(given))

    def _whole(self, system: PythonSystem) -> PythonSystem:
        """The system, unless it has half a sandbox or one that cannot be reset to a state."""
        owner, shown = system.owner, f"the system `{self.spec}`"
        there = [name for name in _SANDBOX if callable(getattr(owner, name, None))]
        if inspect.ismodule(owner) or inspect.isroutine(owner) or not there:
            return system
        if not system.stateful:
            [lacking] = set(_SANDBOX) - {*there}
            names = [name for name in dir(owner) if not name.startswith("_") and name not in there]
            near = nearest(lacking, names)
            raise ConfigurationError(
                f"{shown} has `{there[0]}` and no `{lacking}`",
                fix=f"rename `{near}` to `{lacking}`"
                if near
                else f"give it `{_CALLED[lacking]}` too, or name a function that calls the object",
            )
        if not takes_input(owner.reset):
            raise ConfigurationError(
                f"the `reset` of {shown} takes no state: its parameters are "
                f"{signature_of(owner.reset)}",
                fix="it is called as `system.reset(state)` with the case's `initial_state`",
            )
        return system

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
        if only_gives(found):
            return  # what it gives is looked at when it is entered
        kind = type(found).__name__
        if isinstance(found, Conversational) and not inspect.isclass(found):
            self._refuse_mute(found, shown)
        elif inspect.isawaitable(found):
            if inspect.iscoroutine(found):
                found.close()
            raise ConfigurationError(
                f"{shown} is {_with_article(kind)}: a factory cannot be async",
                fix="make the system in a plain function; its methods may be async",
            )
        elif not callable(found):
            raise ConfigurationError(
                f"{shown} is {_with_article(kind)} that cannot be called",
                fix="give it `__call__(self, input)` or `turn(self, message)`, or name a "
                "function or a bound method",
            )
        elif not takes_input(found):
            raise ConfigurationError(
                f"{shown} cannot be called with an input: its parameters are {signature_of(found)}",
                fix="it is called as `system(input)`; give further parameters a default",
            )

    def _refuse_mute(self, found: Conversational, shown: str) -> None:
        """Refuse a system that is talked with and takes no message."""
        if not callable(found.turn) or not takes_input(found.turn):
            raise ConfigurationError(
                f"{shown} cannot be talked with: its `turn` takes no message",
                fix="it is called as `system.turn(message)`; give further parameters a default",
            )

    def raised(self, doing: str, error: BaseException, fix: str) -> ConfigurationError:
        """The error that says what the user's code raised, and where."""
        what = f"{doing} raised {describe(error, self.clean)}"
        if isinstance(error, SyntaxError) and error.filename:
            return ConfigurationError(what, where=f"{error.filename}:{error.lineno}", fix=fix)
        return ConfigurationError(what, where=place(error, self.root), fix=fix)

    def _no_module(self, name: str) -> ConfigurationError:
        local = [path.stem for path in self.root.glob("*.py")]
        local += [path.parent.name for path in self.root.glob("*/__init__.py")]
        return ConfigurationError(
            f"`{self.spec}` names a module that is not there: {name}",
            where=f"looked in {self.root} and the installed packages",
            fix=suggest(name, local) if local else f"write {name.replace('.', '/')}.py there",
        )


def _with_article(kind: str) -> str:
    return f"{'an' if kind[:1].lower() in 'aeiou' else 'a'} {kind}"


def _is_part(missing: str | None, name: str) -> bool:
    """Whether a missing module is the named one or a package it lies in."""
    return missing is not None and (name + ".").startswith(missing + ".")
