"""What is in force is answered from first, and what is not says so: over a real index, encoder, reranker and database.
The model is scripted, for what counts is what it hears and what its answer stands on."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from org.reading.charts import load
from store.standing import Validity
from tests.scripted import Scripted
from trag.events import Answer
from trag.home import Home, open_home
from trag.record import AnswerRecord, Source, SourceValidity
from trag.settings import Settings

pytestmark = pytest.mark.slow

CHART = b"name,parent\nAcme,\nEthics Office,Acme\n"
FILES = {
    "old.md": "# Travel\n\n## Meals\n\nThe daily meal allowance for travel is 30 EUR.\n",
    "new.md": "# Travel\n\n## Meals\n\nThe daily meal allowance for travel is 45 EUR.\n",
    "draft.md": "# Parking\n\n## Fee\n\nThe parking fee of employees is 12 EUR a month.\n",
    "gifts.md": "# Gifts\n\n## Limits\n\nGifts above 40 EUR are declared to the Ethics Office.\n",
}
MEALS, PARKING = "What is the daily meal allowance for travel?", "What is the parking fee of employees?"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    folder = tmp_path_factory.mktemp("acme")
    for name, text in FILES.items():
        (folder / name).write_text(text)
    with open_home(Settings(home=folder / "home")) as home:
        home.charts.activate(load(CHART, "chart.csv"), [("chart.csv", CHART)], by="ada")
        home.ingest([folder / name for name in FILES], replace=False, progress=lambda *_: None)
        yield home


@pytest.fixture(autouse=True)
def known(home: Home) -> Iterator[None]:
    new = Validity(valid_from=date(2024, 3, 1), supersedes=("old.md",))
    home.records.validity.put({"new.md": new, "draft.md": Validity("draft", unit="x", by="ada")}, by="ada")
    yield
    home.records.validity.put(dict.fromkeys(FILES, Validity()), by="ada")


def asked(home: Home, question: str, **more: object) -> AnswerRecord:
    assistant = replace(home.assistant, model=Scripted("It is 45 EUR.", chart_query="parent(u1)"))
    *_, last = assistant.ask(question, **more)  # type: ignore[arg-type]
    assert isinstance(last, Answer)
    return last.record


def of(record: AnswerRecord, document: str) -> list[Source]:
    return [source for source in record.sources if source.document == document]


def test_what_takes_the_place_of_another_is_answered_from(home: Home) -> None:
    record = asked(home, MEALS)
    assert of(record, "new.md")[0].validity == SourceValidity("in force", "2024-03-01")
    assert not of(record, "old.md")
    assert AnswerRecord.from_json(record.to_json()) == record


def test_what_nothing_in_force_answers_is_answered_from_what_is_not_and_says_so(home: Home) -> None:
    new = home.records.validity.of("new.md")
    home.records.validity.put({"new.md": replace(new, status="withdrawn")}, by="ada")
    assert of(asked(home, MEALS), "old.md")[0].validity is None  # in force again, and nothing else is known of it
    home.records.validity.put({"new.md": new, "gifts.md": Validity("withdrawn")}, by="ada")
    (source,) = of(asked(home, "Which gifts are declared to whom?"), "gifts.md")
    assert source.validity == SourceValidity("withdrawn")


def test_the_successor_is_named_to_whom_may_read_it(home: Home) -> None:
    home.records.library.set_audience("new.md", frozenset(["board"]))
    home.vectors.set_audience("new.md", ["board"])
    try:
        (source,) = of(asked(home, MEALS), "old.md")
        assert source.validity == SourceValidity("superseded", "", "2024-02-29")
    finally:
        home.records.library.set_audience("new.md", frozenset(["everyone"]))
        home.vectors.set_audience("new.md", ["everyone"])


def test_another_time_is_answered_from_what_was_in_force_then(home: Home) -> None:
    for days, document, standing in (
        ("2023", "old.md", SourceValidity("in force", "", "2024-02-29", ("new.md",), "2023-01-01/2023-12-31")),
        ("2024-03", "new.md", SourceValidity("in force", "2024-03-01", asked="2024-03-01/2024-03-31")),
        ("none", "new.md", SourceValidity("in force", "2024-03-01")),
    ):
        assistant = replace(home.assistant, model=Scripted("It is 45 EUR.", days=days))
        *_, last = assistant.ask(f"{MEALS} {days}")
        assert isinstance(last, Answer)
        assert [one.validity for one in last.record.sources if one.document in ("old.md", "new.md")] == [standing]
        assert of(last.record, document)


def test_a_draft_is_found_where_nothing_else_answers(home: Home) -> None:
    for reader in ({}, {"readers": None}, {"owned": ["draft.md"]}):
        (source,) = of(asked(home, PARKING, **reader), "draft.md")
        assert source.validity == SourceValidity("draft")
    home.records.validity.put({"new.md": Validity("withdrawn"), "old.md": Validity("draft", by="ada")}, by="ada")
    assert of(asked(home, MEALS), "new.md")
    assert not of(asked(home, MEALS), "old.md"), "a draft of others comes after what is withdrawn"


def test_the_chart_says_since_when_it_is_in_use(home: Home) -> None:
    record = asked(home, "Who is above the Ethics Office?")
    assert record.checks.replaced == "chart"
    today = datetime.now(UTC).date().isoformat()
    assert {source.validity for source in record.sources} == {SourceValidity("in force", today)}
