"""A system that is a Python object of the user's: found by name, told apart, called.

A class makes one instance a worker; a callable without required parameters is a factory,
called once a worker; anything else callable is the system itself. `kind` overrides.
"""

from __future__ import annotations

import importlib
import inspect
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from oloproof.contract import Conversational, Replayable, Stateful
from oloproof.errors import ConfigurationError, suggest

if TYPE_CHECKING:
    from collections.abc import Callable

Kind = Literal["instance", "class", "factory", "function"]


@dataclass(frozen=True, slots=True)
class PythonSystem:
    """A user's system, ready to be called. Its methods may be sync or async."""

    target: Any
    name: str

    @property
    def stateful(self) -> bool:
        """Whether it has a sandbox to reset and to read."""
        return isinstance(self.owner, Stateful)

    @property
    def replayable(self) -> bool:
        """Whether it has a hand-written `replay`."""
        return isinstance(self.owner, Replayable)

    @property
    def conversational(self) -> bool:
        """Whether it is talked with, turn by turn."""
        return isinstance(self.target, Conversational)

    @property
    def owner(self) -> Any:
        """The object that owns the sandbox: for a bound method the object it is bound to."""
        return getattr(self.target, "__self__", self.target)

    @property
    def active_state(self) -> Callable[[], Any] | None:
        """The reader of the agent's own working state, where it has one."""
        reader = getattr(self.owner, "active_state", None)
        return reader if callable(reader) else None


def load_system(spec: str, root: Path, kind: Kind | None = None) -> PythonSystem:
    """The system that `module:attr` names, imported from the project folder `root`.

    Raises `ConfigurationError` when nothing of that name can be imported, made or called.
    """
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    module_name, _, attribute = spec.partition(":")
    found = _attribute(_import(module_name, spec, root), attribute, spec)
    return PythonSystem(instantiate(found, spec, kind), spec)


def instantiate(found: Any, spec: str, kind: Kind | None = None) -> Any:
    """The system itself: a class or a factory is called, anything else is taken as it is."""
    kind = kind or tell_kind(found)
    if kind in ("class", "factory"):
        if not callable(found):
            raise ConfigurationError(
                f"`{spec}` is declared as {kind} but cannot be called", mend="correct `system.kind`"
            )
        try:
            found = found()
        except BaseException as error:
            raise ConfigurationError(
                f"making the system from `{spec}` raised {_brief(error)}",
                where=_last_line(error),
                mend="a class or a factory is called without arguments, once a worker",
            ) from error
    if not callable(found) and not isinstance(found, Conversational):
        raise ConfigurationError(
            f"`{spec}` is a {type(found).__name__} that cannot be called",
            mend="give it `__call__(self, input)`, or name a function or a bound method",
        )
    return found


def tell_kind(found: Any) -> Kind:
    """What an object is: a class, a factory, a function or an instance."""
    if inspect.isclass(found):
        return "class"
    is_function = inspect.isroutine(found) or inspect.isfunction(getattr(found, "func", None))
    if is_function and not inspect.iscoroutinefunction(found):
        try:
            parameters = inspect.signature(found).parameters.values()
        except (TypeError, ValueError):
            return "function"
        required = [
            p
            for p in parameters
            if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
        ]
        takes_any = any(p.kind is p.VAR_POSITIONAL for p in parameters)
        return "function" if required or takes_any else "factory"
    return "function" if is_function else "instance"


def _import(module_name: str, spec: str, root: Path) -> Any:
    try:
        return importlib.import_module(module_name)
    except BaseException as error:
        absent = isinstance(error, ModuleNotFoundError) and (
            error.name is not None and (module_name + ".").startswith(error.name + ".")
        )
        if absent:
            local = [path.stem for path in root.glob("*.py")] + [
                path.parent.name for path in root.glob("*/__init__.py")
            ]
            raise ConfigurationError(
                f"`{spec}` names a module that is not there: {module_name}",
                where=f"looked in {root} and the installed packages",
                mend=suggest(module_name, local),
            ) from None
        raise ConfigurationError(
            f"importing `{module_name}` raised {_brief(error)}",
            where=_last_line(error),
            mend="the module must import without side effects that need the run",
        ) from error


def _attribute(module: Any, attribute: str, spec: str) -> Any:
    found = module
    for part in attribute.split("."):
        if not hasattr(found, part):
            names = [name for name in vars(module) if not name.startswith("_")]
            raise ConfigurationError(
                f"`{spec}` names nothing: {module.__name__} has no `{attribute}`",
                where=getattr(module, "__file__", None),
                mend=suggest(attribute, names),
            )
        found = getattr(found, part)
    return found


def _brief(error: BaseException) -> str:
    text = str(error).split("\n")[0][:200]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _last_line(error: BaseException) -> str | None:
    frames = traceback.extract_tb(error.__traceback__)
    outside = [frame for frame in frames if "importlib" not in frame.filename]
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}:{error.lineno}"
    return f"{outside[-1].filename}:{outside[-1].lineno}" if outside else None
