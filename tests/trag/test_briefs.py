"""Briefings over a real chart, index, encoder, reranker and database; who words and asks is scripted."""

import io
import threading
import zipfile
from collections.abc import Generator, Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import docx
import pytest

from org.reading.charts import load
from store.passage import EVERYONE
from tests.scripted import Scripted
from trag import briefs
from trag.brief import writer
from trag.brief.export import word_document
from trag.brief.gathering import Gathering
from trag.brief.record import BriefRecord
from trag.errors import TragError
from trag.events import Waiting
from trag.gaps import gaps
from trag.home import Home, open_home
from trag.llm.model import ModelDied, Usage
from trag.people import CurrentUser
from trag.settings import Settings

pytestmark = pytest.mark.slow

CHART = b"""name,parent,type,aliases,description
Acme Foundation,,foundation,Acme,
Legal Division,Acme Foundation,division,,
Finance Division,Acme Foundation,division,,
Ethics Office,Legal Division,office,EO,Receives declarations of interest.
Payroll Unit,Finance Division,unit,,
Registry,Legal Division,desk,,
Registry,Finance Division,desk,,
"""
MANUAL = """# Manual

## 1 Conduct

The Ethics Office gives confidential advice within 5 working days. A complaint about the Ethics Office goes to the chair
of the Ethics Committee.

## 2 Gifts

Gifts worth more than 40 LMD are declared to the Ethics Office within ten days. Gifts in cash are always refused.

## 3 Whistle-blowing

A report goes to the Ethics Office or to the Speak-Up Line. The Ethics Office acknowledges a report within 3 days.
Anonymous reports are accepted.

## 4 Parking

- A parking permit costs 20 LMD a year.
- A parking permit is valid for one car;
- A parking permit is returned when somebody leaves.
"""
SECRET = """# Inquiries

## 1 Zorblatt

The Ethics Office keeps the Zorblatt file in room 9. The Ethics Office reports on Zorblatt every quarter.
"""
REGISTRIES = ("Acme Foundation > Legal Division > Registry", "Acme Foundation > Finance Division > Registry")
ASKED = "How often does the Ethics Office report on Zorblatt?\nHow many people work in the Ethics Office?\n"


class Colleague(Scripted):
    """Asks what it is told to, and words a line as the line itself with a full stop."""

    def __init__(self, questions: str = ASKED, dies: bool = False) -> None:
        super().__init__("")
        self.questions, self.dies, self.lines = questions, dies, list[str]()

    def stream(self, messages: Any, *, task: str = "other", **how: Any) -> Generator[str | Usage, None, None]:
        if task == "brief_questions":
            yield self.questions
        else:
            line = messages[-1].content.rpartition("\nLine: ")[2]
            self.lines.append(line)
            if self.dies:
                raise ModelDied("The model's process ended.", "Ask again.")
            yield f"{line.rstrip('.;')}."
        yield Usage()


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    (tmp_path / "manual.md").write_text(MANUAL)
    (tmp_path / "secret.md").write_text(SECRET)
    with open_home(Settings(home=tmp_path / "home")) as home:
        home.charts.activate(load(CHART, "chart.csv"), [("chart.csv", CHART)], by="ada")
        finance = home.organization.chart.named("Finance Division")[0].id  # type: ignore[union-attr]
        silent: Any = lambda *_: None  # noqa: E731
        home.ingest([tmp_path / "manual.md"], replace=False, progress=silent)
        home.ingest([tmp_path / "secret.md"], replace=False, progress=silent, audience=frozenset({finance}))
        yield home


def wrote(home: Home, subject: str, model: Scripted | None = None, **how: Any) -> list[BriefRecord]:
    assistant = replace(home.assistant, model=model or Colleague())
    told = writer.write(assistant, subject, readers=how.pop("readers", frozenset({EVERYONE})), **how)
    return [each for each in told if isinstance(each, BriefRecord)]


def person(home: Home, name: str, unit: str) -> CurrentUser:
    chart = home.organization.chart
    assert chart
    return CurrentUser(name, name, name, "employee", chart.named(unit)[0].id)


def test_every_sentence_of_a_unit_has_a_source_and_what_nothing_answers_is_open(home: Home) -> None:
    first, *_, last = wrote(home, "Ethics Office")
    assert (first.status, last.status) == ("written", "written")
    assert first.parts[0].text.startswith("The Ethics Office is an office under the Legal Division.")
    assert {one.how for part in first.parts for one in part.sentences} == {"chart", "quotation"}
    texts = {one.id: one.text for one in last.sources}
    said = [one for part in last.parts for one in part.sentences]
    assert len(said) >= 6
    assert all(one.evidence in texts[one.source] for one in said)
    assert {part.title for part in last.parts} == {"", "1 Conduct", "2 Gifts", "3 Whistle-blowing"}
    assert "How many people work in the Ethics Office?" in [one.text for one in last.open]
    assert "Zorblatt file" not in last.to_json()
    assert BriefRecord.from_json(last.to_json()) == last


@pytest.mark.parametrize(("refuses", "says"), [(None, False), (-20.0, True), (-0.01, False)])
def test_what_the_chart_says_counts_where_the_reader_would_answer_from_it(
    home: Home, refuses: float | None, says: bool
) -> None:
    """Of a question of which the reranker alone is not sure; of the others it is all that is asked."""

    class Scoring(Colleague):
        def log_probabilities(self, messages: Any, beginnings: Any, **_: Any) -> tuple[float, ...]:
            assert "Receives declarations of interest." in messages[-1].content
            assert refuses is not None
            return (refuses,)

    model = Colleague() if refuses is None else Scoring()
    chart = home.organization.chart
    assert chart
    unit = chart.named("Ethics Office")[0].id
    told = [one.text for one in writer.of_chart(unit, chart).sentences]
    gathering = Gathering(replace(home.assistant, model=model), "Ethics Office", unit, None)
    assert gathering.says("What is the point of having an Ethics Office at all?", told) is says
    assert gathering.says("Where does the Ethics Office sit?", told)
    assert not gathering.says("What is it?", [])


def test_a_topic_is_what_its_lines_are_about(home: Home) -> None:
    (*_, last) = wrote(home, "parking permit", Colleague(""))
    assert last.unit == ""
    assert "A parking permit costs 20 LMD a year." in last.text
    assert "chair" not in last.text


@pytest.mark.parametrize(
    ("subject", "status", "choices"),
    [
        ("Registry", "ask_which", REGISTRIES),
        ("Dragon taming in the Andes", "cannot_answer", ()),
        ("Payroll Unit", "too_little", ()),
    ],
)  # fmt: skip
def test_what_cannot_be_written_about_is_said(home: Home, subject: str, status: str, choices: tuple[str, ...]) -> None:
    model = Colleague()
    (record,) = wrote(home, subject, model)
    assert record.status == status
    assert not choices or record.choices == choices
    assert not model.lines
    assert "closed" not in record.to_json()


def test_a_secret_subject_is_answered_as_one_that_nobody_knows(home: Home) -> None:
    known, unknown = (wrote(home, subject)[-1] for subject in ("Zorblatt file", "Qwerty file"))
    assert known.status == unknown.status == "cannot_answer"
    assert "Zorblatt" not in known.to_json().replace("Zorblatt file", "")
    assert wrote(home, "Zorblatt file", readers=None)[-1].sources


def test_a_shared_briefing_shows_what_the_other_may_read(home: Home) -> None:
    ann, bob = person(home, "ann", "Finance Division"), person(home, "bob", "Legal Division")
    (*_, end) = briefs.make(
        home, replace(home.assistant, model=Colleague()), briefs.brief_request(home, "Ethics Office"), ann,
        id="1" * 32, stop=threading.Event(),
    )  # fmt: skip
    assert isinstance(end, briefs.Briefed)
    assert "Zorblatt" in end.record.text
    assert briefs.kept(home, ann, "1" * 32) == end.record
    assert briefs.kept(home, bob, "1" * 32) is None
    home.records.shares.put("1" * 32, "bob")
    home.records.shares.put("1" * 32, "bob")
    seen = briefs.kept(home, bob, "1" * 32)
    assert seen is not None
    assert "gives confidential advice" in seen.text
    for told in (seen.to_json(), briefs.brief_as_text(seen)):
        assert "Zorblatt" not in told
        assert "secret" not in told
    with zipfile.ZipFile(io.BytesIO(word_document(seen, "Acme"))) as parts:
        assert not any(b"Zorblatt" in parts.read(name) for name in parts.namelist())
    assert briefs.owned(home, bob, "1" * 32) is None
    home.records.shares.end("1" * 32, "bob")
    assert briefs.kept(home, bob, "1" * 32) is None


def test_only_what_stands_on_a_changed_source_is_written_anew(home: Home, tmp_path: Path) -> None:
    ann, model = person(home, "ann", "Legal Division"), Colleague()
    assistant = replace(home.assistant, model=model)
    asked = briefs.brief_request(home, "Ethics Office")
    (*_, first) = briefs.make(home, assistant, asked, ann, id="1" * 32, stop=threading.Event())
    assert isinstance(first, briefs.Briefed)
    assert briefs.changes(home, first.record) == ()
    changed = (
        MANUAL.replace("within ten days", "within 15 days")
        + "\n\n## 5 Staff\n\nSix people work in the Ethics Office.\n"
    )
    (tmp_path / "manual.md").write_text(changed)
    home.ingest([tmp_path / "manual.md"], replace=True, progress=lambda *_: None)
    (place,) = briefs.changes(home, first.record)
    assert first.record.parts[place].title == "2 Gifts"
    again = briefs.update_request(home, ann, "1" * 32)
    (*_, second) = briefs.make(home, assistant, again, ann, id="2" * 32, stop=threading.Event())
    assert isinstance(second, briefs.Briefed)
    record = second.record
    assert record.previous == "1" * 32
    old, new = first.record.parts, record.parts
    assert [part for part in old if part.title != "2 Gifts"] == [part for part in new if part in old]
    assert "within 15 days" in record.text
    assert "within ten days" not in record.text
    assert "Six people work" in new[-1].text
    assert "How many people work in the Ethics Office?" not in [one.text for one in record.open]
    told = dict(briefs.differences(old[place], new[record.changed[0]]))
    assert {"gone", "new"} <= set(told)
    assert briefs.changes(home, record) == ()
    assert briefs.kept(home, ann, "1" * 32) == first.record


def test_a_model_that_dies_leaves_the_quotations(home: Home) -> None:
    ann = person(home, "ann", "Legal Division")
    assistant = replace(home.assistant, model=Colleague("", dies=True))
    asked = briefs.brief_request(home, "parking permit", "short")
    (*_, end) = briefs.make(home, assistant, asked, ann, id="1" * 32, stop=threading.Event())
    assert isinstance(end, briefs.Briefed)
    assert "ended" in end.record.interrupted
    assert "20 LMD" in end.record.text
    assert briefs.kept(home, ann, "1" * 32) == end.record


def test_a_stop_keeps_what_is_written(home: Home) -> None:
    ann, stop = person(home, "ann", "Legal Division"), threading.Event()
    assistant = replace(home.assistant, model=Colleague())
    steps = briefs.make(home, assistant, briefs.brief_request(home, "Ethics Office"), ann, id="1" * 32, stop=stop)
    next(steps)
    stop.set()
    (*_, end) = steps
    assert isinstance(end, briefs.Briefed)
    assert end.record.interrupted == "stopped by the reader"
    assert "gives confidential advice" in end.record.text


def test_whoever_waits_for_the_model_sees_their_place_and_a_stop_there_keeps_what_is_found(home: Home) -> None:
    ann, stop = person(home, "ann", "Legal Division"), threading.Event()
    assistant, asked = replace(home.assistant, model=Colleague()), briefs.brief_request(home, "Ethics Office")
    steps = briefs.make(home, assistant, asked, ann, id="1" * 32, stop=threading.Event())
    with assistant.line.place():
        found, waiting = next(steps), next(steps)
    assert isinstance(found, BriefRecord)
    assert (waiting, next(steps)) == (Waiting(1), Waiting(0))
    (*_, end) = steps
    assert isinstance(end, briefs.Briefed)
    assert end.record.interrupted == ""
    steps = briefs.make(home, assistant, asked, ann, id="2" * 32, stop=stop)
    with assistant.line.place():
        assert [type(next(steps)) for _ in range(2)] == [BriefRecord, Waiting]
        stop.set()
        (*_, end) = steps
    assert isinstance(end, briefs.Briefed)
    assert end.record.interrupted == "stopped by the reader"
    assert end.record.parts == found.parts


@pytest.mark.parametrize("how", ["deleted", "closed"])
def test_what_stood_on_a_document_that_went_is_counted_for_its_asker_alone(home: Home, how: str) -> None:
    ann, bob = person(home, "ann", "Finance Division"), person(home, "bob", "Legal Division")
    asked, id = briefs.brief_request(home, "Ethics Office"), "1" * 32
    list(briefs.make(home, replace(home.assistant, model=Colleague()), asked, ann, id=id, stop=threading.Event()))
    home.records.shares.put(id, "bob")
    assert briefs.lost(home, ann, id) == 0
    if how == "deleted":
        home.forget("secret.md")
    else:
        home.set_audience("secret.md", frozenset({bob.unit}))
    seen = briefs.kept(home, ann, id)
    assert seen
    assert "Zorblatt" not in seen.to_json()
    assert briefs.lost(home, ann, id) >= 2
    assert [briefs.lost(home, who, id) for who in (bob, person(home, "eve", "Finance Division"))] == [0, 0]


def test_gaps_count_what_no_document_says(home: Home) -> None:
    ann = person(home, "ann", "Legal Division")
    assistant = replace(home.assistant, model=Colleague())
    for number in "12":
        asked = briefs.brief_request(home, "Ethics Office")
        list(briefs.make(home, assistant, asked, ann, id=number * 32, stop=threading.Event()))
    (gap, *_) = [one for one in gaps(home.records, date(2026, 1, 5), None) if "people" in one.question]
    assert (gap.subject, len(gap.askings)) == ("Ethics Office", 2)
    since = briefs.answered_since(assistant, [gap.question, "How soon does the Ethics Office acknowledge a report?"])
    assert [*since] == ["How soon does the Ethics Office acknowledge a report?"]


@pytest.mark.parametrize(
    ("subject", "length", "said"),
    [
        (" \u200b ", "standard", "empty"),
        ("x" * 201, "standard", "201 characters; at most 200"),
        ("Ethics Office", "endless", "no length 'endless'"),
    ],
)
def test_bad_input_is_said(home: Home, subject: str, length: str, said: str) -> None:
    with pytest.raises(TragError, match=said):
        briefs.brief_request(home, subject, length)


def test_a_word_document_has_paragraphs_sources_and_what_is_open(home: Home) -> None:
    record = wrote(home, "Ethics Office")[-1]
    made = docx.Document(io.BytesIO(word_document(record, "Acme Foundation")))
    texts = [paragraph.text for paragraph in made.paragraphs]
    assert texts[0] == "Ethics Office"
    assert "How many people work in the Ethics Office?" in texts
    assert any(text.startswith("[1] ") for text in texts)
    assert made.core_properties.author == "Acme Foundation"
    assert "[1]" in briefs.brief_as_text(record)
