"""Which cases are recorded, and what is drawn in them, seen in whole runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.workflows.conftest import TinyProject

LAZY = """
{imports}

class Desk:
    def reset(self, state): self.state = state
    def snapshot(self): return self.state
    {a}def __call__(self, request):
        {inside}
        @{name}.tool
        def book(room):
            self.state["booked"].append(room)
            return {{"ok": True}}
        book(request["room"])
        book("own")
        {name}.finish("success")
        return str({name}.uuid4())

system = Desk
"""

BOOKING = [
    {"id": f"c-{n}", "input": {"room": "12"}, "initial_state": {"booked": []}} for n in range(2)
]


@pytest.mark.parametrize(
    ("imports", "inside", "name"),
    [
        ("import oloproof", "pass", "oloproof"),
        ("import oloproof as op", "pass", "op"),
        ("", "import oloproof", "oloproof"),
        ("", "import late; oloproof = late.oloproof", "oloproof"),
    ],
)
@pytest.mark.parametrize("a", ["", "async "])
def test_a_session_is_open_wherever_the_system_imported_the_package(
    tiny: TinyProject, imports: str, inside: str, name: str, a: str
) -> None:
    """The first case of a worker is recorded like any other, however late a tool is declared."""
    app = LAZY.format(imports=imports, inside=inside, name=name, a=a)
    (tiny.folder / "late.py").write_text("import oloproof\n")
    tiny.write(app=app, cases=BOOKING, evaluators=[{"type": "calls", "required": ["book"]}])
    tiny.run()
    panels = [tiny.panel(f"c-{n}") for n in range(2)]
    assert ["success"] * 2 == [panel.terminal_status for panel in panels]
    assert [["12", "own"]] * 2 == [panel.final.state["booked"] for panel in panels]  # type: ignore[index, call-overload]
    for panel in panels:
        calls = [step["arguments"] for step in panel.steps if step["kind"] == "tool_call"]
        assert [{"room": "12"}, {"room": "own"}] == calls
    outputs = [panel.output for panel in panels]
    assert outputs[0] != outputs[1]
    tiny.write(
        app=f"{app}\n# another source\n",
        cases=BOOKING,
        system={"version": "2"},
        evaluators=[{"type": "calls", "required": ["book"]}],
    )
    tiny.run()
    assert outputs == [tiny.panel(f"c-{n}").output for n in range(2)]


DRAWS = """
import oloproof

class Desk:
    {a}def reset(self, state):
        self.state = {{"seeded": str(oloproof.uuid4())}}
    {a}def snapshot(self):
        return self.state
    @oloproof.tool
    {a}def note(self, text):
        return None
    @oloproof.tool
    {a}def book(self):
        self.state["inside"] = [str(oloproof.uuid4()), oloproof.rng().random()]
    {a}def __call__(self, request):
        {heard}
        {w}self.book()
        self.state["id"] = [str(oloproof.uuid4()) for _ in range(3)]
        self.state["at"] = oloproof.now().isoformat()
        self.state["chance"] = oloproof.rng().random()
        return "done"

system = Desk
"""


def relations(tiny: TinyProject, app: str) -> dict[str, str]:
    """The verdicts on the one copy of a case."""
    cases: list[dict[str, Any]] = [
        {"id": "c", "input": {"message": "Please book."}, "initial_state": {}}
    ]
    words = {"name": "reworded", "field": "message", "replace": [["Please", "Do"]]}
    words |= {"validity_labels": "labels.jsonl", "minimum_validity": 0.5}
    tiny.write(
        app=app,
        cases=cases,
        evaluators=[
            {"type": "metamorphic_relation", "relation": relation, "transform": "reworded"}
            for relation in ("same_state", "same_actions")
        ],
        metamorphic={"transforms": [words]},
    )
    tiny.run()
    panel = tiny.panel("c~reworded")
    return {
        verdict.metric.removesuffix("_under_reworded"): verdict.status
        for verdict in panel.verdicts
        if not verdict.metric.endswith("_under_identity")
    }


@pytest.mark.parametrize(("a", "w"), [("", ""), ("async ", "await ")])
def test_a_copy_draws_what_its_source_drew(tiny: TinyProject, a: str, w: str) -> None:
    """It is a counterfactual of its source: an agent that ignores its input does the same."""
    app = DRAWS.format(a=a, w=w, heard="pass")
    assert {"same_state": "pass", "same_actions": "pass"} == relations(tiny, app)


@pytest.mark.parametrize(("a", "w"), [("", ""), ("async ", "await ")])
def test_what_an_agent_was_told_shifts_no_draw(tiny: TinyProject, a: str, w: str) -> None:
    """A call with other arguments is another action, and draws elsewhere stay what they were."""
    app = DRAWS.format(a=a, w=w, heard=f'{w}self.note(request["message"])')
    assert {"same_state": "pass", "same_actions": "fail"} == relations(tiny, app)
