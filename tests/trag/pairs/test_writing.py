"""What becomes of what a model writes about a passage. A scripted model stands in for one that writes."""

import json
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import pytest

from prompts import Message
from store.passage import Passage
from tests.scripted import Scripted
from trag.ingest.pairs import DIRECT_TYPES, GeneratedPair
from trag.llm.model import Usage
from trag.pairs.writing import TYPES, grammar, is_grounded, pairs_of, source
from trag.progress import Cancelled

TEXT = "The board has seven directors. The chair may not be a member of staff.\n\nThe board  meets once a month."
PASSAGE = Passage("p", "section", "board.md", "4 Board > 4.1 Members", 7, TEXT)
HOURS = "The library opens at 9:00 and closes at 18:00, but not on Mondays."
FEE = "The Head of Finance may waive a fee of 40 EUR."
RULE = "The chair may not be a member of staff."


def line(sentence: int, question: str, answer: str, type: str = "short answer") -> str:
    return json.dumps({"sentence": sentence, "type": type, "question": question, "answer": answer}) + "\n"


GOOD = line(1, "How many directors does the board have?", "The board has seven directors.")
DENIED = line(2, "May the chair be a member of staff?", "Yes, the chair may be a member of staff.", "yes no")
WRONG = line(3, "How often does the board meet?", "The board meets twice a month, in Room 5.")
TURN = line(3, "And how often does it meet?", "The board meets once a month.")


class Writer(Scripted):
    """Keeps the grammars that it was held to."""

    def __init__(self, *answers: str, context: int = 4096) -> None:
        super().__init__(*answers)
        self.context = context
        self.grammars: list[str] = []

    def stream(self, messages: Sequence[Message], **options: Any) -> Generator[str | Usage, None, None]:
        self.grammars.append(options["grammar"])
        return super().stream(messages, **options)


def written(model: Writer, folder: Path, passage: Passage = PASSAGE, **options: Any) -> tuple[GeneratedPair, ...]:
    return pairs_of(passage, model, folder=folder, **options)


def test_every_pair_is_checked_and_stands_on_a_sentence_of_its_passage(tmp_path: Path) -> None:
    found = written(Writer(GOOD + DENIED + WRONG + 'nonsense {\n{"sentence": 1}\n[]\n', TURN), tmp_path)
    answers = ("The board has seven directors.", "The board meets once a month.")
    place = ("4 Board > 4.1 Members", 7)
    assert found == (
        GeneratedPair("How many directors does the board have?", answers[0], "short answer", *place, answers[0]),
        GeneratedPair("And how often does it meet?", answers[1], "dialogue", *place, answers[1]),
    )
    assert found[1].type not in DIRECT_TYPES, "the turns of a dialogue are not searched"


@pytest.mark.parametrize(
    "bad",
    [
        line(0, "How many directors?", "The board has seven directors."),
        line(9, "How many directors?", "The board has seven directors."),
        line(1, "How many directors", "The board has seven directors."),
        line(1, "How many directors?", "The board has seven directors.", "riddle"),
        line(1, "How many directors?", "The board has seven directors. " * 200),
        line(1, " ", "The board has seven directors."),
        GOOD[:-4],
    ],
    ids=["no sentence", "none such", "no question", "type", "long", "empty", "broken off"],
)
def test_what_is_no_pair_is_left_out(tmp_path: Path, bad: str) -> None:
    assert written(Writer(bad, ""), tmp_path) == ()


def test_the_same_pair_of_two_ways_is_there_once(tmp_path: Path) -> None:
    assert len(written(Writer(GOOD + GOOD, "", GOOD), tmp_path, examples=["Who?"])) == 1


def test_the_third_way_shows_the_model_the_questions_of_the_expert_as_many_as_fit(tmp_path: Path) -> None:
    model = Writer("", "", GOOD, context=1_200)
    examples = [f"Example{number} " + "who " * 30 for number in range(20)]
    assert len(written(model, tmp_path, examples=examples)) == 1
    asked = [messages[-1].content for messages in model.asked]
    assert ["Example1" in text for text in asked] == [False, False, True]
    assert 1 < asked[2].count("who who") // 15 < 10
    assert all("1. The board has seven directors.\n2. " in text and "Board > Members" in text for text in asked)


def test_what_was_written_is_not_written_again_until_the_passage_or_the_examples_change(tmp_path: Path) -> None:
    def asked(passage: Passage, **options: Any) -> int:
        model = Writer(GOOD, TURN, GOOD)
        found = written(model, tmp_path, passage, **options)
        assert {(pair.section, pair.page) for pair in found} == {(passage.section, passage.page)}
        return len(model.asked)

    moved = Passage("q", "section", "board.md", "5 Board > 5.2 Members", 9, TEXT)
    changed = Passage("r", "section", "board.md", PASSAGE.section, 7, TEXT.replace("month", "year"))
    assert [asked(PASSAGE), asked(PASSAGE), asked(moved), asked(changed)] == [2, 0, 0, 2]
    assert asked(PASSAGE, examples=["Who?"]) == 1


def test_nothing_is_kept_of_a_call_that_was_interrupted_and_all_of_those_before(tmp_path: Path) -> None:
    model = Writer(GOOD, TURN)
    with pytest.raises(Cancelled):
        written(model, tmp_path, interrupted=lambda: any(tmp_path.iterdir()))
    assert len(list(tmp_path.iterdir())) == 1
    assert len(written(model, tmp_path)) == 2
    assert len(model.asked) == 3


def test_the_grammar_is_one_that_llama_cpp_reads_and_allows_each_sentence_once_in_order(tmp_path: Path) -> None:
    from llama_cpp import LlamaGrammar

    model = Writer(GOOD, TURN)
    written(model, tmp_path)
    assert [text.splitlines()[0] for text in model.grammars] == ["root ::= p1? p2? p3?"] * 2
    assert ["type" in text for text in model.grammars] == [True, False]
    for text in (*model.grammars, grammar(40, TYPES)):
        LlamaGrammar.from_string(text)


@pytest.mark.parametrize(
    ("answer", "type", "source", "holds"),
    [
        ("The Head of Finance.", "short answer", FEE, True),
        ("the head of finance may waive it.", "short answer", FEE, True),
        ("40 EUR.", "short answer", FEE, True),
        ("The Head of Sales.", "short answer", FEE, False),
        ("Bob.", "short answer", FEE, False),
        ("45 EUR.", "short answer", FEE, False),
        ("A fee of forty-five.", "short answer", FEE, False),
        ("Yes, the Head of Finance may waive it.", "yes no", FEE, True),
        ("Yes.", "yes no", FEE, False),
        ("No, the chair may not be a member of staff.", "yes no", RULE, True),
        ("Yes, the chair may be a member of staff.", "yes no", RULE, False),
        ("Yes, the chair may be a member of staff.", "fact check", RULE, False),
        ("But not on Mondays.", "short answer", HOURS, True),
        ("But not on Sundays.", "short answer", HOURS, False),
        ("", "short answer", FEE, False),
        ("Die Leiterin der Finanzen.", "short answer", "Gebühren erlässt die Leiterin der Finanzen.", True),
        ("Rules, the Head of Finance may waive it.", "short answer", FEE, True),
        ("Herr Maier.", "short answer", "Gebühren erlässt die Leiterin der Finanzen.", False),
    ],
)
def test_every_name_and_number_stands_in_the_section_and_denial_in_the_source(
    answer: str, type: str, source: str, holds: bool
) -> None:
    assert is_grounded(answer, type, source=source, section=f"1 Rules\n{source} A later sentence.") is holds


@pytest.mark.parametrize(
    ("answer", "named", "place"),
    [
        ("No, a claim that comes later is not paid.", 0, 1),
        ("Claims reach the office within 30 days.", 1, 0),
        ("30 days.", 0, 0),
        ("Unrelated.", 1, 1),
    ],
    ids=["its neighbour", "the one before", "named", "none says more"],
)
def test_a_pair_stands_on_the_sentence_that_says_most_of_it(answer: str, named: int, place: int) -> None:
    sentences = ("Claims reach the office within 30 days of the journey.", "A claim that comes later is not paid.")
    assert source(answer, sentences, named) == sentences[place]
