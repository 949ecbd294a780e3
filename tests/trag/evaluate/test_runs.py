"""What an evaluation leaves on the disk, and what of it outlives a kill."""

import errno
import json
import os
import shutil
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from unittest.mock import Mock

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


@pytest.fixture
def run(results: Results) -> Run:
    return results.begin(PLANNED, CASES)


@pytest.fixture
def folder(run: Run, tmp_path: Path) -> Path:
    """That of the run."""
    return tmp_path / "results" / run.id


def test_a_run_its_cases_and_its_answers_are_read_as_they_were_kept(results: Results, run: Run, tmp_path: Path) -> None:
    kept = (result(CASES[0]), result(CASES[1], "rag:base"))
    for one in kept:
        results.add(run, one)
    again = Results(tmp_path / "results")
    assert run == replace(PLANNED, id="20261120-173005")
    assert (again.run(run.id), again.cases(run.id), again.results(run.id)) == (run, CASES, kept)
    finished = results.finish(run)
    assert finished.finished is not None
    assert again.runs() == (finished,)


def test_runs_come_newest_first_two_of_one_second_are_two_and_a_removed_one_is_gone(
    results: Results, run: Run, folder: Path
) -> None:
    second = results.begin(PLANNED, CASES)
    earlier = results.begin(replace(PLANNED, started=datetime(2025, 1, 1, tzinfo=UTC)), CASES)
    assert results.runs() == (second, run, earlier)
    assert run.id != second.id
    results.remove(run.id)
    assert results.runs() == (second, earlier)
    assert not folder.exists()


@pytest.mark.parametrize("before", [0, 1], ids=["the first line", "a later line"])
@pytest.mark.parametrize("torn", [b'{"system": "trag", "ca', b"\xc3", b"{"], ids=["half a line", "half a letter", "1"])
def test_a_last_line_that_a_kill_cut_short_is_dropped_and_the_run_goes_on_behind_it(
    results: Results, run: Run, folder: Path, before: int, torn: bytes
) -> None:
    kept = (result(CASES[0]),) * before
    for one in kept:
        results.add(run, one)
    file = folder / "results.jsonl"
    whole = file.read_bytes()
    file.write_bytes(whole + torn)
    assert results.results(run.id) == kept
    assert file.read_bytes() == whole + torn, "reading must not change what somebody may be writing"
    results.add(run, result(CASES[1]))
    assert results.results(run.id) == (*kept, result(CASES[1]))
    assert file.read_bytes().startswith(whole)


def test_what_an_audit_keeps_of_its_questions_goes_with_the_last_run_of_them(
    results: Results, run: Run, tmp_path: Path
) -> None:
    second = results.begin(PLANNED, CASES)
    other = results.begin(replace(PLANNED, cases_sha256="f" * 64), CASES)
    audits = tmp_path / "results" / "audits"
    audits.mkdir()
    for one in (run, other):
        (audits / f"{one.cases_sha256}.json").write_text("{}")
    results.remove(run.id)
    assert (audits / f"{second.cases_sha256}.json").exists()
    results.remove(second.id)
    assert [file.stem for file in audits.iterdir()] == [other.cases_sha256]


@pytest.mark.parametrize("line", [b"{}", b"[]", b"nonsense", b'{"system": "trag", "case": "z"}'])
def test_a_damaged_line_in_the_middle_is_named(results: Results, run: Run, folder: Path, line: bytes) -> None:
    results.add(run, result(CASES[0]))
    file = folder / "results.jsonl"
    file.write_bytes(line + b"\n" + file.read_bytes())
    with pytest.raises(TragError, match=r"damaged in line 1\.") as found:
        results.results(run.id)
    assert f"evaluate remove {run.id}" in found.value.hint


def test_what_people_say_of_an_answer_stands_before_what_its_gold_says(
    results: Results, run: Run, folder: Path
) -> None:
    results.add(run, result(CASES[0]))
    results.add(run, result(CASES[0], "rag:base"))
    results.label(run, "trag", "a", "Correct", by="ada")
    results.label(run, "trag", "a", "Incorrect", by="ben")
    mine, other = results.results(run.id)
    assert mine.score == Score("Incorrect", ("not asked for: Or more.", "Incorrect in the eyes of ben"), 0.5, 1.0)
    assert other == result(CASES[0], "rag:base")
    labels = folder / "labels.jsonl"
    labels.write_bytes(labels.read_bytes() + b'{"system": "tr')
    assert results.results(run.id) == (mine, other)


def test_a_folder_that_a_kill_left_without_a_run_is_none(results: Results, run: Run, folder: Path) -> None:
    (folder / "run.json").unlink()
    assert results.runs() == ()
    assert results.begin(PLANNED, CASES).id != run.id


@pytest.mark.parametrize(
    "content",
    [b"", b'{"id": "2', b"\xff", b"[]", b"{}", None],
    ids=["empty", "half", "no text", "a list", "no key", "a key of a newer version"],
)
def test_a_run_that_cannot_be_read_is_left_out_and_can_be_removed(
    results: Results, run: Run, folder: Path, caplog: pytest.LogCaptureFixture, content: bytes | None
) -> None:
    other = results.begin(PLANNED, CASES)
    file = folder / "run.json"
    newer = json.dumps(json.loads(file.read_bytes()) | {"mood": "good"}).encode()
    file.write_bytes(newer if content is None else content)
    assert results.runs() == (other,)
    assert str(file) in caplog.text
    with pytest.raises(TragError, match="damaged, or a newer version wrote it") as refused:
        results.run(run.id)
    assert refused.value.hint.endswith(f"evaluate remove {run.id}")
    results.remove(run.id)
    assert not folder.exists()


def test_a_run_that_is_removed_while_it_is_read_is_left_out(
    results: Results, run: Run, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    other, third = results.begin(PLANNED, CASES), results.begin(PLANNED, CASES)
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
def test_a_run_that_is_not_there_is_said_with_those_that_are(
    results: Results, run: Run, tmp_path: Path, run_id: str
) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "run.json").write_text("{}")
    for ask in (results.run, results.cases, results.results, results.remove):
        with pytest.raises(TragError, match=run.id):
            ask(run_id)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG], ids=errno.errorcode.get)
def test_a_full_disk_is_said_in_words(results: Results, run: Run, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    monkeypatch.setattr(os, "fsync", Mock(side_effect=OSError(number, os.strerror(number))))
    with pytest.raises(StoreError, match="No space is left"):
        results.add(run, result(CASES[0]))


def test_the_hash_of_a_case_set_is_that_of_its_cases() -> None:
    assert sha256_of(CASES) == sha256_of(tuple(CASES))
    assert sha256_of(CASES) != sha256_of(CASES[::-1])
    assert sha256_of(CASES) != sha256_of((CASES[0], replace(CASES[1], count=3)))
