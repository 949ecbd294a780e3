"""Dialogues of the bench: what is in the files, and that a turn goes on from what was answered before."""

from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest

from bench.dialogues import __main__ as dialogues
from trag.condense import Turn
from trag.evaluate import cases
from trag.evaluate.cases import Case
from trag.record import AnswerRecord, ModelUsed

FILES = sorted(dialogues.FOLDER.glob("*.jsonl"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_file_holds_dialogues_of_three_turns_about_an_organization(path: Any) -> None:
    turns = cases.read(path.read_bytes(), path.name)
    assert set(Counter(case.group for case in turns).values()) == {3}
    assert dialogues.organization(path.stem).chart.exists()


def test_a_turn_goes_on_from_the_answer_before_it_and_a_wrong_one_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    heard: list[tuple[Turn, ...]] = []

    def answer(question: str, *, history: list[Turn], readers: None) -> AnswerRecord:
        heard.append(tuple(history))
        return AnswerRecord("1", question, f"{question}, whole", "Six weeks.", "answered", ModelUsed("", "", ""))

    home: Any = SimpleNamespace(assistant=SimpleNamespace(answer=answer), organization=SimpleNamespace(chart=None))
    turns = [Case("1", "how long?", "dialogue", gold=(("six",),)), Case("2", "and paid?", "dialogue", gold=(("ten",),))]
    assert dialogues.turns_right(turns, home, show=True) == [True, False]
    assert heard == [(), (Turn("how long?, whole", "Six weeks."),)]
    assert "2 and paid?" in capsys.readouterr().out
