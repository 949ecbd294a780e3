"""Systems put to a small set: what they are shown, what is kept, what goes on, and the tables of it."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random
from shutil import rmtree
from typing import Any

import pytest

from prompts import Message
from tests.planned import encoded, weigh
from tests.scripted import Scripted
from trag.errors import TragError
from trag.evaluate.tables import Table
from trag.evaluate.workflows import cases, tables
from trag.evaluate.workflows.cases import Cases
from trag.evaluate.workflows.running import run
from trag.evaluate.workflows.scores import read
from trag.evaluate.workflows.systems import SYSTEMS, Examples, Written
from trag.llm.model import Choice, Usage
from trag.progress import silent

COMMON = {
    "actions": [
        {"id": "ask", "title": "Ask for approval", "needs": ["record"], "gives": ["decision"]},
        {"id": "tell", "title": "Tell the sender"},
        {"id": "tell_all", "title": "Tell everybody"},
    ],
    "tables": [{"id": "invoice", "title": "Invoices"}],
    "triggers": [{"id": "created", "title": "A record is created", "table": True}, {"id": "daily", "title": "Daily"}],
}
SHOP = {
    "actions": [{"id": "Till.Close", "title": "Close the till"}, {"id": "post", "title": "Post the invoice"}],
    "tables": [{"id": "till", "title": "Tills"}],
    "triggers": [],
}
ASK: dict[str, Any] = {
    "trigger": {"type": "created", "inputs": {"name": "table", "value": "invoice"}},
    "steps": [{"name": "IF", "step": 1}, {"name": "ask", "step": 2, "parent": 1}],
}
TELL: dict[str, Any] = {"trigger": None, "steps": [{"name": "tell", "step": 1}]}


def lines(*of: tuple[str, str, dict[str, Any]], catalogue: str = "shop") -> str:
    return "".join(
        json.dumps({"id": id, "split": "s", "catalogue": catalogue, "request": request, "workflow": workflow}) + "\n"
        for id, request, workflow in of
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "catalogues").mkdir()
    for name, content in (("common", COMMON), ("shop", SHOP)):
        (tmp_path / "catalogues" / f"{name}.json").write_text(json.dumps(content))
    close = {"steps": [{"name": "Till.Close", "step": 1}]}
    (tmp_path / "here.jsonl").write_text(
        lines(("h1", "ask when an invoice is large", ASK), ("h2", "tell the sender", TELL))
    )
    (tmp_path / "there.jsonl").write_text(lines(("t1", "close the till", close)))
    examples = [(f"e{number}", f"tell the sender {'x ' * number}", TELL) for number in range(5)]
    (tmp_path / "train.jsonl").write_text(lines(*examples, ("e9", "an invoice is large: ask", ASK), catalogue="common"))
    return tmp_path


def written(
    folder: Path, model: Any, systems: Sequence[str], form: Any = "lines", names: Sequence[str] = ("here",)
) -> tuple[dict[str, Sequence[Written]], list[Cases]]:
    sets = [cases.read(folder / f"{name}.jsonl") for name in names]
    examples = Examples(cases.read(folder / "train.jsonl"), encoded, 3)
    return {**run(folder / "kept", model, sets, systems, examples, weigh, form, silent)}, sets


def cells(table: Table) -> list[dict[str, str]]:
    return [dict(zip(table.header, row, strict=True)) for row in table.rows]


def test_a_set_is_read_with_its_catalogue_and_all_that_is_wrong_is_told(folder: Path) -> None:
    found = cases.read(folder / "here.jsonl")
    assert (found.name, [*found.book.actions]) == ("here", ["ask", "tell", "tell_all", "Till.Close", "post"])
    assert [case.gold.steps for case in found.cases] == [((0, "IF"), (1, "ask")), ((0, "tell"),)]
    bad = {"trigger": {"type": "hourly"}, "steps": [{"name": "fly", "step": 1}]}
    wrong = [("h1", "a", bad), ("h1", "b", TELL), ("h1", "c", TELL), ("h3", "d", {"steps": []})]
    (folder / "bad.jsonl").write_text(lines(*wrong) + '{"id": "h4"}\n' + lines(("h5", "e", TELL), catalogue="common"))
    with pytest.raises(TragError) as raised:
        cases.read(folder / "bad.jsonl")
    for told in (
        "line 1: there is no trigger hourly; there is no step fly",
        'line 3: the id "h1" occurs twice',
        'line 4: "workflow" must be a workflow that can be read',
        'line 5: needs "split"',
        'line 6: it is of the catalogue "common"',
    ):
        assert told in raised.value.message
    for name, content in (("empty", ""), ("lost", lines(("h1", "a", TELL), catalogue="lost"))):
        (folder / f"{name}.jsonl").write_text(content)
        with pytest.raises(TragError, match=r"no requests|lost.json cannot be read"):
            cases.read(folder / f"{name}.jsonl")
    with pytest.raises(TragError, match=r"gone.jsonl cannot be read"):
        cases.read(folder / "gone.jsonl")


def test_the_nearest_examples_are_shown_with_what_a_retriever_that_misses_nothing_would_suggest(folder: Path) -> None:
    for form, answer in (("lines", "created invoice\nIF\n ask"), ("json", json.dumps(cases.of_json(ASK).core()))):
        model = Scripted(answer)
        written(folder, model, ["free", "free-no-suggestions"], form)
        with_, _, without, _ = model.asked
        assert [message.role for message in with_] == ["system", *["user", "assistant"] * 4, "user"]
        *_, nearest, its, asked = with_
        assert its.content == answer
        assert (nearest.content.splitlines()[-1], asked.content.splitlines()[-1]) == (
            "Request: an invoice is large: ask",
            "Request: ask when an invoice is large",
        )
        kinds = dict(line.split(": ", 1) for line in nearest.content.splitlines()[:-1])
        assert [*kinds] == ["Triggers", "Tables", "Steps"]
        assert "ask" in kinds["Steps"].split(", ")
        assert len(asked.content.splitlines()[2].split(", ")) == 3, "k steps are suggested"
        assert [message.content.count("Steps:") for message in without] == [0] * 10


def test_it_goes_on_where_it_was_stopped_and_the_raw_text_is_what_is_scored(folder: Path) -> None:
    right, wrong = "created invoice\nIF\n ask", "created bill\nfly\ntell"
    with pytest.raises(ValueError, match="gone"):
        written(folder, Scripted(right, ValueError("gone")), ["free"])
    (file,) = (folder / "kept").iterdir()
    with file.open("ab") as kept:
        kept.write(b'{"system": "fr')
    found, sets = written(folder, Scripted(wrong, "-\n" + "tell\n" * 3), ["free", "free-no-suggestions"])
    assert [one.text for one in found["here"]] == [right, wrong, *["-\ntell\ntell\ntell\n"] * 2]
    assert written(folder, Scripted(ValueError("asked again")), ["free", "free-no-suggestions"])[0] == found
    assert [one.steps is None for one in found["here"]] == [False, False, True, True]

    main, paper, out_of_domain, names, unique, whole, _, beside = tables.report(found, sets)
    first, second = cells(main)
    measured = ("Trigger EM", "EM with a trigger", "Bag of Steps", "HS", "HT", "Steps suggested")
    assert [first[name] for name in measured] == [
        "0.500", "1.000", f"{(1 + 2 / 3) / 2:.3f}", "0.250", "0.500", "1.000",
    ]  # fmt: skip
    assert (second["Bag of Steps"], second["HS"], second["HT"], second["Steps suggested"]) == (
        "0.250", "0.000", "-", "-",
    )  # fmt: skip
    assert [row[3:] for row in names.rows] == [("3", "33", "2", "50"), ("1", "0", "0", "-")]
    assert [cells(whole)[0][name] for name in ("Read", "Exact", "Right logic", "of", "False logic")] == [
        "1.000", "0.500", "1.000", "1", "0.000",
    ]  # fmt: skip
    assert beside.rows == (("free-no-suggestions", "lines", "2", f"{0.25 - (1 + 2 / 3) / 2:+.3f}", "0", "2", "0.5000"),)
    assert (len(paper.rows), len(out_of_domain.rows), len(unique.rows)) == (6, 7, 5)
    file.write_text("{}\n")
    with pytest.raises(TragError, match="is damaged"):
        written(folder, Scripted(right), ["free"])


def test_means_over_sets_are_weighted_by_their_workflows(folder: Path) -> None:
    found, sets = written(folder, Scripted("-\ntell"), ["free"], names=("here", "there"))
    rows = cells(tables.report(found, sets)[0])
    assert [(row["Set"], row["Workflows"], row["Bag of Steps"]) for row in rows] == [
        ("here", "2", "0.500"), ("there", "1", "0.000"), (tables.MEAN, "3", "0.333"),
    ]  # fmt: skip


def test_the_product_is_scored_by_what_it_wrote_and_made_of_it(folder: Path) -> None:
    found, sets = written(folder, Scripted(""), ["trag"], "json")
    assert {one.form for one in found["here"]} == {"lines"}
    assert all(one.whole for one in found["here"])
    one = replace(found["here"][0], whole=ASK | {"open": []})
    report = tables.report({"here": [one]}, sets)
    assert cells(report[6])[0] | {"Set": ""} == {
        "System": "trag", "Form": "lines", "Set": "", "Workflows": "1", "Dry runs to the end": "1.000",
        "Inputs": "2", "open": "1.000", "References": "0", "lead nowhere": "-",
    }  # fmt: skip


class Dice(Scripted):
    """A model that can be searched, and takes whatever comes."""

    def __init__(self, seed: int) -> None:
        super().__init__("none")
        self.chance = Random(seed)
        self.usage = Usage(1, 1, 7)
        self.taken = ""

    @contextmanager
    def search(self, messages: Sequence[Message], **_: Any) -> Iterator["Dice"]:
        self.taken = ""
        yield self

    def choose(self, options: Sequence[str], width: int = 1) -> tuple[Choice, ...]:
        assert len({*options}) == len(options)
        found = self.chance.sample(range(len(options)), min(width, len(options)))
        return tuple(Choice(index, -float(place)) for place, index in enumerate(found))

    def take(self, text: str) -> None:
        self.taken += text


def test_where_names_are_chosen_every_name_exists_and_every_rule_is_kept(folder: Path) -> None:
    systems, lengths = ("trie", "trie-no-suggestions", "trag", "trag-no-suggestions"), set[int]()
    for seed in range(20):
        model = Dice(seed)
        found, sets = written(folder, model, systems, "json", names=("here", "there"))
        for each in sets:
            for one in found[each.name]:
                reading = read(one.text, one.form)
                assert reading.parsed, one.text
                assert [*reading.invented(each.book)] == []
                assert one.tokens == 7
                lengths.add(len(reading.steps))
        if not seed:
            assert model.taken, "what was chosen is gone on from"
        report = tables.report(found, sets)
        assert {row["HS"] for row in cells(report[0])} == {"0.000"}
        assert {(row["Read"], row["Keep the rules"]) for row in cells(report[5])} == {("1.000", "1.000")}
        rmtree(folder / "kept")
    assert len(lengths) > 5


def test_what_cannot_be_searched_says_so(folder: Path) -> None:
    assert "trie" in SYSTEMS
    for system in ("trie", "trag-no-suggestions"):
        with pytest.raises(TragError, match=f"scripted cannot be searched, so {system}"):
            written(folder, Scripted("-\ntell"), [system])
