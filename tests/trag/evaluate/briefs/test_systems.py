"""What the paper's ways send to a model, and what is kept of their texts; over a real index, with a scripted model."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import prompts
from org.reading.charts import load
from prompts import Message
from tests.scripted import Scripted
from trag.evaluate.briefs import names, running, systems
from trag.evaluate.briefs.systems import RESULTS, SYSTEMS, write
from trag.home import Home, open_home
from trag.settings import Settings

pytestmark = pytest.mark.slow

CHART = b"""name,parent,type,aliases,description
Acme Foundation,,foundation,Acme,
Legal Division,Acme Foundation,division,,
Ethics Office,Legal Division,office,EO,
Payroll Unit,Acme Foundation,unit,,
"""
MANUAL = "# Manual\n" + "\n".join(
    f"\n## {number} {title} rules\n\nThe Ethics Office keeps the {title.lower()} register of {number} kinds. {more}\n"
    for number, (title, more) in enumerate(
        (
            ("Gift", "Gifts are declared within ten days."),
            ("Travel", "The Payroll Unit pays travel on the 25th."),
            ("Grant", "Grants end after two years."),
            ("Visitor", "Visitors wear a badge."),
            ("Boat", "Boats are hired by the hour."),
            ("Archive", "Files are kept for nine years."),
            ("Parking", "Cars are parked in the yard."),
            ("Library", "Books are lent for three weeks."),
            ("Safety", "Alarms are tested on Mondays."),
            ("Press", "Releases are cleared in a day."),
            ("Kitchen", "The kitchen closes at four."),
        ),
        1,
    )
)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    folder = tmp_path_factory.mktemp("acme")
    (folder / "manual.md").write_text(MANUAL)
    with open_home(Settings(home=folder / "home")) as home:
        home.charts.activate(load(CHART, "chart.csv"), [("chart.csv", CHART)], by="ada")
        home.ingest([folder / "manual.md"], replace=False, progress=lambda *_: None)
        yield home


def asked(home: Home, system: str, *answers: str) -> tuple[list[tuple[Message, ...]], systems.Written]:
    model = Scripted(*answers)
    text = write(replace(home.assistant, model=model), system, "head", "Ethics Office", 0)
    return model.asked, text


def passages(message: Message) -> int:
    return message.content.count("The Ethics Office keeps the")


def template(message: Message, results: Sequence[str]) -> str:
    text = message.content
    for one in results:
        text = text.replace(one, "")
    return text.strip()


def test_one_and_plan_a_end_with_the_same_words_around_what_they_found(home: Home) -> None:
    (one,), short = asked(home, "one", "It keeps registers. [1]")
    many, long = asked(home, "plan-a", "Paragraph 1: Gifts", "Who declares gifts?\n- When do grants end?", "Text.")
    assert template(one[0], short.evidence) == template(many[-1][0], long.evidence)
    assert passages(one[0]) == len(short.evidence) == RESULTS
    assert len(many) == 3
    assert long.added == len(long.evidence) - RESULTS >= 0
    assert {*short.evidence} <= {*long.evidence}
    assert short.sentences == ("It keeps registers. [1]",) or short.sentences


def test_twice_the_results_and_none(home: Home) -> None:
    ((twice,),), text = asked(home, "one2x", "Text.")
    assert passages(twice) == len(text.evidence) == 2 * RESULTS
    ((none,),), text = asked(home, "direct", "Text.")
    assert none == prompts.brief("direct", subject="Ethics Office")[0]
    assert passages(none) == 0
    assert len(text.evidence) == RESULTS, "what it is judged by, not shown"


def test_plan_b_marks_what_nothing_answers_and_an_ablation_leaves_it_out(home: Home) -> None:
    script = ("Paragraph 1: Gifts", "When are gifts declared?\nWhat is the colour of Neptune's moons?", "Text.")
    marked, _ = asked(home, "plan-b", *script)
    bare, _ = asked(home, "plan-b-no-marks", *script)
    assert "Answer: Gifts are declared within ten days." in marked[-1][0].content
    assert marked[-1][0].content.count("Not enough information. Skip this question.") == 1
    assert "Not enough" not in bare[-1][0].content
    assert "Neptune" not in bare[-1][0].content


def test_without_an_outline_questions_are_asked_once(home: Home) -> None:
    sent, _ = asked(home, "plan-a-no-outline", "When are gifts declared?", "Text.")
    assert len(sent) == 2
    assert "Paragraph 1" not in sent[0][0].content


def test_the_product_cites_each_sentence(home: Home) -> None:
    _, text = asked(home, "trag-quotes", "Never asked.")
    assert text.sentences
    assert all(len(each) == 1 for each in text.cited)
    assert text.quotations >= len(text.sentences) - 3  # beside the chart's


def test_names_are_of_three_sets_and_the_same_again(home: Home) -> None:
    passages = [*home.records.library.passages()]
    drawn = names.draw(home.organization, passages, number=6, seed=1)
    assert {(one.set, one.name) for one in drawn if one.set != "topic"} == {
        ("head", "Ethics Office"), ("tail", "Payroll Unit"),
    }  # fmt: skip
    assert {one.set for one in drawn} == {"head", "tail", "topic"}
    assert drawn == names.draw(home.organization, passages, number=6, seed=1)
    assert drawn != names.draw(home.organization, passages, number=6, seed=2)


def test_what_is_written_is_kept_and_a_cut_line_is_written_again(home: Home, tmp_path: Path) -> None:
    model = Scripted("It keeps registers.")
    assistant = replace(home.assistant, model=model)
    some = (names.Name("head", "Ethics Office"), names.Name("tail", "Payroll Unit"))
    how = (some, ("one", "direct"), 2, lambda *_: None)
    first = running.run(tmp_path, assistant, *how)
    assert [len(each) for each in first.values()] == [4, 4]
    assert len(model.asked) == 8
    for file in tmp_path.iterdir():
        file.write_bytes(file.read_bytes()[:-20])
    again = running.run(tmp_path, assistant, *how)
    assert len(model.asked) == 10
    assert [[one.sentences for one in each] for each in again.values()] == [
        [one.sentences for one in each] for each in first.values()
    ]
    assert {*SYSTEMS} >= {*first}
