"""A tool that is an agent of its own."""

from __future__ import annotations

from recording_desk import Sandbox

from oloproof.recording.effects import tool


class Nest(Sandbox):
    """A tool that is an agent of its own."""

    def __init__(self) -> None:
        super().__init__({"log": []})

    @tool
    def write(self, text: str) -> str:
        self.ran.append(text)
        self.state["log"].append(text)
        return text

    @tool
    def helper(self, name: str) -> str:
        self.state["log"].append(f"helper {name}")  # a write of its own, beside its tools
        try:
            self.write(f"{name} 1")
            self.write(f"{name} 2")
        except RuntimeError:
            return "failed"
        return "helped"

    def agent(self) -> list[str]:
        return [self.helper("a"), self.write("between"), self.helper("b"), self.write("end")]
