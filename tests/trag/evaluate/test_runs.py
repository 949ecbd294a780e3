"""What an evaluation leaves on the disk, and what of it outlives a kill."""

import errno
import json
import os
import shutil
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from store import StoreError
from trag.errors import TragError
from trag.evaluate.cases import Case, Some, sha256_of
from trag.evaluate.runs import Result, Results, Run
from trag.evaluate.scoring import Score
from trag.record import AnswerRecord, Checks, ModelUsed, Seconds, Source

MODEL = ModelUsed("small", "0" * 64, "ours.gguf")
CASES = (
    Case("a", "Wo sitzt das Büro?\n", "simple", units=("Büro > Süd",), some=(Some(("X", "Y"), 1),)),
    Case("b", "How many?", "count", gold=(("two", "2"),), count=2),
)
AT = datetime(2026, 11, 20, 17, 30, 5, 123, tzinfo=UTC)
MADE_WITH = ("f181fd0a8b21", MODEL, "chart-1", 4, "1" * 64)
PLANNED = Run("", "two questions", sha256_of(CASES), ("trag", "rag:base"), AT, None, *MADE_WITH)


def result(case: Case, system: str = "trag") -> Result:
    source = Source("s1", "section", "rules.md", "1 Rules", 3, "Two.\nOr more.", 0.5)
    record = AnswerRecord(
        "id", case.question, case.question, "Zwei.\u2028", "answered", MODEL, sources=(source,), checks=Checks(),
        seconds=Seconds(total=1.25),
    )  # fmt: skip
    return Result(system, case, record, Score("Correct-Verbose", ("not asked for: Or more.",), 0.5, 1.0))


@pytest.fixture
def results(tmp_path: Path) -> Results:
    return Results(tmp_path / "results")


def file_of(results: Results, run: Run, tmp_path: Path) -> Path:
    return tmp_path / "results" / run.id / "results.jsonl"


def test_a_run_its_cases_and_its_answers_are_read_as_they_were_kept(results: Results, tmp_path: Path) -> None:
    run = results.begin(PLANNED, CASES)
    kept = [result(CASES[0]), result(CASES[1], "rag:base")]
    for one in kept:
        results.add(run, one)
    again = Results(tmp_path / "results")
    assert run == replace(PLANNED, id="20261120-173005")
    assert again.run(run.id) == run
    assert again.cases(run.id) == CASES
    assert again.results(run.id) == tuple(kept)
    finished = results.finish(run)
    assert finished.finished is not None
    assert again.runs() == (finished,)


def test_runs_come_newest_first_and_two_of_one_second_are_two(results: Results) -> None:
    first, second = results.begin(PLANNED, CASES), results.begin(PLANNED, CASES)
    earlier = results.begin(replace(PLANNED, started=datetime(2025, 1, 1, tzinfo=UTC)), CASES)
    assert [run.id for run in results.runs()] == [second.id, first.id, earlier.id]
    assert first.id != second.id


@pytest.mark.parametrize("torn", [b'{"system": "trag", "ca', b"\xc3", b"{"], ids=["half a line", "half a letter", "1"])
def test_a_last_line_that_a_kill_cut_short_is_dropped_and_the_run_goes_on_behind_it(
    results: Results, tmp_path: Path, torn: bytes
) -> None:
    run = results.begin(PLANNED, CASES)
    results.add(run, result(CASES[0]))
    file = file_of(results, run, tmp_path)
    whole = file.read_bytes()
    file.write_bytes(whole + torn)
    assert results.results(run.id) == (result(CASES[0]),)
    assert file.read_bytes() == whole + torn, "reading must not change what somebody may be writing"
    results.add(run, result(CASES[1]))
    assert results.results(run.id) == (result(CASES[0]), result(CASES[1]))
    assert file.read_bytes().startswith(whole)


def test_a_first_line_that_a_kill_cut_short_is_dropped_too(results: Results, tmp_path: Path) -> None:
    run = results.begin(PLANNED, CASES)
    file_of(results, run, tmp_path).write_bytes(b'{"system"')
    assert results.results(run.id) == ()
    results.add(run, result(CASES[0]))
    assert results.results(run.id) == (result(CASES[0]),)


def test_what_an_audit_keeps_of_its_questions_goes_with_the_last_run_of_them(results: Results, tmp_path: Path) -> None:
    first, second = results.begin(PLANNED, CASES), results.begin(PLANNED, CASES)
    other = results.begin(replace(PLANNED, cases_sha256="f" * 64), CASES)
    audits = tmp_path / "results" / "audits"
    audits.mkdir()
    for run in (first, other):
        (audits / f"{run.cases_sha256}.json").write_text("{}")
    results.remove(first.id)
    assert (audits / f"{second.cases_sha256}.json").exists()
    results.remove(second.id)
    assert [file.stem for file in audits.iterdir()] == [other.cases_sha256]


@pytest.mark.parametrize("line", [b"{}", b"[]", b"nonsense", b'{"system": "trag", "case": "z"}'])
def test_a_damaged_line_in_the_middle_is_named(results: Results, tmp_path: Path, line: bytes) -> None:
    run = results.begin(PLANNED, CASES)
    results.add(run, result(CASES[0]))
    file = file_of(results, run, tmp_path)
    file.write_bytes(line + b"\n" + file.read_bytes())
    with pytest.raises(TragError, match=r"damaged in line 1\.") as found:
        results.results(run.id)
    assert f"evaluate remove {run.id}" in found.value.hint


def test_what_people_say_of_an_answer_stands_before_what_its_gold_says(results: Results, tmp_path: Path) -> None:
    run = results.begin(PLANNED, CASES)
    results.add(run, result(CASES[0]))
    results.add(run, result(CASES[0], "rag:base"))
    results.label(run, "trag", "a", "Correct", by="ada")
    results.label(run, "trag", "a", "Incorrect", by="ben")
    mine, other = Results(tmp_path / "results").results(run.id)
    assert mine.score == Score("Incorrect", ("not asked for: Or more.", "Incorrect in the eyes of ben"), 0.5, 1.0)
    assert other == result(CASES[0], "rag:base")
    labels = tmp_path / "results" / run.id / "labels.jsonl"
    labels.write_bytes(labels.read_bytes() + b'{"system": "tr')
    assert results.results(run.id) == (mine, other)


def test_a_folder_that_a_kill_left_without_a_run_is_none(results: Results, tmp_path: Path) -> None:
    run = results.begin(PLANNED, CASES)
    (tmp_path / "results" / run.id / "run.json").unlink()
    assert results.runs() == ()
    assert results.begin(PLANNED, CASES).id != run.id


@pytest.mark.parametrize(
    "content",
    [b"", b'{"id": "2', b"\xff", b"[]", b"{}", None],
    ids=["empty", "half", "no text", "a list", "no key", "a key of a newer version"],
)
def test_a_run_that_cannot_be_read_is_left_out_and_can_be_removed(
    results: Results, tmp_path: Path, caplog: pytest.LogCaptureFixture, content: bytes | None
) -> None:
    run, other = results.begin(PLANNED, CASES), results.begin(PLANNED, CASES)
    file = tmp_path / "results" / run.id / "run.json"
    newer = json.dumps(json.loads(file.read_bytes()) | {"mood": "good"}).encode()
    file.write_bytes(newer if content is None else content)
    assert results.runs() == (other,)
    assert str(file) in caplog.text
    with pytest.raises(TragError, match="damaged, or a newer version wrote it") as refused:
        results.run(run.id)
    assert refused.value.hint.endswith(f"evaluate remove {run.id}")
    results.remove(run.id)
    assert not file.parent.exists()


def test_a_run_that_is_removed_while_it_is_read_is_left_out(
    results: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    run, other, third = (results.begin(PLANNED, CASES) for _ in range(3))
    read = Path.read_bytes

    def removed(file: Path) -> bytes:
        if (file.parent.name, file.name) in ((run.id, "run.json"), (third.id, "cases.jsonl")):
            shutil.rmtree(file.parent)
        return read(file)

    monkeypatch.setattr(Path, "read_bytes", removed)
    assert results.runs() == (third, other)
    assert not caplog.records, "nothing is wrong"
    with pytest.raises(TragError, match="is gone"):
        results.results(third.id)


@pytest.mark.parametrize("run_id", ["", "..", "../secret", "20260101-000000", "/etc"])
def test_a_run_that_is_not_there_is_said_with_those_that_are(results: Results, tmp_path: Path, run_id: str) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "run.json").write_text("{}")
    run = results.begin(PLANNED, CASES)
    for ask in (results.run, results.cases, results.results, results.remove):
        with pytest.raises(TragError, match=run.id):
            ask(run_id)


def test_a_removed_run_is_gone(results: Results, tmp_path: Path) -> None:
    run, other = results.begin(PLANNED, CASES), results.begin(PLANNED, CASES)
    results.remove(run.id)
    assert results.runs() == (other,)
    assert not (tmp_path / "results" / run.id).exists()


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG], ids=errno.errorcode.get)
def test_a_full_disk_is_said_in_words(results: Results, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    run = results.begin(PLANNED, CASES)

    def full(descriptor: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(StoreError, match="No space is left"):
        results.add(run, result(CASES[0]))


def test_the_hash_of_a_case_set_is_that_of_its_cases() -> None:
    assert sha256_of(CASES) == sha256_of(tuple(CASES))
    assert sha256_of(CASES) != sha256_of(CASES[::-1])
    assert sha256_of(CASES) != sha256_of((CASES[0], replace(CASES[1], count=3)))
