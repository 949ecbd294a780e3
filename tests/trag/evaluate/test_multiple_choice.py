"""Multiple-choice questions: what is read, what is asked, how letters are found and counted."""

import csv
import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from prompts import Message
from tests.scripted import Scripted
from trag.errors import TragError
from trag.evaluate import multiple_choice
from trag.evaluate.cases import Case
from trag.evaluate.multiple_choice import accuracy, examples, letter_of, measure, read, results_of
from trag.evaluate.runs import Result
from trag.evaluate.scoring import Score
from trag.home import Home, open_home
from trag.llm.model import LanguageModel, ModelDied, ModelIdentity
from trag.llm.remote import RequestRefused
from trag.record import AnswerRecord, ModelUsed
from trag.settings import Settings
from trag.terminal.main import main

OURS = sorted(multiple_choice.GENERAL.glob("*.csv"))
LAW = b'"Who, if anybody, leads?",A judge,A cook,"A ""boss""",A mayor,A\n'


def test_a_row_is_a_question_with_its_answers_below_and_the_letter_apart() -> None:
    (case,) = read([("high_school_law_test.csv", b"\xef\xbb\xbf" + LAW)])
    question = 'Who, if anybody, leads?\nA. A judge\nB. A cook\nC. A "boss"\nD. A mayor'
    right, wrong = (("A judge",),), ("A cook", 'A "boss"', "A mayor")
    assert case == Case("high_school_law_test:1", question, "high school law", "A", gold=right, forbidden=wrong)


def test_every_row_that_cannot_be_used_is_told_at_once() -> None:
    bad = (
        b"question,A,B,C,D,answer\n"
        b"One?,1,2,3,4,B\n"
        b"Two?,1,2,3,B\n"
        b"\n"
        b'"Three\nlines?",1,2,3,4,E\n'
        b",1, ,3,4,C\n"
        b'"Quoted"x,1,2,3,4,C\n'
        b"Seven?,1,2,3,4,d\n"
        b'"Never ends,1,2,3,4,C\n'
    )
    files = [("bad.csv", bad), ("law.csv", LAW), ("empty.csv", b"\n"), ("latin.csv", b"ok\n\xe9?,1,2,3,4,A\n")]
    with pytest.raises(TragError) as refused:
        read([*files, ("law.csv", LAW)])
    told = refused.value.message.removeprefix("These questions cannot be used: ").splitlines()
    expected = {
        "bad.csv line 1": 'is "answer"',
        "bad.csv line 3": "has 5 fields",
        "bad.csv line 5": 'is "E"',
        "bad.csv line 7": "question, B: empty",
        "bad.csv line 8": "is no CSV",
        "bad.csv line 9": 'is "d"',
        "bad.csv line 10": "is no CSV",
        "empty.csv": "no question",
        "latin.csv line 2": "no UTF-8",
        "law.csv": "another file is called so too",
    }
    assert [line.partition(":")[0] for line in told] == [*expected]
    assert all(reason in line for line, reason in zip(told, expected.values(), strict=True)), told
    with pytest.raises(TragError, match="there is no file"):
        read([])


def test_examples_are_the_first_of_their_subject() -> None:
    dev = [("law_dev.csv", LAW + LAW.replace(b"leads", b"cooks") + LAW), ("art_dev.csv", LAW)]
    found = examples(dev, 2, ["law", "law"])
    assert [(one.id, one.answer) for one in found["law"]] == [("law_dev:1", "A"), ("law_dev:2", "A")]
    assert list(found) == ["law"]
    with pytest.raises(TragError, match=r"not 2 examples of every subject: art \(1\), tax \(0\)"):
        examples(dev, 2, ["law", "art", "tax"])


def test_our_own_questions_are_many_balanced_and_without_a_hint_in_their_form() -> None:
    cases = read([(file.name, file.read_bytes()) for file in OURS])
    subjects, letters = Counter(case.kind for case in cases), Counter(case.answer for case in cases)
    assert len(cases) >= 210
    assert len(subjects) >= 14
    assert min(subjects.values()) >= 15, subjects
    assert max(letters.values()) - min(letters.values()) <= 2, letters
    assert len({case.question.split("\nA. ")[0] for case in cases}) == len(cases)
    longest = 0
    for file in OURS:
        for _, *options, letter in csv.reader(file.read_text().splitlines()):
            assert len({option.lower() for option in options}) == 4, options
            right = options.pop("ABCD".index(letter))
            longest += len(right) > max(map(len, options))
    assert longest / len(cases) < 0.25, "the longest answer is right too often"


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("B", "B"),
        (" (C) Paris", "C"),
        ("**D**", "D"),
        ("B. Paris", "B"),
        ("The answer is C.", "C"),
        ("The correct answer is: (A)", "A"),
        ("Answer: D because it is", "D"),
        ("A is right", "A"),
        ("option B", "B"),
        ("A judge leads a trial.", ""),
        ("Because of B", ""),
        ("Dublin", ""),
        ("b", ""),
        ("E", ""),
        ("", ""),
    ],
)
def test_the_letter_of_what_a_model_wrote(text: str, letter: str) -> None:
    assert letter_of(text) == letter


def answered(system: str, law: str, art: str) -> list[Result]:
    """A "+" is a right answer."""
    return [
        Result(
            system,
            Case(f"{subject}:{number}", f"{subject} {number}?", subject, answer="A"),
            AnswerRecord("", "", "", "A", "answered", ModelUsed("small", "", "")),
            Score("Correct" if mark == "+" else "Incorrect"),
        )
        for subject, marks in (("law", law), ("art", art))
        for number, mark in enumerate(marks)
    ]


def test_the_base_stands_beside_the_fine_tuned_model_question_by_question() -> None:
    # law: 3 became right and 0 wrong, p = 2 / 2^3; in all 3 better and 1 worse, p = 2 * (1 + 4) / 2^4.
    tuned = answered("choice", "++++-", "+-")
    found = accuracy([*tuned, *answered("choice:base", "+----", "++")])
    assert found.header == ("Subject", "N", "Base", "95%", "Fine-tuned", "95%", "Better", "Worse", "p")
    assert [(row[0], row[1], row[2], row[4], *row[6:]) for row in found.rows] == [
        ("art", "2", "100.0%", "50.0%", "0", "1", "1"),
        ("law", "5", "20.0%", "80.0%", "3", "0", "0.25"),
        ("All", "7", "42.9%", "71.4%", "3", "1", "0.625"),
    ]
    assert found.rows[1][3] == "3.6% to 62.4%"
    alone = accuracy(tuned)
    assert alone.header == ("Subject", "N", "Accuracy", "95%")
    assert alone.rows[-1][:3] == ("All", "7", "71.4%")


class Writing(Scripted):
    """A model behind an address: writes letters, or raises, one after the other, and is closed."""

    def __init__(self, *script: str | Exception, adapter: str = "", context: int = 4096) -> None:
        super().__init__(*script)
        self.identity, self.context = ModelIdentity("scripted", "0" * 64, adapter), context
        self.closed = False

    def close(self) -> None:
        self.closed = True


class Weighing(Writing):
    """A local model, which finds its letter likelier than others, or words by their weights."""

    weights: Mapping[str, float] = {}

    def log_probabilities(self, messages: Sequence[Message], beginnings: Sequence[str]) -> tuple[float, ...]:
        self.asked.append(tuple(messages))
        return tuple(self.weights.get(one, -1.0 if one == self.script[0] else -2.0) for one in beginnings)


DIED = ModelDied("The model's process ended.", "It starts again.")
REFUSED = RequestRefused("http://models/v1 answered 400: content filter", "Ask another question.")
CASES = read([("law.csv", LAW + LAW.replace(b"A\n", b"B\n"))])


@pytest.fixture
def home(tmp_path: Path, empty_database: Path) -> Iterator[Home]:
    folder = tmp_path / "home"
    folder.mkdir()
    shutil.copy(empty_database, folder)
    with open_home(Settings(home=folder)) as opened:
        yield opened


def put(
    home: Home, model: Writing, shown: multiple_choice.Examples | None = None, *, by_words: bool = False
) -> tuple[Result, ...]:
    home.parts["model"] = cast(LanguageModel, model)
    run = measure(home, CASES, "law", by_words=by_words, shown=shown or {}, progress=lambda *step: None)
    assert run.finished
    return results_of(home).results(run.id)


@pytest.mark.parametrize(
    ("model", "letters", "reason"),
    [
        (Weighing("B"), ["B", "B"], "A 13.5%, B 36.8%, C 13.5%, D 13.5%"),
        (Writing("The answer is B."), ["B", "B"], 'wrote "The answer is B."'),
        (Writing("I do not know."), ["", ""], 'wrote "I do not know."'),
        (Writing(DIED, "B"), ["B", "B"], 'wrote "B"'),
        (Writing(DIED, DIED, "B"), ["", "B"], "The model's process ended. It starts again."),
        (Writing(REFUSED, "B"), ["", "B"], "http://models/v1 answered 400: content filter Ask another question."),
        (Writing("B", context=30), ["", ""], "does not fit"),
    ],
    ids=["weighs", "writes", "writes none", "dies once", "dies twice", "refuses", "small context"],
)
def test_a_model_is_weighed_where_that_can_be_had_and_writes_where_not(
    home: Home, model: Writing, letters: list[str], reason: str
) -> None:
    found = put(home, model)
    assert [one.record.answer for one in found] == letters
    assert [one.score.verdict for one in found] == [
        "Correct" if letter == case.answer else "Incorrect" for letter, case in zip(letters, CASES, strict=True)
    ]
    assert reason in found[0].score.reasons[0]
    assert [one.system for one in found] == ["choice", "choice"]


def test_examples_are_turns_before_the_question_and_the_last_go_first_when_room_is_short(home: Home) -> None:
    shown = examples([("law_dev.csv", LAW + LAW.replace(b"leads", b"cooks"))], 2, ["law"])
    model = Weighing("B")
    assert put(home, model, shown)[0].system == "choice-2"
    turns = model.asked[0]
    assert [one.role for one in turns] == ["user", "assistant"] * 2 + ["user"]
    assert [one.content for one in turns if one.role == "assistant"] == ["A", "A"]
    assert "cooks" in turns[2].content
    short = Weighing("B", context=model.count(turns) + 15)
    put(home, replaced(short), shown)
    assert [one.role for one in short.asked[0]] == ["user", "assistant", "user"]
    assert "leads" in short.asked[0][0].content


def test_by_words_the_question_is_asked_alone_and_the_likeliest_words_for_their_length_are_the_answer(
    home: Home,
) -> None:
    model = Weighing("")
    model.weights = {"A judge": -7.7, "A cook": -6.0, 'A "boss"': -9.6, "A mayor": -7.0}  # by character -1.1 to -1.2
    shown = examples([("law_dev.csv", LAW.replace(b"leads", b"cooks"))], 1, ["law"])
    found = put(home, model, shown, by_words=True)
    assert [(one.role, one.content) for one in model.asked[0]] == [
        ("user", "Who, if anybody, cooks?"),
        ("assistant", "A judge"),
        ("user", "Who, if anybody, leads?"),
    ]
    assert [(one.system, one.record.answer, one.score.verdict) for one in found] == [
        ("choice-words-1", "B", "Incorrect"),
        ("choice-words-1", "B", "Correct"),
    ]
    assert found[0].score.reasons == ("A 33.3%, B 36.8%, C 30.1%, D 36.8%",)
    assert accuracy(found).title == "Multiple-choice questions, by the words of the answers"
    with pytest.raises(TragError, match="does not say how likely"):
        put(home, Writing(""), by_words=True)


def replaced(model: Weighing) -> Weighing:
    """The same as another model, so that its measurement is another one."""
    model.identity = replace(model.identity, sha256="1" * 64)
    return model


def test_what_broke_off_goes_on_and_what_is_whole_is_not_asked_again(home: Home) -> None:
    broken = Writing("B", TragError("The server cannot be reached.", "Is it running?"))
    with pytest.raises(TragError, match="cannot be reached"):
        put(home, broken)
    again = Writing("C")
    assert [one.record.answer for one in put(home, again)] == ["B", "C"]
    assert len(again.asked) == 1
    assert put(home, again)[0].record.answer == "B"
    assert len(again.asked) == 1
    assert len(results_of(home).runs()) == 1
    put(home, again, examples([("law_dev.csv", LAW)], 1, ["law"]))
    put(home, again, examples([("law_dev.csv", LAW.replace(b"leads", b"cooks"))], 1, ["law"]))
    assert len(results_of(home).runs()) == 3, "other examples are another measurement"
    roomier = Writing("C", context=8192)
    put(home, roomier, examples([("law_dev.csv", LAW)], 1, ["law"]))
    assert len(roomier.asked) == len(CASES), "so is another context: fewer examples may have been left out"


def test_a_model_that_is_given_up_meanwhile_is_asked_to_the_end_and_then_closed(home: Home) -> None:
    model, closed = Writing("B"), list[bool]()
    home.parts["model"] = cast(LanguageModel, model)

    def promoted(system: str, done: int, total: int) -> None:
        if not done:
            home.parts["model"] = cast(LanguageModel, replaced(Weighing("A")))
            home.leases.give_up(cast(LanguageModel, model))
        closed.append(model.closed)

    run = measure(home, CASES, "law", shown={}, progress=promoted)
    assert (len(model.asked), closed, model.closed) == (2, [False] * 3, True)
    assert run.model.sha256 == model.identity.sha256


def test_an_adapter_brings_its_base(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    base, opened = Weighing("A"), list[str]()

    def open_model(settings: Settings) -> Weighing:
        opened.append(settings.adapter)
        return base

    monkeypatch.setattr("trag.home.open_model", open_model)
    found = put(home, Weighing("B", adapter="ours.gguf"))
    assert [(one.system, one.record.answer, one.record.model.adapter) for one in found] == [
        *[("choice", "B", "ours.gguf")] * 2,
        *[("choice:base", "A", "")] * 2,
    ]
    assert opened == ["none"]
    assert base.closed


@pytest.mark.parametrize(
    ("words", "code", "problem"),
    [
        ("choice", 2, "required: FILE"),
        ("choice law.csv --shots 3", 2, "--shots goes with --dev"),
        ("choice law.csv --base", 2, "unrecognized arguments: --base"),
        ("choice missing.csv", 1, "missing.csv cannot be read"),
        ("law.csv --dev law.csv", 2, "unrecognized arguments: --dev law.csv"),
    ],
)
def test_wrong_words_are_told(
    words: str, code: int, problem: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("trag.home.open_home", None)  # nothing is opened
    try:
        ended = main(["evaluate", *words.split()])
    except SystemExit as stopped:
        ended = cast(int, stopped.code)
    assert ended == code
    assert problem in capsys.readouterr().err


@pytest.mark.slow
def test_the_embedded_model_answers_from_the_terminal(
    model_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TRAG_HOME", str(model_home))
    monkeypatch.setenv("TRAG_ADAPTER", "none")
    (tmp_path / "questions").mkdir()
    (tmp_path / "questions" / "law_test.csv").write_bytes(LAW * 3)
    (tmp_path / "law_dev.csv").write_bytes(LAW.replace(b"leads", b"cooks") * 2)
    words = ["evaluate", "choice", str(tmp_path / "questions"), "--dev", str(tmp_path / "law_dev.csv"), "--shots", "2"]
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert re.search(r"(?m)^All +3 +(0|100)\.0% ", shown), shown  # one question three times has one answer
    assert main([*words, "--json"]) == 0
    (table,) = json.loads(capsys.readouterr().out)
    assert [row[:2] for row in table["rows"]] == [["law", "3"], ["All", "3"]]
    assert main([*words, "--csv"]) == 0
    assert [row["system"] for row in csv.DictReader(capsys.readouterr().out.splitlines())] == ["choice-2"] * 3
