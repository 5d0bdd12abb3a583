"""Systems that are Python objects: how they are found, told apart and made."""

from __future__ import annotations

import functools
import inspect
import sys
from typing import TYPE_CHECKING, Any

import pytest

import oloproof
from oloproof.errors import ConfigurationError
from oloproof.systems.loading import OPTIONS, load_system
from oloproof.systems.python import PythonSystem, tell_kind

if TYPE_CHECKING:
    from tests.systems.conftest import WriteProject

DESK = """
import asyncio, functools

class Desk:
    made = 0
    def __init__(self):
        type(self).made += 1
        self.state = None
    def reset(self, state): self.state = state
    def snapshot(self): return self.state
    def __call__(self, request): return ["called", request]
    def handle(self, request, verbose=False): return ["handled", request, verbose]
    async def handle_async(self, request): return ["awaited", request]

desk = Desk()
async def later(request): return ["later", request]
def now(request): return ["now", request]
def gather(*requests): return ["gathered", *requests]
def make(): return Desk()
def make_function(): return now
make_later = functools.partial(lambda kind: kind(), Desk)
bound = functools.partial(desk.handle, verbose=True)

class Space:
    desk = Desk()

class Plain:
    def __call__(self, request="none"): return ["plain", request]

class Maker:
    def __call__(self): return Desk()

plain = Plain()
maker = Maker()

def injecting(function):
    @functools.wraps(function)
    def wrapper(*args): return function("db", *args)
    return wrapper

@injecting
def decorated(db, request): return [db, request]
"""


class TestKinds:
    @pytest.mark.parametrize(
        ("attribute", "answer", "stateful"),
        [
            ("Desk", ["called", 1], True),
            ("desk", ["called", 1], True),
            ("desk.handle", ["handled", 1, False], True),
            ("bound", ["handled", 1, True], True),
            ("make", ["called", 1], True),
            ("make_later", ["called", 1], True),
            ("make_function", ["now", 1], False),
            ("maker", ["called", 1], True),
            ("Space.desk", ["called", 1], True),
            ("now", ["now", 1], False),
            ("gather", ["gathered", 1], False),
            ("plain", ["plain", 1], False),
            ("Plain", ["plain", 1], False),
            ("decorated", ["db", 1], False),
        ],
    )
    def test_every_kind_of_callable_is_a_system(
        self, project: WriteProject, attribute: str, answer: Any, stateful: bool
    ) -> None:
        """Class, instance, factory, function, bound method and partial: each as one expects."""
        system = load_system(f"app:{attribute}", project(app=DESK))
        assert answer == system.target(1)
        assert stateful == system.stateful

    def test_a_class_makes_one_instance(self, project: WriteProject) -> None:
        """It is made when it is loaded, and never again."""
        system = load_system("app:Desk", project(app=DESK))
        system.target(1)
        system.target(2)
        assert 3 == type(system.owner).made  # two were made by the module itself

    def test_the_owner_of_a_bound_method_has_the_sandbox(self, project: WriteProject) -> None:
        """Stateful is what a method is bound to, also through a partial."""
        root = project(app=DESK)
        for attribute in ("desk.handle", "desk.handle_async", "bound"):
            system = load_system(f"app:{attribute}", root)
            assert sys.modules["app"].desk is system.owner

    def test_kind_overrides_what_is_told(self, project: WriteProject) -> None:
        """A function whose parameters all have defaults is a factory unless it is declared."""
        root = project(app="def handle(request=None): return {'got': request}")
        with pytest.raises(ConfigurationError, match="what `app:handle` made is a dict"):
            load_system("app:handle", root)
        assert {"got": 1} == load_system("app:handle", root, "function").target(1)

    def test_builtins_are_told_apart_too(self) -> None:
        """What tells nothing of its parameters is a function."""
        assert "function" == tell_kind(len)
        assert "function" == tell_kind(print)
        assert "class" == tell_kind(dict)
        assert "instance" == tell_kind({})
        assert "function" == tell_kind(functools.partial(max, 1))

    @pytest.mark.parametrize(
        ("attribute", "single_call"),
        [("Talker", False), ("talker", False), ("make", False), ("Both", True)],
    )
    def test_a_system_that_is_talked_with_need_not_be_called(
        self, project: WriteProject, attribute: str, single_call: bool
    ) -> None:
        """One with a call beside takes single calls as well."""
        source = (
            "class Talker:\n    def turn(self, message): return message\n"
            "talker = Talker()\n"
            "def make(): return Talker()\n"
            "class Both(Talker):\n    def __call__(self, request): return request\n"
        )
        system = load_system(f"app:{attribute}", project(app=source))
        assert (True, single_call) == (system.conversational, system.single_call)
        assert "hi" == system.turn("hi")

    @pytest.mark.parametrize("turn", ["def turn(self): return 1", "turn = 1"])
    def test_a_system_that_takes_no_message_is_refused(
        self, project: WriteProject, turn: str
    ) -> None:
        """Its `turn` gets one argument."""
        root = project(app=f"class Mute:\n    {turn}\n")
        with pytest.raises(ConfigurationError, match="cannot be talked with") as caught:
            load_system("app:Mute", root)
        assert "`system.turn(message)`" in (caught.value.fix or "")

    def test_a_module_does_not_own_its_functions(self) -> None:
        """A built-in function is bound to its module; that is no sandbox."""
        assert len is PythonSystem.of(len).owner

    def test_what_it_can_do_is_looked_up_once(self, project: WriteProject) -> None:
        """Working state and replay are found on the owner."""
        source = DESK + (
            "\ndef active_state(self): return {}\nDesk.active_state = active_state\n"
            "Desk.replay = lambda self, t, *, checkpoint, change: t\n"
        )
        system = load_system("app:desk.handle", project(app=source))
        assert system.replayable
        assert not system.conversational
        assert system.active_state is not None
        assert {} == system.active_state()
        assert PythonSystem.of(len).active_state is None


class TestRefusals:
    @pytest.mark.parametrize("name", ["tool", "model"])
    def test_the_options_of_the_decorators_are_known(self, name: str) -> None:
        """They are written down here, since loading knows nothing of recording."""
        parameters = inspect.signature(getattr(oloproof, name)).parameters.values()
        options = tuple(p.name for p in parameters if p.kind is p.KEYWORD_ONLY)
        assert options == OPTIONS[name]

    @pytest.mark.parametrize(
        ("source", "spec", "kind", "what", "fix"),
        [
            ("x = 1", "ap:x", None, "names a module that is not there: ap", "did you mean `app`?"),
            ("desk = len", "app:desk2", None, "app has no `desk2`", "did you mean `desk`?"),
            ("x = 1", "app:x", None, "`app:x` is an int that cannot be called", "__call__"),
            ("x = 1", "app:x", "factory", "declared as factory", "system.kind"),
            (
                "class A:\n  def __init__(self, db): ...",
                "app:A",
                None,
                "making the system from `app:A` raised TypeError: A.__init__() missing 1 required",
                "without arguments",
            ),
            ("def f(a, b): ...", "app:f", None, "its parameters are (a, b)", "a default"),
            ("def f(*, a): ...", "app:f", None, "its parameters are (*, a)", "a default"),
            ("async def f(): ...", "app:f", None, "its parameters are ()", "system(input)"),
            ("async def f(): ...", "app:f", "factory", "a factory cannot be async", "plain"),
            ("def f(): return None", "app:f", None, "what `app:f` made is a NoneType", "__call__"),
            ("def f(): raise SystemExit(3)", "app:f", None, "raised SystemExit: 3", "arguments"),
            ("import gone_module", "app:f", None, "importing `app` raised ModuleNotFou", "install"),
            ("raise KeyboardInterrupt", "app:f", None, "raised KeyboardInterrupt", "import"),
            (
                "import oloproof\n@oloproof.tool(read=True)\ndef f(x): ...",
                "app:f",
                None,
                "importing `app` raised TypeError",
                "`@oloproof.tool` has no option `read`: did you mean `reads`?",
            ),
            (
                "import oloproof\nclass FunctionTool:\n  def __init__(self, f): self.f = f\n"
                "@oloproof.tool\n@FunctionTool\ndef f(x): ...",
                "app:f",
                None,
                "@oloproof.tool takes a function, not `FunctionTool`",
                "put `@oloproof.tool` below the decorator that makes one of the function",
            ),
            (
                "class A:\n  def rest(self, s): ...\n  def snapshot(self): ...\n"
                "  def __call__(self, x): ...",
                "app:A",
                None,
                "has `snapshot` and no `reset`",
                "rename `rest` to `reset`",
            ),
            (
                "class A:\n  def reset(self, s): ...\n  def __call__(self, x): ...\na = A()",
                "app:a",
                None,
                "has `reset` and no `snapshot`",
                "give it `snapshot(self)` too",
            ),
            (
                "class A:\n  def reset(self): ...\n  def snapshot(self): ...\n"
                "  def __call__(self, x): ...",
                "app:A",
                None,
                "takes no state: its parameters are ()",
                "system.reset(state)",
            ),
            ("def f(:", "app:f", None, "importing `app` raised SyntaxError", "correct the line"),
            (
                "class A:\n  def __getattr__(self, name): raise RuntimeError(name)\n"
                "  def __call__(self, x): ...",
                "app:A",
                None,
                "looking into `app:A` raised RuntimeError: ",
                "readable",
            ),
        ],
    )
    def test_what_cannot_be_a_system_is_refused(
        self, project: WriteProject, source: str, spec: str, kind: Any, what: str, fix: str
    ) -> None:
        """The error says what is wrong and how to fix it."""
        with pytest.raises(ConfigurationError) as caught:
            load_system(spec, project(app=source), kind)
        assert what in caught.value.what
        assert fix in (caught.value.fix or "")

    def test_the_line_of_the_users_code_is_named(self, project: WriteProject) -> None:
        """Not the line of this package, and not one deep inside a library."""
        root = project(app="import json\n\ndef f():\n    return json.loads('{')\n")
        with pytest.raises(ConfigurationError) as caught:
            load_system("app:f", root)
        assert "app.py:4 in f" == caught.value.where

    def test_a_syntax_error_is_placed_where_it_is(self, project: WriteProject) -> None:
        """The file and the line that cannot be read."""
        root = project(app="x = 1\ny = (\n")
        with pytest.raises(ConfigurationError) as caught:
            load_system("app:x", root)
        assert f"{root / 'app.py'}:2" == caught.value.where

    def test_secrets_in_what_was_raised_are_taken_out(self, project: WriteProject) -> None:
        """The error leaves the process: what it says is cleaned first, and cut afterwards."""
        root = project(app="raise ValueError('x' * 490 + 'SECRET-OF-MINE')")
        with pytest.raises(ConfigurationError) as caught:
            load_system("app:x", root, clean=lambda text: text.replace("SECRET-OF-MINE", "***"))
        assert "SECRET" not in caught.value.what
