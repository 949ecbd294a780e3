"""What no document says: counted, told with a unit that is no name, and grouped."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import numpy as np
import pytest

from org.reading.charts import load
from prompts import CANNOT_ANSWER
from store.person import Newcomer
from store.records import Records
from trag import gaps
from trag.brief.record import BriefQuestion, BriefRecord
from trag.gaps import CROWD, Asking, Gap, QuestionVectors, by_topic, grouped
from trag.record import AnswerRecord, ModelUsed, Source

CHART = load(b"id,name,parent\no,Org,\nl,Legal,Org\nd,Desk,Legal\nf,Finance,Org\n", "chart.csv")
NOW = datetime.now(UTC)
SINCE = date.today() - timedelta(weeks=1)
NOBODY = ModelUsed("", "", "")


@pytest.fixture
def records(tmp_path: Path) -> Records:
    return Records(f"sqlite:///{tmp_path}/trag.db")


def source(document: str, score: float, kind: str = "section") -> Source:
    return Source(uuid4().hex, kind, document, "1", None, "Words.", score)


def refused(
    records: Records, question: str, *sources: Source, asker: str = "", answer: str = CANNOT_ANSWER, stopped: str = ""
) -> None:
    id = uuid4().hex
    record = AnswerRecord(id, "and?", question, answer, "cannot_answer", NOBODY, sources=sources, interrupted=stopped)
    records.save_answer(id, None, "and?", answer, record.to_json(), asker=asker)


def test_a_gap_is_counted_in_any_case_with_its_nearest_passage_and_without_greetings(records: Records) -> None:
    near, chart = source("a.md", 0.5), source("Organization chart 1", 1.0, "chart")
    refused(records, "Who cleans?", chart, source("b.md", 0.3), near)
    refused(records, "WHO CLEANS?")
    refused(records, "Hello", answer="I answer questions.")
    refused(records, "Who paints?", stopped="stopped by the reader")
    brief = BriefRecord("b" * 32, "Legal", "written", open=(BriefQuestion("Who leads it?", "reader"),))
    records.save_answer(brief.id, None, "Legal", "", brief.to_json(), kind="brief")
    many, one = gaps.gaps(records, SINCE, CHART)
    assert (many.question.casefold(), len(many.askings), many.subject) == ("who cleans?", 2, "")
    assert [each.nearest for each in many.askings] == [None, near]
    assert (one.question, one.subject, one.askings[0].nearest) == ("Who leads it?", "Legal", None)
    assert gaps.gaps(records, date.today() + timedelta(weeks=1), CHART) == ()


def test_a_unit_of_few_accounts_counts_with_the_one_above_it(records: Records) -> None:
    people = {}
    for name, unit in (("ann", "l"), ("bob", "l"), ("eve", "d"), ("sam", "f"), ("tom", ""), ("old", "gone")):
        people[name] = records.people.add(Newcomer(name, state="active", unit=unit), by="test").id
    assert CROWD == 3
    for name, id in people.items():
        refused(records, f"Asked by {name}", asker=id)
    found = {gap.question: gap.askings[0].unit for gap in gaps.gaps(records, SINCE, CHART)}
    told = {"ann": "l", "bob": "l", "eve": "l", "sam": "o", "tom": "", "old": ""}
    assert found == {f"Asked by {name}": unit for name, unit in told.items()}
    assert {gap.askings[0].unit for gap in gaps.gaps(records, SINCE, None)} == {""}


def test_groups_are_merged_by_their_mean_likeness() -> None:
    likeness = np.array([[1.0, 0.9, 0.2, 0.1], [0.9, 1.0, 0.7, 0.1], [0.2, 0.7, 1.0, 0.1], [0.1, 0.1, 0.1, 1.0]])
    # 2 is near to 1 alone: to 0 and 1 together it is 0.45 near.
    assert sorted(map(sorted, grouped(likeness, 0.5))) == [[0, 1], [2], [3]]
    assert sorted(map(sorted, grouped(likeness, 0.44))) == [[0, 1, 2], [3]]
    assert grouped(np.ones((1, 1))) == [[0]]


def test_a_topic_is_called_by_its_middle_and_leads_to_the_document_nearest_to_all() -> None:
    places = {"left": -0.6, "middle": 0.0, "right": 0.6, "far": np.pi / 2}
    embedded: list[str] = []

    def embed(questions: Sequence[str]) -> np.ndarray:
        embedded.extend(questions)
        return np.array([(np.cos(places[one]), np.sin(places[one])) for one in questions])

    def gap(question: str, *askings: tuple[str, Source | None]) -> Gap:
        return Gap(question, "", tuple(Asking(NOW, unit, nearest) for unit, nearest in askings))

    best = source("rules.md", 0.5)
    found = (
        gap("left", ("l", source("other.md", 0.6))),
        gap("middle", ("l", best)),
        gap("right", ("f", source("rules.md", 0.4)), ("", None)),
        gap("far", ("f", None)),
    )
    vectors = QuestionVectors(embed)
    topics = by_topic(found, vectors)
    assert [(topic.name, len(topic.gaps)) for topic in topics] == [("middle", 3), ("far", 1)]
    assert topics[0].units == (("l", 2), ("f", 1), ("", 1))
    assert topics[0].nearest == best
    assert topics[1].nearest is None
    by_topic(found[1:], vectors)
    assert sorted(embedded) == sorted(places), "each is embedded once"
    by_topic(found, vectors)
    assert embedded[4:] == ["left"], "and forgotten where it is asked for no more"
    assert by_topic((), vectors) == ()
