"""What becomes of what a model writes about a passage. A scripted model stands in for one that writes."""

import json
import threading
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from prompts import Message
from store.passage import Passage
from trag.ingest.pairs import DIRECT_TYPES
from trag.llm.model import LanguageModel
from trag.pairs import GeneratedPair, Interrupted, pairs_of
from trag.pairs.writing import TYPES, grammar

TEXT = "The board has seven directors. The chair may not be a member of staff.\n\nThe board  meets once a month."
PASSAGE = Passage("p", "section", "board.md", "4 Board > 4.1 Members", 7, TEXT)


def line(sentence: int, question: str, answer: str, type: str = "short answer") -> str:
    return json.dumps({"sentence": sentence, "type": type, "question": question, "answer": answer}) + "\n"


GOOD = line(1, "How many directors does the board have?", "The board has seven directors.")
DENIED = line(2, "May the chair be a member of staff?", "Yes, the chair may be a member of staff.", "yes no")
WRONG = line(3, "How often does the board meet?", "The board meets twice a month, in Room 5.")
TURN = line(3, "And how often does it meet?", "The board meets once a month.")


class Scripted:
    """A model that writes what it was given, an answer a call; a word is a token. It ends when it is stopped."""

    identity, slots = "scripted", 1

    def __init__(self, *answers: str, context: int = 4096) -> None:
        self.answers = list(answers)
        self.context = context
        self.asked: list[str] = []
        self.grammars: list[str] = []

    def count(self, messages: Sequence[Message]) -> int:
        return sum(len(message.content.split()) for message in messages)

    def stream(
        self, messages: Sequence[Message], *, stop: threading.Event, grammar: str, **_: Any
    ) -> Generator[str, None, None]:
        self.asked.append(messages[-1].content)
        self.grammars.append(grammar)
        for part in self.answers.pop(0).splitlines(keepends=True):
            if stop.is_set():
                return
            yield part


def written(model: Scripted, folder: Path, passage: Passage = PASSAGE, **options: Any) -> tuple[GeneratedPair, ...]:
    return pairs_of(passage, cast(LanguageModel, model), folder=folder, **options)


def test_every_pair_is_checked_and_stands_on_a_sentence_of_its_passage(tmp_path: Path) -> None:
    found = written(Scripted(GOOD + DENIED + WRONG + 'nonsense {\n{"sentence": 1}\n[]\n', TURN), tmp_path)
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
    assert written(Scripted(bad, ""), tmp_path) == ()


def test_the_same_pair_of_two_ways_is_there_once(tmp_path: Path) -> None:
    assert len(written(Scripted(GOOD + GOOD, "", GOOD), tmp_path, examples=["Who?"])) == 1


def test_the_third_way_shows_the_model_the_questions_of_the_expert_as_many_as_fit(tmp_path: Path) -> None:
    model = Scripted("", "", GOOD, context=1_200)
    examples = [f"Example{number} " + "who " * 30 for number in range(20)]
    assert len(written(model, tmp_path, examples=examples)) == 1
    assert ["Example1" in text for text in model.asked] == [False, False, True]
    assert 1 < model.asked[2].count("who who") // 15 < 10
    assert all("1. The board has seven directors.\n2. " in text and "Board > Members" in text for text in model.asked)


def test_what_was_written_is_not_written_again_until_the_passage_or_the_examples_change(tmp_path: Path) -> None:
    def asked(passage: Passage, **options: Any) -> int:
        model = Scripted(GOOD, TURN, GOOD)
        found = written(model, tmp_path, passage, **options)
        assert {(pair.section, pair.page) for pair in found} == {(passage.section, passage.page)}
        return len(model.asked)

    moved = Passage("q", "section", "board.md", "5 Board > 5.2 Members", 9, TEXT)
    changed = Passage("r", "section", "board.md", PASSAGE.section, 7, TEXT.replace("month", "year"))
    assert [asked(PASSAGE), asked(PASSAGE), asked(moved), asked(changed)] == [2, 0, 0, 2]
    assert asked(PASSAGE, examples=["Who?"]) == 1


def test_nothing_is_kept_of_a_call_that_was_interrupted_and_all_of_those_before(tmp_path: Path) -> None:
    looks = iter([False, False, True])
    model = Scripted(GOOD, TURN, TURN)
    with pytest.raises(Interrupted):
        written(model, tmp_path, interrupted=lambda: next(looks, False))
    assert len(list(tmp_path.iterdir())) == 1
    assert len(written(model, tmp_path)) == 2
    assert len(model.asked) == 3


def test_the_grammar_is_one_that_llama_cpp_reads_and_allows_each_sentence_once_in_order(tmp_path: Path) -> None:
    from llama_cpp import LlamaGrammar

    model = Scripted(GOOD, TURN)
    written(model, tmp_path)
    assert [text.splitlines()[0] for text in model.grammars] == ["root ::= p1? p2? p3?"] * 2
    assert ["type" in text for text in model.grammars] == [True, False]
    for text in (*model.grammars, grammar(40, TYPES)):
        LlamaGrammar.from_string(text)
