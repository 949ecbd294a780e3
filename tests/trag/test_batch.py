import json
from dataclasses import replace
from pathlib import Path

import pytest

from prompts import PromptError
from trag import batch
from trag.batch import Asked
from trag.errors import TragError
from trag.llm.remote import RequestRefused
from trag.question import LONGEST_QUESTION
from trag.record import AnswerRecord, ModelUsed
from trag.terminal import main as cli

MODEL = ModelUsed("model", "0" * 64, "")


def record(question: str) -> AnswerRecord:
    return AnswerRecord("store-id", question, question, question.upper(), "answered", MODEL)


def problem(question: str, reason: str) -> AnswerRecord:
    return AnswerRecord("store-id", question, question, "", "cannot_answer", MODEL, interrupted=reason)


def lines(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_stopped_run_goes_on_behind_the_last_whole_line(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    asked = tuple(Asked(str(number), f"q{number}") for number in range(4))
    running = batch.run(asked, path, record, problem)
    next(running), next(running)
    running.close()
    path.write_bytes(path.read_bytes() + b'{"id": "2", "answ')
    answered: list[str] = []

    def answer(question: str) -> AnswerRecord:
        answered.append(question)
        return record(question)

    list(batch.run(asked, path, answer, problem))
    assert answered == ["q2", "q3"]
    assert [line["id"] for line in lines(path)] == ["0", "1", "2", "3"]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("", "The question is empty. Type a question"),
        ("x" * (LONGEST_QUESTION + 1), "The question has 4,001 characters"),
        ("no prompt", "Too long. Shorten it."),
        ("refused", "Answered 400. Its log says more."),
    ],
    ids=["empty", "long", "no prompt", "refused"],
)
def test_a_question_that_cannot_be_asked_does_not_stop_the_others(tmp_path: Path, question: str, said: str) -> None:
    path = tmp_path / "answers.jsonl"

    def answer(question: str) -> AnswerRecord:
        if question == "no prompt":
            raise PromptError("Too long.", "Shorten it.")
        if question == "refused":
            raise RequestRefused("Answered 400.", "Its log says more.")
        return record(question)

    list(batch.run((Asked("a", "good"), Asked("b", question), Asked("c", "good")), path, answer, problem))
    assert [line["status"] for line in lines(path)] == ["answered", "cannot_answer", "answered"]
    assert lines(path)[1]["interrupted"].startswith(said)


def test_a_question_that_nobody_could_answer_for_now_is_asked_by_the_next_run(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    asked = tuple(Asked(str(number), f"q{number}") for number in range(3))

    def answer(question: str) -> AnswerRecord:
        if question == "q1":
            raise TragError("http://x/v1 cannot be reached.", "Is the server running?")
        return record(question)

    with pytest.raises(TragError, match="cannot be reached"):
        list(batch.run(asked, path, answer, problem))
    assert [line["id"] for line in lines(path)] == ["0"]
    list(batch.run(asked, path, record, problem))
    assert [(line["id"], line["answer"]) for line in lines(path)] == [("0", "Q0"), ("1", "Q1"), ("2", "Q2")]


@pytest.mark.parametrize(("deaths", "interrupted"), [(1, ""), (2, "the model died")])
def test_a_question_in_whose_answer_the_model_died_is_asked_once_more(
    tmp_path: Path, deaths: int, interrupted: str
) -> None:
    path = tmp_path / "answers.jsonl"
    answers = [replace(record("x"), interrupted="the model died") for _ in range(deaths)] + [record("x")] * 2
    list(batch.run((Asked("a", "x"),), path, lambda _: answers.pop(0), problem))
    assert [line["interrupted"] for line in lines(path)] == [interrupted]
    assert len(answers) == deaths


@pytest.mark.parametrize("place", ["missing/answers.jsonl", "folder", "file/answers.jsonl"])
def test_answers_that_cannot_be_written_are_refused_before_the_assistant_is_loaded(
    tmp_path: Path, place: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "questions.jsonl").write_text('{"id": "a", "question": "x"}\n')
    monkeypatch.setenv("TRAG_HOME", str(tmp_path / "home"))
    assert cli.main(["batch", str(tmp_path / "questions.jsonl"), str(tmp_path / place)]) == 1
    assert f"{tmp_path / place} cannot be written: " in capsys.readouterr().err
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize(
    ("content", "asked"),
    [
        (
            '\ufeff{"id": "a", "question": "x\u2028\x85y"}\r\n{"id": "b", "question": "z"}',
            {"a": "x\u2028\x85y", "b": "z"},
        ),
        ('{"id": 7, "question": "x", "kind": "simple"}\n{"id": "b", "question": ""}\n', {"7": "x", "b": ""}),
    ],
    ids=["odd line ends", "a number, nothing, more"],
)
def test_a_line_is_a_question(tmp_path: Path, content: str, asked: dict[str, str]) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_bytes(content.encode())
    assert batch.questions(path) == tuple(Asked(*each) for each in asked.items())


def test_every_bad_line_of_a_questions_file_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text(
        '{"id": "a", "question": "x"}\n{"id": "b"}\nnot json\n\n{"id": "a", "question": "y"}\n'
        '{"id": "c", "question": null}\n{"id": "d", "question": ["z"]}\n{"id": null, "question": 7}\n'
        '{"id": "\\ud83d", "question": "z"}\n{"id": true, "question": "z"}\n[]\n'
    )
    with pytest.raises(TragError) as refused:
        batch.questions(path)
    first, *rest = refused.value.message.split("\n")
    number = '"id" must be a text or a whole number, found'
    assert first == f'{path} cannot be used: line 2: needs "question"'
    assert rest[0].startswith("line 3: is no JSON (")
    assert rest[1:5] == [
        'line 5: the id "a" occurs twice',
        'line 6: "question" must be a text, found null',
        'line 7: "question" must be a text, found ["z"]',
        f'line 8: {number} null; "question" must be a text, found 7',
    ]
    assert rest[5].startswith("line 9: is no JSON (")
    assert rest[6:] == [f"line 10: {number} true", "line 11: is no JSON object"]


def test_a_questions_file_without_a_question_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text("\n\n")
    with pytest.raises(TragError, match="holds no question"):
        batch.questions(path)


@pytest.mark.parametrize(
    "content",
    [b"my diary\n", b"my diary", b"my diary\nand more", b'{"mood": "good"}', b"\xff\xfe\n", b"\x89PNG"],
    ids=["line", "no end", "two lines", "settings", "no text", "picture"],
)
def test_an_answers_file_of_another_kind_is_left_alone(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_bytes(content)
    with pytest.raises(TragError, match="no file of answers"):
        list(batch.run((Asked("a", "x"),), path, record, problem))
    assert path.read_bytes() == content


@pytest.mark.parametrize("torn", range(1, 12))
def test_a_first_line_that_a_kill_cut_anywhere_is_begun_again(tmp_path: Path, torn: int) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_bytes(replace(record("x"), id="a").to_json().encode()[:torn])
    list(batch.run((Asked("a", "x"),), path, record, problem))
    assert [line["id"] for line in lines(path)] == ["a"]
