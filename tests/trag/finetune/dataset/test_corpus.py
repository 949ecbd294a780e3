"""The dataset of two of the project's organizations: what it holds and refuses, and what is wrong with one."""

import json
import shutil
from pathlib import Path

import pytest

from trag.errors import TragError
from trag.evaluate import cases as case_files
from trag.finetune.dataset import corpus, examples, folders
from trag.finetune.dataset.corpus import CORPUS
from trag.finetune.dataset.folders import Card
from trag.llm.local import LocalModel
from trag.progress import silent

pytestmark = pytest.mark.slow

SLUGS = ("ardstat", "stelbrook")


@pytest.fixture(scope="module")
def made(model: LocalModel, tmp_path_factory: pytest.TempPathFactory) -> tuple[Card, Path]:
    folder = tmp_path_factory.mktemp("corpus")
    organizations = [corpus.CORPUS / slug for slug in SLUGS]
    return corpus.make(organizations, folder, seed=5, model=model, progress=silent, made_charts=1), folder


def test_whole_organizations_are_held_out(made: tuple[Card, Path]) -> None:
    card, folder = made
    names = (folders.TRAIN, folders.HELD_OUT)
    sources = [{one.source for one in examples.read((folder / name).read_bytes(), name)} for name in names]
    assert sources[0] & sources[1] == set()
    assert set(SLUGS) < sources[0] | sources[1]
    cases = case_files.read((folder / folders.CASES).read_bytes(), folders.CASES)
    held_out = sources[1] & set(SLUGS)
    assert all(case.id.partition("-")[0] in held_out for case in cases)
    assert card.cases == len(cases)


def test_every_skill_is_there(made: tuple[Card, Path]) -> None:
    kinds = made[0].kinds
    refusals, answers = {"absent", "unanswerable"}, {"document", "comparison", "two parts"}
    assert set(kinds) == refusals | answers | {"question", "no question", "chart query", "condense"}
    refused = sum(kinds[kind] for kind in refusals)
    assert 0.1 < refused / (refused + sum(kinds[kind] for kind in answers)) < 0.27, kinds
    assert min(kinds["document"], kinds["chart query"]) > 100, kinds
    assert made[0].longest < 2048


def test_all_that_is_wrong_is_told_before_any_work(model: LocalModel, tmp_path: Path) -> None:
    for slug in SLUGS:
        shutil.copytree(corpus.CORPUS / slug, tmp_path / slug)
        (tmp_path / slug / "questions.jsonl").write_bytes(b"{}")
    with pytest.raises(TragError) as error:
        corpus.make([tmp_path / slug for slug in SLUGS], tmp_path / "out", seed=5, model=model, progress=silent)
    assert all(f"{slug}: " in error.value.message for slug in SLUGS), error.value.message
    assert not (tmp_path / "out").exists()


def test_every_problem_is_told_at_once(tmp_path: Path) -> None:
    folder = tmp_path / "ardstat"
    shutil.copytree(CORPUS / "ardstat", folder)
    lines = [json.loads(line) for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [line["id"] for line in lines[:6]] == [f"document-0{number}" for number in range(1, 7)]
    lines[0]["section"] = "Article 99"
    lines[1]["gold"] = [["the Prime Minister"]]
    lines[2] |= {"kind": "unanswerable", "polarity": "", "gold": []}
    lines[3]["answer"] = ""
    lines[4]["answer"] = "word " * 46
    lines[5]["question"] = f"hi, {lines[6]['question']}"
    lines[7]["kind"] = "rumour"
    lines[9]["gold"] = [["politic"]]
    (folder / "questions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    with pytest.raises(TragError) as error:
        corpus.read(folder)
    told = error.value.message
    for expected in (
        'document-01: 0 sections "Article 99" in "statistics-ordinance.md", which has: ',
        "document-02: none of the Prime Minister stands in its section",
        "document-02: its own answer is Incorrect",
        'document-03: needs "refuse": true',
        "document-04: has no answer",
        "document-05: its answer has 46 words, more than 45",
        "is asked 2 times",
        "questions of the kinds rumour",
        "document-10: none of politic stands in its section",
    ):
        assert expected in told, told


def test_a_part_that_is_missing_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "half"
    shutil.copytree(CORPUS / "ardstat", folder, ignore=shutil.ignore_patterns("chart.csv"))
    with pytest.raises(TragError, match="half: "):
        corpus.read(folder)
