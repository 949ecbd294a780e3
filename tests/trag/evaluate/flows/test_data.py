"""The paper's data, and what is said of data that cannot be used."""

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest

from trag.errors import TragError
from trag.evaluate.flows.data import Data, read
from trag.evaluate.flows.facts import facts
from trag.evaluate.flows.measures import Truth
from trag.terminal.main import main


def test_the_facts_of_the_paper(paper: Data) -> None:
    """Its table 1, and what its tables 6 and 7 do not agree on."""
    counts, found = facts(paper)
    assert [row[1:] for row in counts.rows] == [
        ("3", "13", "13", "60"),
        ("3", "15", "13", "60"),
        ("3", "14", "15", "60"),
        ("4", "22", "19", "80"),
        ("13", "64", "60", "260"),
    ]
    assert all(mean in counts.note for mean in ("7.92", "5.92", "6.92", "6.84"))
    told = "\n".join(what for _, what in found.rows)
    for what in (
        "buy-insurance: the gold calls OrderInsurance without any of GetPaymentInformation before; mended",
        "19 edges; turned round 23",
        "CreateTrip needs any one of flight_id, hotel_id, car_id",
        "Authenticate needs any one of ride_id, restaurant_book_id",
    ):
        assert what in told
    assert ("GetAirports", "FindFlight") in Truth(paper.domains["trip-booking"]).edges


def test_the_queries(paper: Data) -> None:
    halves = Counter((query.flow, query.half) for query in paper.queries)
    assert len(halves) == 26
    assert all(count == (5 if half == "dev" else 15) for (_, half), count in halves.items())
    assert len({query.query.casefold() for query in paper.queries}) == 260


def test_every_problem_is_told_at_once(tmp_path: Path, folder: Path) -> None:
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    gold = json.loads((tmp_path / "gold.json").read_bytes())
    gold["banking"]["gold"]["open-account"].pop()
    gold["banking"]["gold"]["report-problem"][1] = ["Shrug"]
    del gold["insurance"]["gold"]["add-member"]
    (tmp_path / "gold.json").write_text(json.dumps(gold))
    (tmp_path / "trip-booking" / "procedures.json").write_text("{")
    with (tmp_path / "queries.jsonl").open("a") as queries:
        queries.write('{"id": "x", "domain": "banking", "flow": "rob", "half": "dev", "query": "hands up"}\n')
    with pytest.raises(TragError) as raised:
        read(tmp_path)
    for problem in (
        "open-account has 5 steps, and 4 in the gold",
        "names Shrug",
        "add-member is in the procedures only",
        "procedures.json of trip-booking cannot be used",
        "line 261: there is no flow rob in banking",
    ):
        assert problem in raised.value.message, problem
    assert len(raised.value.message.splitlines()) == 6


def test_facts_from_the_terminal(capsys: pytest.CaptureFixture[str], tmp_path: Path, folder: Path) -> None:
    assert main(["evaluate", "flows", str(folder), "--facts"]) == 0
    assert "13     64    60     260" in capsys.readouterr().out
    assert main(["evaluate", "flows", str(tmp_path), "--facts"]) == 1
    assert "holds no flows" in capsys.readouterr().err
