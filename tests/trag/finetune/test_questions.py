"""What a candidate is measured by: nothing that it was trained on, and the home's own sets beside the rest."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from org.reading.charts import load
from prompts import Message
from trag.errors import TragError
from trag.evaluate import chart_cases
from trag.evaluate.cases import Case, CaseSets, write
from trag.finetune.candidates import LEARNED
from trag.finetune.dataset import examples, folders, of_home
from trag.finetune.dataset.examples import Example
from trag.finetune.dataset.typed import plain
from trag.finetune.gate import MOST
from trag.finetune.questions import SEED, choose, spread
from trag.finetune.work import MOST_SEED, Works
from trag.home import Home, open_home
from trag.settings import Settings

CHART = (Path(__file__).parents[3] / "examples" / "larkmoor" / "chart.csv").read_bytes()


def test_some_of_a_row_are_spread_from_first_to_last() -> None:
    assert spread(range(10), 3) == [0, 3, 6]
    assert spread(range(3), 9) == range(3)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    with open_home(Settings(home=tmp_path / "home")) as opened:
        yield opened


def candidate(home: Home, *learned: str, held_out: tuple[Case, ...] = ()) -> str:
    """The id of an adapter that was trained on these questions."""
    file = home.folder / "made.gguf"
    file.write_bytes(" ".join(learned).encode())
    return home.candidates.add(
        file,
        base_name="SmolLM2",
        base_sha256="b" * 64,
        dataset_sha256="d" * 64,
        settings=(),
        by="ada",
        cases=write(held_out),
        learned=learned,
    ).id


def case(id: str, question: str) -> Case:
    return Case(id, question, "document", gold=(("nine",),))


@pytest.mark.slow
def test_chart_questions_are_none_of_those_that_training_draws_from(home: Home) -> None:
    chart = load(CHART, "chart.csv")
    home.activate_chart(chart, "chart.csv", CHART, by="ada")
    pool = [one.question for one in chart_cases.make(chart, seed=1, number=of_home._MOST)]
    asked = choose(home, candidate(home, *pool), MOST)
    assert len(asked.cases) == MOST
    assert {plain(one.question) for one in asked.cases}.isdisjoint(map(plain, pool))
    assert {one.kind for one in asked.cases} == set(chart_cases.KINDS)
    # Even what no training has seen is left out when this one has.
    again = choose(home, candidate(home, *(f"Please, {one.question.upper()}" for one in asked.cases)), MOST)
    assert {one.question for one in again.cases}.isdisjoint(one.question for one in asked.cases)
    assert SEED > MOST_SEED


def test_a_held_out_question_that_was_learned_in_other_words_of_typing_is_left_out(home: Home) -> None:
    held_out = (
        case("a", "When does the office open?"),
        case("b", "When does the shop open?"),
        case("c", "When does the library open?"),
    )
    learned = ("hi, when does the office open", "when does the librrary open")
    asked = choose(home, candidate(home, *learned, held_out=held_out), MOST)
    assert [one.id for one in asked.cases] == ["dataset b"]


def test_sets_of_the_home_are_asked_without_what_was_learned(home: Home) -> None:
    sets = CaseSets(home.folder / "cases")
    first = sets.keep([case(str(n), f"When does shop {n} open?") for n in range(40)], "shops.jsonl", by="ada")
    second = sets.keep([case("x", "When does shop 3 open?"), case("y", "When is it shut?")], "few.jsonl", by="ada")
    asked = choose(home, candidate(home, "when does shop 7 open", "When does shop 8 open?"), 12)
    assert (len(asked.cases), asked.learned) == (12, 2)
    assert [(one.id, asked.sets[one.id]) for one in asked.cases[:2]] == [
        (f"{second.id[:12]} x", "few"),
        (f"{second.id[:12]} y", "few"),
    ]
    of_first = [one for one in asked.cases if asked.sets[one.id] == "shops"]
    assert len(of_first) == 10, "the small set leaves its room to the large one"
    assert {one.id.split()[0] for one in of_first} == {first.id[:12]}
    assert not {f"When does shop {n} open?" for n in (3, 7, 8)} & {one.question for one in of_first}


def test_what_it_learned_is_read_off_its_dataset_where_it_was_not_kept_with_it(home: Home) -> None:
    CaseSets(home.folder / "cases").keep([case("a", "When is it open?"), case("b", "And shut?")], "set", by="ada")
    id = candidate(home, "x")
    (home.folder / "adapters" / id / LEARNED).unlink()
    with pytest.raises(TragError, match=f"which questions {id} was trained on"):
        choose(home, id, 12)
    works = Works(home.folder / "finetune")
    work = works.after(works.begin(by="ada", seed=1, settings={}), "done", candidate=id)
    dataset = works.place(work) / "dataset"
    dataset.mkdir()
    learned = Example("a", "label", "when is it open", (Message("user", "when is it open"),), "Nine.")
    (dataset / folders.TRAIN).write_bytes(examples.write([learned]))
    assert [one.question for one in choose(home, id, 12).cases] == ["And shut?"]


def test_nothing_to_ask_is_said(home: Home) -> None:
    with pytest.raises(TragError, match="nothing to measure the adapter by") as refused:
        choose(home, candidate(home), MOST)
    assert "page Quality" in refused.value.hint
