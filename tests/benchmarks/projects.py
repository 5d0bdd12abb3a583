"""Writes the projects that the benchmarks run."""

from __future__ import annotations

import gzip
import os
import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"
EXAMPLE = EXAMPLES / "stateful-agent"
BY_HAND = EXAMPLES / "hand-written-replay"

TRIVIAL_SUITE = """\
version: 1
project: trivial
dataset: cases.jsonl
system: {name: counter, version: "1", callable: "app:system"}
evaluators:
  - {type: exact_match, criterion: answer_correct, field: answer, expected_field: answer}
  - {type: state_matches, mode: subset}
  - {type: state_unchanged, criterion: owner_untouched, paths: [owner]}
"""

TRIVIAL_POLICY = """\
version: 1
rules:
  - {id: answers, metric: answer_correct, min: 0.8}
  - {id: world, metric: state_matches, min: 0.8}
  - {id: owner, metric: owner_untouched, max_failures: 0}
"""

SLOW_SUITE = """\
version: 1
project: slow
dataset: cases.jsonl
system: {name: slow, version: "1", callable: "app:Slow"}
evaluators:
  - {type: state_unchanged}
"""

SHOP_SUITE = """\
version: 1
project: shop
dataset: cases.jsonl
system: {name: shop, version: "1", callable: "app:system"}
evaluators:
  - {type: state_matches}
  - {type: state_unchanged, criterion: others_untouched, paths: [customers]}
"""

SHOP_RECORD_BYTES = 300


def write_trivial(folder: Path, cases: int) -> None:
    """A project of `cases` trivial stateful cases, each with a request and a world of its own."""
    _begin(folder, "trivial_app.py", TRIVIAL_SUITE)
    (folder / "release.yaml").write_text(TRIVIAL_POLICY)
    with (folder / "cases.jsonl").open("wb") as out:
        for number in range(cases):
            out.write(orjson.dumps(trivial_case(number)) + b"\n")


@contextmanager
def add_trivial(folder: Path, number: int) -> Iterator[None]:
    """For a while, one trivial case more in a project."""
    dataset = folder / "cases.jsonl"
    size = dataset.stat().st_size
    with dataset.open("ab") as out:
        out.write(orjson.dumps(trivial_case(number)) + b"\n")
    yield
    os.truncate(dataset, size)


def trivial_case(number: int) -> dict[str, Any]:
    """One trivial stateful case."""
    start, add = number % 97, number % 13 + 1
    return {
        "id": f"case-{number:06d}",
        "input": {"add": add},
        "initial_state": {"count": start, "owner": f"owner-{number % 11}"},
        "expected": {"answer": start + add, "state": {"count": start + add}},
    }


def write_refund_desk(
    folder: Path, sources: int, *, concurrency: int = 1, by_hand: bool = False
) -> None:
    """The example's refund desk with its requests repeated until there are so many `sources`.

    Every request has an id and an order id of its own. The transforms are unlabelled, as a
    label names the texts of one pair. Its tools are recorded, unless the desk `by_hand` is
    asked for, which writes its trajectories and replays itself.
    """
    (folder / "data").mkdir(parents=True)
    shutil.copy((BY_HAND if by_hand else EXAMPLE) / "app.py", folder / "app.py")
    shutil.copy(EXAMPLE / "release.yaml", folder / "release.yaml")
    suite = [
        line
        for line in (EXAMPLE / "oloproof.yaml").read_text().splitlines()
        if "validity" not in line
    ]
    suite.append(f"concurrency: {{system: {concurrency}}}")
    (folder / "oloproof.yaml").write_text("\n".join(suite) + "\n")
    requests = (EXAMPLE / "data" / "refunds.jsonl").read_bytes().splitlines()
    with (folder / "data" / "refunds.jsonl").open("wb") as out:
        for number in range(sources):
            out.write(_renumbered(requests[number % len(requests)], number // len(requests)))


def _renumbered(line: bytes, lap: int) -> bytes:
    name = orjson.loads(line)["id"].encode()
    return line.replace(name, b"%s-%05d" % (name, lap)) + b"\n"


def write_slow(
    folder: Path, *, cases: int, concurrency: int, compute_ms: float = 0.0, wait_ms: float = 0.0
) -> None:
    """Cases that each compute or wait for so long, run by an asynchronous class."""
    _begin(folder, "slow_app.py", SLOW_SUITE + f"concurrency: {{system: {concurrency}}}\n")
    request = {"compute_ms": compute_ms, "wait_ms": wait_ms}
    with (folder / "cases.jsonl").open("wb") as out:
        for number in range(cases):
            case = {"id": f"case-{number:04d}", "input": request, "initial_state": {"count": 0}}
            out.write(orjson.dumps(case) + b"\n")


def write_shop(folder: Path, cases: int, size_bytes: int) -> None:
    """Cases that share one large sandbox, given once, in which each changes one record."""
    _begin(folder, "shop_app.py", SHOP_SUITE)
    state = shop_state(size_bytes)
    with gzip.open(folder / "shop.json.gz", "wb", compresslevel=1) as file:
        file.write(orjson.dumps(state))
    orders = list(state["orders"])
    with (folder / "cases.jsonl").open("wb") as out:
        for number in range(cases):
            order = orders[number * 37 % len(orders)]
            change = {"op": "replace", "path": f"/orders/{order}/status", "value": "refunded"}
            case = {
                "id": f"case-{number:04d}",
                "input": {"order": order},
                "initial_state": {"$file": "shop.json.gz"},
                "expected": {"state_patch": [change]},
            }
            out.write(orjson.dumps(case) + b"\n")


def shop_state(size_bytes: int) -> dict[str, Any]:
    """A shop with as many orders and customers as make about `size_bytes` of JSON."""
    count = size_bytes // SHOP_RECORD_BYTES
    return {
        "orders": {
            f"ord-{number:06d}": {
                "customer": f"c-{number % 4999:05d}",
                "status": "delivered",
                "amount_cents": number * 7919 % 30_000,
                "lines": [
                    {"item": f"item-{(number + n) * 31 % 9973}", "count": n + 1, "price": 1.5 * n}
                    for n in range(4)
                ],
                "note": f"left at door {number * 104729 % 999_983}",
            }
            for number in range(count)
        },
        "customers": {
            f"c-{number:05d}": {"name": f"customer {number}", "city": f"city {number % 71}"}
            for number in range(min(count, 4999))
        },
    }


def _begin(folder: Path, app: str, suite: str) -> None:
    folder.mkdir(parents=True)
    shutil.copy(HERE / app, folder / "app.py")
    (folder / "oloproof.yaml").write_text(suite)
