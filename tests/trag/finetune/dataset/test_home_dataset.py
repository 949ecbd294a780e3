"""The dataset of a real home: what it holds, that its sides share nothing, and what makes it useless."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from org.reading.charts import load
from prompts import CANNOT_ANSWER, NOT_FOUND
from store.passage import OPEN
from trag.errors import TragError
from trag.evaluate import cases as case_files
from trag.finetune.dataset import examples, folders, home_dataset
from trag.finetune.dataset.examples import Example
from trag.finetune.dataset.folders import Card
from trag.home import Home, open_home
from trag.record import Source
from trag.review.verdicts import put_label
from trag.settings import Settings

pytestmark = pytest.mark.slow

FILES = (folders.TRAIN, folders.HELD_OUT, folders.CASES, folders.CARD)
SHOWN = "The Chief Statistician appoints the Deputy for four years. Census forms are held for five years."
LABELS = {
    "who chooses the deputy chief statistician": ("Incorrect", "The Chief Statistician appoints the Deputy."),
    "how long are filled census forms held": ("Correct-Verbose", "Census forms are held for five years."),
    "what does the canteen cost": ("Incorrect", CANNOT_ANSWER),
    "when are the gardens open": ("Incorrect", "From nine to five, and on Sundays from noon."),
    "where is the legal service": ("Incorrect", ""),
}


@pytest.fixture(scope="module")
def card(home: Home, tmp_path_factory: pytest.TempPathFactory) -> tuple[Card, Path]:
    for number, (question, (verdict, corrected)) in enumerate(LABELS.items()):
        source = Source("1", "section", "statistics-ordinance.md", "Part I", None, SHOWN, 0.9)
        record = replace(home.assistant.problem(question, ""), id=f"answer-{number}", answer="Something.")
        record = replace(record, sources=(source,))
        home.records.save_answer(record.id, None, record.question, record.answer, record.to_json())
        put_label(home.records, record.id, "reviewer", verdict, "", corrected)
    folder = tmp_path_factory.mktemp("dataset")
    return home_dataset.make(home, folder, seed=3), folder


def sides(folder: Path) -> tuple[tuple[Example, ...], tuple[Example, ...]]:
    train, held_out = (examples.read((folder / name).read_bytes(), name) for name in FILES[:2])
    return train, held_out


def test_pairs_chart_and_labels_are_learned_from_and_the_card_says_so(card: tuple[Card, Path]) -> None:
    told, folder = card
    train, held_out = sides(folder)
    kinds = Counter(one.kind for one in (*train, *held_out))
    assert {"document", "two parts", "absent", "label", "chart query", "condense"} == set(kinds)
    assert (told.kinds, told.train, told.held_out) == (kinds, len(train), len(held_out))
    assert kinds["document"] > 50
    assert kinds["chart query"] > 40
    assert told.sha256 == folders.read(folder)[1], "as a training of it is known"
    text = (folder / folders.CARD).read_text(encoding="utf-8")
    assert f"{told.tokens:,}" in text
    assert told.sha256 in text


def test_a_label_is_learned_where_what_was_shown_bears_it_out(card: tuple[Card, Path]) -> None:
    train, held_out = sides(card[1])
    learned = {one.question: one.answer for one in (*train, *held_out) if one.kind == "label"}
    wanted = {question: corrected for question, (_, corrected) in list(LABELS.items())[:3]}
    assert learned == {question: NOT_FOUND if text == CANNOT_ANSWER else text for question, text in wanted.items()}


def test_no_question_and_no_section_is_on_both_sides(card: tuple[Card, Path]) -> None:
    train, held_out = sides(card[1])
    cases = case_files.read((card[1] / folders.CASES).read_bytes(), folders.CASES)
    assert any(case.kind == "document" for case in cases), cases
    assert held_out
    both = {one.question for one in train} & {one.question for one in (*held_out, *cases)}
    assert not both, [(one.kind, one.source, one.question) for one in (*train, *held_out) if one.question in both]
    assert not {one.source for one in train} & {one.source for one in held_out}


def test_nothing_is_written_when_it_is_stopped(home: Home, tmp_path: Path) -> None:
    def stop(step: str, done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        home_dataset.make(home, tmp_path / "dataset", seed=3, progress=stop)
    assert not (tmp_path / "dataset").exists()


def test_a_chart_alone_is_enough(home: Home, tmp_path: Path) -> None:
    chart = home.organization.chart
    with open_home(Settings(home=tmp_path / "home")) as bare:
        bare.charts.activate(chart, [("chart.csv", b"")], by="admin")
        card = home_dataset.make(bare, tmp_path / "dataset", seed=3)
    train, held_out = sides(tmp_path / "dataset")
    assert card.train > examples.LEAST_TO_LEARN
    assert held_out
    assert {one.kind for one in (*train, *held_out)} == {"chart query", "condense"}


def test_a_home_with_nothing_in_it_is_refused(tmp_path: Path) -> None:
    with open_home(Settings(home=tmp_path / "home")) as empty, pytest.raises(TragError) as error:
        home_dataset.make(empty, tmp_path / "dataset")
    assert "holds no questions" in error.value.message
    assert not (tmp_path / "dataset").exists()


PEOPLE_ONLY = "board"
DOCUMENTS = {
    "open.md": ("# Handbook", "Parking", "A permit for the car park costs {0} a month and is given by the porter."),
    "secret.md": ("# Board papers", "Merger", "The merger with the harbour office costs {0} and is kept by the board."),
}
CANARIES = {"open.md": "alpenrose", "secret.md": "nightjar"}


@pytest.fixture
def partly_closed(tmp_path: Path) -> Iterator[Home]:
    """A home with a document that everybody may read and one that few may; a word of its own stands in the sections, a
    pair and a labelled answer of each."""
    chart = b"name,parent\nClub,\n" + b"".join(b"Unit %d,Club\nDesk %d,Unit %d\n" % (n, n, n) for n in range(12))
    with open_home(Settings(home=tmp_path / "home")) as home:
        pairs = []
        for name, (title, section, text) in DOCUMENTS.items():
            told = text.format(f"{CANARIES[name]} money")
            (tmp_path / name).write_text(f"{title}\n\n## {section}\n\n{told}\n\n## Hours\n\nFrom nine to five.\n")
            question = f"What does the {section.lower()} cost?"
            where = {"document": name, "section": section}
            pairs.append({"question": question, "answer": told, "type": "question", **where})
        (tmp_path / "pairs.jsonl").write_text("".join(json.dumps(pair) + "\n" for pair in pairs))
        results = home.ingest(
            [*(tmp_path / name for name in DOCUMENTS), tmp_path / "pairs.jsonl"],
            replace=False,
            progress=lambda *_: None,
        )
        assert not any(result.failed for result in results), results
        home.charts.activate(load(chart, "chart.csv"), [("chart.csv", chart)], by="admin")
        home.set_audience("secret.md", frozenset([PEOPLE_ONLY]))
        for number, pair in enumerate(pairs):
            source = Source("1", "section", pair["document"], pair["section"], None, pair["answer"], 0.9)
            record = home.assistant.problem(f"tell me about {CANARIES[pair['document']]} money", "")
            record = replace(record, id=f"answer-{number}", answer=pair["answer"], sources=(source,))
            home.records.save_answer(record.id, None, record.question, record.answer, record.to_json())
            put_label(home.records, record.id, "reviewer", "Correct", "", "")
        yield home


def test_only_what_everyone_may_read_is_learned_from_and_the_same_each_time(
    partly_closed: Home, tmp_path: Path
) -> None:
    home_dataset.make(partly_closed, tmp_path / "dataset", seed=3)
    home_dataset.make(partly_closed, tmp_path / "again", seed=3)
    same = [[(tmp_path / made / name).read_bytes() for name in FILES] for made in ("dataset", "again")]
    assert same[0] == same[1], "the same home and seed give the same files"
    files = [path for path in (tmp_path / "dataset").rglob("*") if path.is_file()]
    held = {
        word: [path.name for path in files if word in path.read_text(encoding="utf-8")] for word in CANARIES.values()
    }
    assert held["alpenrose"], "what everyone may read is learned from"
    assert held["nightjar"] == []


def test_a_document_is_learned_from_when_everyone_may_read_it_again(partly_closed: Home, tmp_path: Path) -> None:
    partly_closed.set_audience("secret.md", OPEN)
    home_dataset.make(partly_closed, tmp_path / "dataset", seed=3)
    train, held_out = sides(tmp_path / "dataset")
    learned = [one for one in (*train, *held_out) if "nightjar" in one.answer]
    assert {one.kind for one in learned} == {"document", "label"}, learned
