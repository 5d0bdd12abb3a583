"""`superseded_history`: a state tells which values were replaced, by what, and no others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import Field

from oloproof.evaluation.comparing.differences import show, told_more
from oloproof.evaluation.contract import Comparison, failed, not_applicable, passed
from oloproof.evaluation.conversations.supersession import Replacement, entry_of, replacements_in
from oloproof.evaluation.states.options import PathText, PlaceText, parse_all
from oloproof.evaluation.states.snapshots import SnapshotOptions, StateCheck, places_of, unrecorded
from oloproof.paths import MISSING, Absent, Path, parse

if TYPE_CHECKING:
    from oloproof.canonical import JsonValue
    from oloproof.evaluation.contract import Context, Evaluator, Verdict
    from oloproof.evaluation.setting import Setting
    from oloproof.evaluation.turns import Conversation


class Options(SnapshotOptions):
    """The `paths` whose replaced values are listed `at` a place of the state."""

    paths: tuple[PathText, ...] = Field(min_length=1)
    at: PlaceText = "superseded"


def build(options: Options, setting: Setting) -> list[Evaluator]:
    """The one evaluator of a line."""
    return [
        SupersededHistory(
            metric=options.criterion_or_type,
            of=options.of,
            selector=options.selector,
            places=places_of(setting, "paths", options.paths, counts=options.of == "world"),
            paths=parse_all(options.paths),
            at=parse(options.at),
        )
    ]


@dataclass(frozen=True, slots=True)
class SupersededHistory(StateCheck):
    """The entries of the history against what the states themselves show."""

    paths: tuple[Path, ...]
    at: Path

    def evaluate(self, context: Context) -> Verdict:
        """A failure where an entry lacks, is wrong, or tells of what did not happen."""
        return self.judge_turns(context, self._judge)

    def _judge(self, conversation: Conversation, turn: int) -> Verdict:
        for earlier in range(1, turn + 1):
            if isinstance(conversation.state(self.of, earlier), Absent):
                return unrecorded(conversation, self.of, earlier)
        history = self.at.get(conversation.state(self.of, turn))
        if not isinstance(history, list | Absent):
            place = Comparison(str(self.at), [], history, False, "no list")
            return failed(detail=f"{self.at} is {show(history)}, and no list", compared=(place,))
        compared = self._compare(conversation, turn, [] if isinstance(history, Absent) else history)
        wrong = [place for place in compared if not place.passed]
        if wrong:
            return failed(detail=_told(wrong[0]) + told_more(wrong), compared=compared)
        if not compared and isinstance(history, Absent):
            said = "nothing was replaced, and there is no history"
            return not_applicable("nothing_compared", detail=said)
        return passed(compared=compared or (Comparison(str(self.at), history, history, True),))

    def _compare(
        self, conversation: Conversation, turn: int, history: list[JsonValue]
    ) -> tuple[Comparison, ...]:
        """Each replacement with its entry, and then each entry that no replacement has."""
        entries = [(index, entry_of(item)) for index, item in enumerate(history)]
        told = self._told_before(conversation)
        compared = []
        for options in replacements_in(conversation, self.of, self.paths, turn):
            found = next(filter(None, (_take(option, entries) for option in options)), None)
            if found is None:
                compared.append(self._lacking(options[0][0], entries))
                continue
            compared += [
                Comparison(f"{self.at}[{index}]", entry.shown, entry.shown, True)
                for index, entry in found
            ]
        for index, entry in entries:
            if entry is None:
                note = "no entry with a path, old and new"
                compared.append(self._stray(index, history[index], note))
            elif entry in told:
                told.remove(entry)
            elif any(path.covers(entry.path) for path in self.paths):
                compared.append(self._stray(index, entry.shown, "was not replaced so"))
        return tuple(compared)

    def _told_before(self, conversation: Conversation) -> list[Replacement]:
        """The entries of the initial state: what was replaced before the conversation."""
        before = self.at.get(conversation.state(self.of, 0))
        found = [entry_of(item) for item in before] if isinstance(before, list) else []
        return [entry for entry in found if entry is not None]

    def _lacking(
        self, wanted: Replacement, entries: list[tuple[int, Replacement | None]]
    ) -> Comparison:
        """A replacement without its entry, beside a wrong entry for its path if there is one."""
        for position, (index, entry) in enumerate(entries):
            if entry is not None and entry.is_at(wanted.path):
                del entries[position]
                place = f"{self.at}[{index}]"
                return Comparison(place, wanted.shown, entry.shown, False, "wrong values")
        return Comparison(str(self.at), wanted.shown, MISSING, False, "no entry")

    def _stray(self, index: int, item: JsonValue, note: str) -> Comparison:
        return Comparison(f"{self.at}[{index}]", MISSING, item, False, note)


def _take(
    option: list[Replacement], entries: list[tuple[int, Replacement | None]]
) -> list[tuple[int, Replacement]] | None:
    """The entries of some replacements, taken out of the list; None where one is not there."""
    taken: list[tuple[int, Replacement]] = []
    left = list(entries)
    for wanted in option:
        position = next((n for n, (_, entry) in enumerate(left) if entry == wanted), None)
        if position is None:
            return None
        index, _ = left.pop(position)
        taken.append((index, wanted))
    entries[:] = left
    return taken


def _told(place: Comparison) -> str:
    if isinstance(place.expected, Absent):
        return f"{place.path} is {show(place.actual)}: {place.note}"
    return f"{place.path} has {show(place.actual)} where it has to have {show(place.expected)}"
