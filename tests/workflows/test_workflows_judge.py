"""A model is asked of unclear claims alone, and what it said is replayed from the record."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from oloproof.errors import ConfigurationError
from oloproof.evaluation.claims.judges import outcome_of
from oloproof.workflows.judge import judge

if TYPE_CHECKING:
    from tests.workflows.conftest import TinyProject

APP = """
SAID = {
    "plain": "I have booked the room.",
    "unclear": "I think I booked the room.",
    "hedged": "I believe the room was booked.",
}

class Desk:
    def reset(self, state): self.world = state
    def snapshot(self): return self.world
    def turn(self, message): return SAID[message]

def model(instruction, message, says):
    with open("asked", "a") as asked: asked.write(message + "\\n")
    if "believe" in message: return "Unclear: it only believes so."
    return "ASSERTED. It says that it did."

def broken(instruction, message, says):
    raise RuntimeError("no key")

def mute(instruction, message, says):
    return None
"""
LINE: dict[str, Any] = {
    "type": "claims",
    "says": ["booked"],
    "language": "en",
    "needs": {"state": "booked", "equals": True},
    "judge": {
        "model": "scripted",
        "version": "1",
        "instruction": "Does the message say that the room was booked?",
        "judgements": "labels/judged.jsonl",
    },
}


@pytest.fixture(autouse=True)
def _fresh_modules(tiny: TinyProject, monkeypatch: pytest.MonkeyPatch) -> None:
    """The provider is imported into this process, from the folder of each test's own project."""
    monkeypatch.chdir(tiny.folder)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "app", raising=False)


@pytest.fixture
def desk(tiny: TinyProject) -> TinyProject:
    """Three cases: what one says is plain, and of two it is not."""
    return write(tiny)


def write(tiny: TinyProject, **changed: Any) -> TinyProject:
    cases = [
        {"id": name, "turns": [name], "initial_state": {"booked": False}}
        for name in ("plain", "unclear", "hedged")
    ]
    line = LINE | {"judge": LINE["judge"] | changed}
    return tiny.write(app=APP, cases=cases, evaluators=[line], system={"callable": "app:Desk"})


def codes(desk: TinyProject) -> dict[str, tuple[str, str | None]]:
    found = {}
    for name in ("plain", "unclear", "hedged"):
        verdict = desk.verdict(name, "claims")
        found[name] = (verdict.status, verdict.reason)
    return found


def test_only_unclear_claims_are_judged_and_the_evidence_decides(desk: TinyProject) -> None:
    """A claim that is judged asserted has to be borne out; one judged unclear stays missing."""
    desk.run()
    unclear = ("missing", "claim_unclear")
    assert {"plain": ("fail", None), "unclear": unclear, "hedged": unclear} == codes(desk)
    report = judge(desk.folder, "claims", "app:model")
    assert {"unclear": "asserted", "hedged": "unclear"} == {
        line.case: line.outcome for line in report.judged
    }
    assert 0 == desk.run().executed
    assert {"plain": ("fail", None), "unclear": ("fail", None), "hedged": unclear} == codes(desk)


def test_nothing_is_asked_twice_and_the_record_is_whole(desk: TinyProject) -> None:
    """Whoever has the file needs no model: version, instruction and raw verdict stand there."""
    desk.run()
    for _ in range(2):
        judge(desk.folder, "claims", "app:model")
    assert 2 == len((desk.folder / "asked").read_text().splitlines())
    lines = (desk.folder / "labels/judged.jsonl").read_text().splitlines()
    kept = [json.loads(line) for line in lines]
    assert {
        "model": "scripted",
        "version": "1",
        "instruction": LINE["judge"]["instruction"],
        "message": "I think I booked the room.",
        "says": ["booked"],
        "raw": "ASSERTED. It says that it did.",
    }.items() <= kept[0].items()


def test_what_stands_in_the_file_stays_as_it_is(desk: TinyProject) -> None:
    """A judgement is a line at the end, also behind a line that has no end."""
    path = desk.folder / "labels/judged.jsonl"
    path.parent.mkdir()
    mine = '{"says": ["x"],  "digest": "' + "0" * 64 + '", "model": "m", "version": "1", '
    mine += '"instruction": "i", "message": "t", "raw": "unclear"}'
    path.write_text(mine)
    desk.run()
    judge(desk.folder, "claims", "app:model")
    assert [mine, 3] == [(lines := path.read_text().splitlines())[0], len(lines)]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("{} }\n", "judged.jsonl:1"),
        ("[]\n", "no list of judgements"),
        ('{"raw": 1, "raw": 2}\n', "raw"),
    ],
)
def test_a_broken_file_of_judgements_is_refused_before_anybody_is_asked(
    desk: TinyProject, text: str, what: str
) -> None:
    """And is left as it is."""
    desk.run()
    path = desk.folder / "labels/judged.jsonl"
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(ConfigurationError) as caught:
        judge(desk.folder, "claims", "app:model")
    assert what in f"{caught.value.what} {caught.value.where}"
    assert (text, False) == (path.read_text(), (desk.folder / "asked").exists())


def test_judgements_are_added_to_json_lines_alone(desk: TinyProject) -> None:
    """A list is read as ever; to add to one is refused before anybody is asked."""
    write(desk, judgements="labels/judged.json").run()
    with pytest.raises(ConfigurationError, match="JSON Lines alone") as caught:
        judge(desk.folder, "claims", "app:model")
    assert "judgements" in str(caught.value.where)
    assert not (desk.folder / "asked").exists()


def test_another_version_or_instruction_is_another_judgement(desk: TinyProject) -> None:
    """What was said for the one does not count for the other."""
    desk.run()
    judge(desk.folder, "claims", "app:model")
    write(desk, version="2").run()
    assert ("missing", "claim_unclear") == codes(desk)["unclear"]


@pytest.mark.parametrize(
    ("metric", "provider", "what"),
    [
        ("claim", "app:model", "no check of the suite that makes the metric `claim`"),
        ("claims", "app", "names no function"),
        ("claims", "app:SAID", "cannot be called"),
        ("claims", "app:broken", "calling `app:broken` raised RuntimeError: no key"),
        ("claims", "app:mute", "gave a NoneType"),
    ],
)
def test_what_cannot_be_asked_is_said(
    desk: TinyProject, metric: str, provider: str, what: str
) -> None:
    """With the way out."""
    desk.run()
    with pytest.raises(ConfigurationError, match=what) as caught:
        judge(desk.folder, metric, provider)
    assert caught.value.fix


@pytest.mark.parametrize(
    ("raw", "outcome"),
    [
        ("asserted", "asserted"),
        ("  Not asserted: it is a plan", "not_asserted"),
        ("not-asserted", "not_asserted"),
        ("DENIED.", "denied"),
        ("unclear", "unclear"),
        ("assertedly so", "unclear"),
        ("yes", "unclear"),
        ("", "unclear"),
    ],
)
def test_a_raw_verdict_is_read_by_how_it_begins(raw: str, outcome: str) -> None:
    """Whatever else it says is kept, and decides nothing."""
    assert outcome == outcome_of(raw)
