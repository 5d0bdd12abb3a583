"""Datasets: how cases are read, what is known of all of them, and what is refused."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oloproof.records.case import Case
from oloproof.suites.dataset import Dataset

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from oloproof.errors import ConfigurationError

    Refusal = Callable[..., ConfigurationError]

CASES: list[dict[str, Any]] = [
    {
        "id": "ord-1",
        "input": {"message": "Please refund"},
        "initial_state": {"z": 1, "a": {"paid": 2.0}},
        "expected": {"answer": "refunded", "state": {"z": 0}, "colour": "red"},
        "metadata": {"category": "late"},
        "cluster": "customer-7",
    },
    {"id": "ord-2", "input": None, "group_id": "customer-7"},
    {"id": "ord-ä", "input": "x", "initial_state": None, "expected": None},
]


def lines(*cases: object) -> str:
    return "".join(json.dumps(case) + "\n" for case in cases)


@pytest.fixture
def dataset(project: Path) -> Callable[..., Dataset]:
    """Writes a dataset into the project."""

    def write(text: str | bytes, name: str = "cases.jsonl") -> Dataset:
        path = project / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return Dataset(path, project)

    return write


@pytest.mark.parametrize(
    ("name", "text", "at"),
    [
        ("cases.jsonl", lines(*CASES), [1, 2, 3]),
        ("cases.jsonl", lines(*CASES).replace("\n", "\r\n") + "\n\r\n", [1, 2, 3]),
        ("cases.jsonl", "\ufeff" + lines(*CASES).rstrip(), [1, 2, 3]),
        ("cases.json", "[\n" + lines(*CASES).rstrip().replace("\n", "\n,\n") + "\n]", [2, 4, 6]),
        ("cases.json", "\ufeff" + json.dumps(CASES), [1, 1, 1]),
        ("cases.yaml", "# top\n- " + lines(*CASES).rstrip().replace("\n", "\n\n- "), [2, 4, 6]),
        ("cases.yml", json.dumps(CASES), [1, 1, 1]),
    ],
)
def test_every_form_of_a_dataset_gives_the_same_cases(
    dataset: Callable[..., Dataset], name: str, text: str, at: list[int]
) -> None:
    """Lines, a JSON list and a YAML list say the same; each case knows its line."""
    data = dataset(text, name)
    assert [
        Case(
            id="ord-1",
            input={"message": "Please refund"},
            initial_state={"z": 1, "a": {"paid": 2.0}},
            state_json=b'{"z":1,"a":{"paid":2.0}}',
            has_state=True,
            expected={"answer": "refunded", "state": {"z": 0}, "colour": "red"},
            metadata={"category": "late"},
            cluster="customer-7",
            line=at[0],
        ),
        Case(id="ord-2", input=None, cluster="customer-7", line=at[1]),
        Case(id="ord-ä", input="x", state_json=b"null", line=at[2], has_state=True),
    ] == list(data)
    facts = data.check()
    assert (3, frozenset({"customer-7"}), ("ord-2", at[1]), ()) == (
        facts.cases,
        facts.explicit_clusters,
        facts.stateless_case,
        facts.files,
    )
    assert facts.digest == data.digest(facts.files)
    assert "ord-ä" == data.find("ord-ä").id  # type: ignore[union-attr]  # it is there
    assert None is data.find("ord-9")


def test_a_conversation_has_turns_and_what_is_expected_of_each(
    dataset: Callable[..., Dataset],
) -> None:
    """A turn is a text, or an object with more in it; states may be given as changes."""
    patch = [{"op": "replace", "path": "/n", "value": 2}]
    (case,) = dataset(
        lines(
            {
                "id": "talk",
                "turns": ["hello", {"user": "six", "replies": [1]}],
                "initial_state": {"n": 1},
                "expected": {"turns": {"2": {"state_patch": patch}}, "state_patch": patch},
            }
        )
    )
    turns = ({"user": "hello"}, {"user": "six", "replies": [1]})
    assert turns == case.turns
    assert {"turns": list(turns)} == case.input
    assert {"turns": {"2": {"state": {"n": 2}}}, "state": {"n": 2}} == case.expected


def test_yaml_numbers_may_be_written_in_any_plain_way(dataset: Callable[..., Dataset]) -> None:
    """Only words that may mean text are refused where any value may stand."""
    (case,) = dataset("- id: a\n  input: [1.10, +2, 1.0e+3, true, ~]\n", "c.yaml")
    assert [1.1, 2, 1000.0, True, None] == case.input


def test_a_case_is_found_whatever_escapes_it_is_written_with(
    dataset: Callable[..., Dataset],
) -> None:
    """Finding a case skips lines that cannot hold its id, and no others."""
    text = r'{"id": "\u0061", "input": 1}' + "\n" + r'{"id": "q\"\\", "input": 2}' + "\n"
    data = dataset(text + lines({"id": "b", "input": "a"}))
    found = [data.find(name) for name in ("a", 'q"\\', "b", "c")]
    assert [1, 2, "a", None] == [case and case.input for case in found]


def case(**fields: Any) -> dict[str, Any]:
    return {"id": "a", "input": 1, **fields}


GOOD = lines({"id": "good", "input": 1})


@pytest.mark.parametrize(
    ("text", "where", "what", "fix"),
    [
        ("", "", "holds no case", "add at least one"),
        ("\n", "", "holds no case", "add at least one"),
        (GOOD + "  \n", ":2", "nothing but white space", "remove the line"),
        (GOOD + "\n" + lines(case()), ":2", "nothing but white space", "remove the line"),
        (GOOD + "{oops}\n", ":2", "a key in double quotes", "correct the JSON"),
        (GOOD + '{"id": "a",\n', ":2", "the JSON ends", "whole on one line"),
        (GOOD + '{"id": "a", "input": 1} {}\n', ":2", "after the JSON value", "keep one"),
        (
            GOOD + '{"id": "a", "id": "b", "input": 1}\n',
            ":2: id",
            "`id` is given twice",
            "same line",
        ),
        (GOOD + '{"id": "a", "input": NaN}\n', ":2: input", "not 'NaN'", "null or text"),
        (GOOD + '{"id": "a", "input": 1e999}\n', ":2: input", "beyond", "null or text"),
        (GOOD + '{"id": "a", "input": 18446744073709551616}\n', ":2: input", "64 bits", "as text"),
        (GOOD + "\ufeff" + lines(case()), ":2", "'\\ufeff'", "correct the JSON"),
        (GOOD.encode() + b'{"id": "\xff"}\n', ":2", "not UTF-8 text", "as UTF-8"),
        (GOOD.encode() + b'{"id": "\x00"}\n', ":2", "a NUL byte", "as UTF-8"),
        (GOOD.encode("utf-16"), ":1", "looks like UTF-16", "as UTF-8"),
        (
            GOOD + '{"id": "a", "input": ' + "[" * 200 + "]" * 200 + "}\n",
            ":2: input[0][0]",
            "nested more than 200",
            "flatter",
        ),
        (GOOD + "[]\n", ":2", "a case is an object, not an empty list", "write {"),
        (GOOD + lines({"input": 1}), ":2: id", "a case has no `id`", "add `id`"),
        (GOOD + lines(case(id=1)), ":2: id", "must be text, not the number 1", 'quote it: "1"'),
        (GOOD + lines(case(id=True)), ":2: id", "must be text, not true", "write a text"),
        (GOOD + lines(case(id="")), ":2: id", "an empty text", "write a text"),
        (GOOD + lines(case(id=" ")), ":2: id", "must be text", "write a text"),
        (GOOD + lines(case(id="a~b")), ":2: id", "holds `~`", "without `~`"),
        (GOOD + lines(case(id="a\nb")), ":2: id", "control character", "on one line"),
        (GOOD + lines(case(id="x" * 201)), ":2: id", "more than 200", "at most 200"),
        (GOOD + lines({"id": "a"}), ":2: input", "`a` has no `input`", "add `input`"),
        (
            GOOD + lines(case(expeced={})),
            ":2: expeced",
            "unknown field `expeced`",
            "did you mean `expected`?",
        ),
        (GOOD + lines(case(turns=[])), ":2: turns", "is empty", "first message"),
        (GOOD + lines(case(turns=["a"])), ":2: turns", "both `input` and `turns`", "keep"),
        (GOOD + lines({"id": "a", "turns": "a"}), ":2: turns", "a list of", "a list of"),
        (
            GOOD + lines({"id": "a", "turns": [1]}),
            ":2: turns[0]",
            "must be text",
            'as {"user": "…"} here',
        ),
        (GOOD + lines({"id": "a", "turns": [{}]}), ":2: turns[0].user", "at `user`", "message"),
        (
            GOOD + lines(case(expected={"turns": {}})),
            ":2: expected.turns",
            "the case has one `input`",
            "as `turns`",
        ),
        (
            GOOD + lines({"id": "a", "turns": ["x"], "expected": {"turns": {"2": {}}}}),
            ":2: expected.turns.2",
            "the case has 1 turn",
            "from 1 to 1",
        ),
        (
            GOOD + lines({"id": "a", "turns": ["x"], "expected": {"turns": {"1": 3}}}),
            ":2: expected.turns.1",
            "must be an object",
            "an object",
        ),
        (
            GOOD
            + lines({"id": "a", "turns": ["x"], "expected": {"turns": {"1": {"state_patch": []}}}}),
            ":2: expected.turns.1.state_patch",
            "no `initial_state`",
            "whole `state`",
        ),
        (GOOD + lines(case(expected="x")), ":2: expected", "an object, not `x`", "an object"),
        (GOOD + lines(case(metadata=[1])), ":2: metadata", "an object, not a list", "an object"),
        (GOOD + lines(case(cluster=7)), ":2: cluster", "must be text", "write text"),
        (GOOD + lines(case(cluster="")), ":2: cluster", "an empty text", "write text"),
        (
            GOOD + lines(case(cluster="a", group_id="b")),
            ":2: group_id",
            "`cluster` is `a` but `group_id`",
            "keep one",
        ),
        (
            GOOD + lines(case(expected={"state": 1, "state_patch": []}, initial_state=1)),
            ":2: expected.state_patch",
            "both `state` and `state_patch`",
            "keep one",
        ),
        (
            GOOD + lines(case(expected={"state_patch": []})),
            ":2: expected.state_patch",
            "no `initial_state`",
            "add `initial_state`",
        ),
        (
            GOOD + lines(case(expected={"state_patch": {}}, initial_state=1)),
            ":2: expected.state_patch",
            "a list of operations",
            "a list of operations",
        ),
        (
            GOOD
            + lines(
                case(
                    initial_state={},
                    expected={"state_patch": [{"op": "remove", "path": "/a"}]},
                )
            ),
            ":2: expected.state_patch",
            "operation 0 of the patch does not fit",
            "JSON Pointer",
        ),
        (
            GOOD + lines(case(initial_state={"$patch": []})),
            ':2: initial_state."$file"',
            "must be the name of a file",
            "the name of a file",
        ),
        (GOOD + lines(case(), case()), ":3: id", "in line 2 and in line 3", "an id of its own"),
        (
            GOOD + r'{"id": "\u0067ood", "input": 2}' + "\n",
            ":2: id",
            "in line 1 and in line 2",
            "an id of its own",
        ),
    ],
)
def test_a_bad_line_is_refused(
    dataset: Callable[..., Dataset],
    refusal: Refusal,
    text: str | bytes,
    where: str,
    what: str,
    fix: str,
) -> None:
    """Each mistake is told with its line, its field and the way out."""
    data = dataset(text)
    refusal(
        data.check, where=f"cases.jsonl{where}".replace('."$file"', ".$file"), what=what, fix=fix
    )


@pytest.mark.parametrize(
    ("name", "text", "where", "what", "fix"),
    [
        ("c.json", "", ":1", "the JSON ends", "close"),
        ("c.json", "[]", "", "holds no case", "add at least one"),
        ("c.json", "{}", ":1", "an object, not a list of cases", "write a list"),
        ("c.json", '[{"id": "a",\n"inptu": 1}]', ":2: inptu", "unknown field", "`input`"),
        ("c.json", '[{"id": "a",\n"input": 1, "input": 2}]', ":2: [0].input", "twice", "keep"),
        (
            "c.json",
            '[{"id": "a", "input": 1},\n{"input": 2,\n"id": "a"}]',
            ":3: id",
            "in line 1 and in line 2",
            "own",
        ),
        ("c.json", b'[{"id":\n"\xff"}]', ":2", "not UTF-8", "as UTF-8"),
        ("c.yaml", "", "", "holds no case", "add at least one"),
        ("c.yaml", "a: 1", ":1", "an object, not a list of cases", "write a list"),
        ("c.yaml", "- id: a\n  input: no\n", ":2: [0].input", "`no` as false", '"no", or write'),
        (
            "c.yaml",
            "- id: a\n  input: 12e5\n",
            ":2: [0].input",
            "`12e5` as 1200000.0",
            'it: "12e5"',
        ),
        ("c.yaml", "- id: a\n  input: 2026-01-05\n", ":2: [0].input", "as a date", "quote it"),
        ("c.yaml", "- id: 007\n  input: 1\n", ":1: [0].id", "leading zero", "quote it"),
        ("c.yaml", "- id: 7\n  input: 1\n", ":1: id", "must be text", 'quote it: "7"'),
        ("c.yaml", "- input: 1\n  expected:\n    state: [\n", ":4", "cannot be read", "close"),
        ("c.yaml", "-\n  id: a\n  input: 1\n  expect: 1\n", ":4: expect", "unknown", "`expected`"),
        ("c.csv", "id,input", "", "neither .jsonl, .json nor YAML", ".jsonl"),
    ],
)
def test_a_bad_list_is_refused(
    dataset: Callable[..., Dataset],
    refusal: Refusal,
    *,
    name: str,
    text: str | bytes,
    where: str,
    what: str,
    fix: str,
) -> None:
    """Lists are refused with the line of the field itself, however a case is laid out."""
    refusal(lambda: dataset(text, name).check(), where=f"{name}{where}", what=what, fix=fix)


@pytest.mark.parametrize("name", ["cases.jsonl", "cases.json", "cases.yaml"])
def test_a_dataset_that_cannot_be_read_is_named(project: Path, refusal: Refusal, name: str) -> None:
    """A missing dataset and a folder in its place are refused by every way of reading."""
    data = Dataset(project / name, project)
    for read in (data.check, lambda: list(data), lambda: data.find("a"), lambda: data.digest(())):
        refusal(read, where=name, what="the dataset does not exist", fix="correct the path")
    (project / name).mkdir()
    refusal(Dataset(project / name, project).check, where=name, what="is a folder", fix="inside")


@settings(max_examples=60)
@given(ids=st.lists(st.text('ab"\\:\u00e4', min_size=1, max_size=3), min_size=1, max_size=8))
def test_ids_are_refused_exactly_if_one_repeats(
    tmp_path_factory: pytest.TempPathFactory, ids: list[str]
) -> None:
    """A dataset passes if its ids differ, and is refused at the first one that was there before."""
    root = tmp_path_factory.mktemp("project")
    path = root / "cases.jsonl"
    path.write_text(lines(*({"id": name, "input": 1} for name in ids)))
    repeated = next((n for n, name in enumerate(ids) if name in ids[:n]), None)
    data = Dataset(path, root)
    if repeated is None:
        assert len(ids) == data.check().cases
        assert ids == [case.id for case in data]
    else:
        with pytest.raises(
            Exception, match=f"in line {ids.index(ids[repeated]) + 1} and in line {repeated + 1}"
        ):
            data.check()


def test_an_equal_hash_is_no_accusation(
    dataset: Callable[..., Dataset], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ids whose hashes collide are compared as texts before anything is refused."""
    monkeypatch.setattr("oloproof.suites.dataset.hash", lambda _: 0, raising=False)
    assert 3 == dataset(lines(*CASES)).check().cases


def test_memory_stays_flat_over_many_lines(dataset: Callable[..., Dataset]) -> None:
    """Reading 5,000 cases takes no more than a few bytes for each id."""
    state = {"orders": {f"ord-{n}": {"status": "paid"} for n in range(20)}}
    data = dataset(
        lines(*({"id": f"case-{n}", "input": n, "initial_state": state} for n in range(5_000)))
    )
    tracemalloc.start()
    try:
        data.check()
        for _ in data:
            pass
        assert 2_000_000 > tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


SHOP = {"z": {"stock": 3}, "a": [1, 2.0]}


@pytest.mark.parametrize("name", ["shop.json", "shop.json.gz"])
def test_a_state_file_is_shared_by_its_cases(
    project: Path, dataset: Callable[..., Dataset], name: str
) -> None:
    """Cases that name one file share one value and one JSON text; a patched one has its own."""
    text = b"\xef\xbb\xbf" + json.dumps(SHOP, indent=1).encode()
    (project / "state").mkdir()
    path = project / "state" / name
    path.write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    file = {"$file": f"state/{name}"}
    patch: list[dict[str, Any]] = [
        {"op": "test", "path": "/z/stock", "value": 3.0},
        {"op": "replace", "path": "/z/stock", "value": 0},
    ]
    data = dataset(
        lines(
            case(id="a", initial_state=file),
            case(id="b", initial_state=file, expected={"state_patch": patch, "answer": 1}),
            case(id="c", initial_state={**file, "$patch": patch}, expected={"state_patch": []}),
        )
    )
    facts = data.check()
    assert (f"state/{name}",) == facts.files
    first, second, third = data
    assert SHOP == first.initial_state
    assert orjson.dumps(SHOP) == first.state_json
    assert first.state_json is second.state_json
    assert first.initial_state is second.initial_state
    assert {"answer": 1, "state": {"z": {"stock": 0}, "a": [1, 2.0]}} == second.expected
    assert b'{"z":{"stock":0},"a":[1,2.0]}' == third.state_json
    assert {"state": third.initial_state} == third.expected

    assert facts.digest == data.digest(facts.files)
    path.write_bytes(gzip.compress(b"{}") if name.endswith("gz") else b"{}")
    assert facts.digest != data.digest(facts.files)
    with pytest.raises(Exception, match="does not fit"):
        data.check()


@pytest.mark.parametrize(
    ("file", "where", "what", "fix"),
    [
        ("nowhere.json", "cases.jsonl:1: initial_state.$file", "does not exist", "correct"),
        ("folder.json", "cases.jsonl:1: initial_state.$file", "is a folder", "inside it"),
        ("../out.json", "cases.jsonl:1: initial_state.$file", "outside the project", "copy it"),
        ("/etc/out.json", "cases.jsonl:1: initial_state.$file", "outside the project", "copy it"),
        ("link.json", "cases.jsonl:1: initial_state.$file", "outside the project", "copy it"),
        ("a\0b.json", "cases.jsonl:1: initial_state.$file", "cannot be found", "correct"),
        ("loop.json", "cases.jsonl:1: initial_state.$file", "", "correct"),
        ("shop.yaml", "cases.jsonl:1: initial_state.$file", "neither .json nor .json.gz", "JSON"),
        ("", "cases.jsonl:1: initial_state.$file", "neither .json nor .json.gz", "JSON"),
        (7, "cases.jsonl:1: initial_state.$file", "must be the name of a file", "the name"),
        ("bad.json", "bad.json:2: a", "not 'oops'", "correct the JSON"),
        ("twice.json", "twice.json:1: a", "given twice", "keep one"),
        ("binary.json", "binary.json:1", "not UTF-8", "as UTF-8"),
        ("broken.json.gz", "broken.json.gz", "the gzip file is broken", "gzip -k"),
        ("short.json.gz", "short.json.gz", "the gzip file is broken", "gzip -k"),
        ("bad.json.gz", "bad.json.gz:1: [0]", "not 'NaN'", "null or text"),
    ],
)
def test_a_bad_state_file_is_refused(
    project: Path,
    dataset: Callable[..., Dataset],
    refusal: Refusal,
    *,
    file: object,
    where: str,
    what: str,
    fix: str,
) -> None:
    """A wrong name is refused where the case gives it, wrong content where it stands."""
    (project / "folder.json").mkdir()
    (project / "link.json").symlink_to("/etc/hostname")
    (project / "loop.json").symlink_to("loop.json")
    (project / "bad.json").write_text('{\n"a": oops}')
    (project / "twice.json").write_text('{"a": 1, "a": 2}')
    (project / "binary.json").write_bytes(b"\xff\xfe")
    (project / "broken.json.gz").write_bytes(b"{}")
    (project / "short.json.gz").write_bytes(gzip.compress(b"[1, 2, 3]")[:-6])
    (project / "bad.json.gz").write_bytes(gzip.compress(b"[NaN]"))
    data = dataset(lines(case(initial_state={"$file": file})))
    refusal(data.check, where=where, what=what, fix=fix)


@pytest.mark.parametrize(
    ("state", "where", "what", "fix"),
    [
        ({"$patch": [{"op": "remove", "path": "/x"}]}, "$patch", "operation 0", "JSON Pointer"),
        ({"$patch": [{"op": "put", "path": "/z"}]}, "$patch", "unknown op 'put'", "JSON Pointer"),
        ({"$patch": {}}, "$patch", "a list of operations", "a list"),
        ({"$path": []}, "$path", "unknown field `$path` beside `$file`", "`$patch`"),
        (
            {
                "$patch": [
                    {"op": "add", "path": "/deep", "value": json.loads("[" * 150 + "]" * 150)},
                    {"op": "copy", "from": "/deep", "path": "/deep" + "/0" * 149 + "/0"},
                ]
            },
            "$patch",
            "nested more than 200",
            "flatter",
        ),
    ],
)
def test_a_patch_that_does_not_fit_is_refused(
    project: Path,
    dataset: Callable[..., Dataset],
    refusal: Refusal,
    *,
    state: dict[str, Any],
    where: str,
    what: str,
    fix: str,
) -> None:
    """A patch is tried before anything runs, and may not nest a state too deep."""
    (project / "shop.json").write_text(json.dumps(SHOP))
    data = dataset(GOOD + lines(case(initial_state={"$file": "shop.json", **state})))
    refusal(data.check, where=f"cases.jsonl:2: initial_state.{where}", what=what, fix=fix)


def test_a_deep_but_bounded_patch_fits(project: Path, dataset: Callable[..., Dataset]) -> None:
    """The depth that a patch might reach is only a suspicion; what counts is the result."""
    (project / "shop.json").write_text(json.dumps({"a": json.loads("[" * 190 + "]" * 190)}))
    moves = [{"op": "move", "from": "/a", "path": "/b"}, {"op": "move", "from": "/b", "path": "/a"}]
    data = dataset(lines(case(initial_state={"$file": "shop.json", "$patch": moves * 10})))
    assert 1 == data.check().cases


def test_many_state_files_do_not_pile_up(project: Path, dataset: Callable[..., Dataset]) -> None:
    """Only the last few state files are kept, and every one of them is in the digest."""
    for number in range(10):
        (project / f"s{number}.json").write_text(f"[{number}]")
    data = dataset(
        lines(*(case(id=str(n), initial_state={"$file": f"s{n % 10}.json"}) for n in range(20)))
    )
    facts = data.check()
    assert tuple(f"s{n}.json" for n in range(10)) == facts.files
    assert [[n % 10] for n in range(20)] == [item.initial_state for item in data]
