"""The shipped adapter's dataset from two real organizations: what it holds, how it goes on, and what it refuses."""

import shutil
from pathlib import Path

import pytest

from prompts import CANNOT_ANSWER
from trag.errors import TragError
from trag.evaluate import cases as case_files
from trag.finetune.dataset import corpus, examples, folders, organizations
from trag.finetune.dataset.card import Card
from trag.finetune.dataset.examples import Example
from trag.llm.local import LocalModel
from trag.progress import silent

pytestmark = pytest.mark.slow

SLUGS = ("ardstat", "stelbrook")
FILES = (folders.TRAIN, folders.HELD_OUT, folders.CASES, folders.CARD)
Made = tuple[Card, Path, tuple[Example, ...]]


@pytest.fixture(scope="module")
def made(model: LocalModel, tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("corpus")
    folders = [corpus.CORPUS / slug for slug in SLUGS]
    card = corpus.make(folders, folder, seed=5, model=model, progress=silent)
    found = (one for name in FILES[:2] for one in examples.read((folder / name).read_bytes(), name))
    return card, folder, tuple(found)


def test_whole_organizations_are_held_out(made: Made) -> None:
    card, folder, _ = made
    sources = [{one.source for one in examples.read((folder / name).read_bytes(), name)} for name in FILES[:2]]
    assert sorted(map(len, sources)) == [1, 1]
    assert sources[0] | sources[1] == set(SLUGS)
    cases = case_files.read((folder / folders.CASES).read_bytes(), folders.CASES)
    assert all(case.id.startswith(f"{next(iter(sources[1]))}-") for case in cases)
    assert card.cases == len(cases)


def test_every_kind_is_there_in_its_share(made: Made) -> None:
    card, _, found = made
    assert {"document", "absent", "unanswerable", "simple", "complex", "list", "count", "siblings"} < set(card.kinds)
    assert 0.17 < card.refusals / card.questions < 0.3, card
    assert 0.5 < (card.kinds["document"] + card.kinds["absent"]) / card.questions < 0.75, card
    assert len({one.organization for one in found}) > 15  # charts made by rules, beside the two
    assert sum(len(one.asked) for one in found) > 2 * len(found)
    assert any(len(one.passages) == 6 and one.statements for one in found)
    assert any(len(one.passages) == 1 for one in found)


def test_every_answer_stands_in_its_context_and_nothing_is_refused_that_does(made: Made) -> None:
    """By the gold of each written case, whatever way its question was typed."""
    gold = {
        case.answer: case
        for slug in SLUGS
        for case in organizations.read(corpus.CORPUS / slug).cases
        if case.kind == "document" and case.gold and not case.polarity
    }
    checked, wrong = 0, []
    for one in made[2]:
        text = " ".join(" ".join(one.passages).casefold().split())
        for asked in one.asked:
            if asked.kind == "document" and asked.answer in gold:
                checked += 1
                items = gold[asked.answer].gold
                if not all(any(" ".join(form.casefold().split()) in text for form in item) for item in items):
                    wrong.append((asked, one.passages))
    assert checked > 100
    assert not wrong
    assert all(asked.answer == CANNOT_ANSWER for one in made[2] for asked in one.asked if asked.kind == "absent")


def test_what_is_made_of_an_unchanged_organization_is_kept(made: Made, model: LocalModel) -> None:
    _, folder, _ = made
    before = {file.name: file.stat().st_mtime_ns for file in (folder / "organizations").iterdir()}
    first, second = ((folder / "organizations").glob(f"{slug}-*.jsonl") for slug in SLUGS)
    next(second).unlink()  # as if it had been stopped there
    contents = {name: (folder / name).read_bytes() for name in FILES}
    corpus.make([corpus.CORPUS / slug for slug in SLUGS], folder, seed=5, model=model, progress=silent)
    kept = next(first)
    assert kept.stat().st_mtime_ns == before[kept.name]
    assert {name: (folder / name).read_bytes() for name in FILES} == contents


def test_all_that_is_wrong_is_told_before_any_work(model: LocalModel, tmp_path: Path) -> None:
    for slug in SLUGS:
        shutil.copytree(corpus.CORPUS / slug, tmp_path / slug)
        (tmp_path / slug / "questions.jsonl").write_bytes(b"{}")
    with pytest.raises(TragError) as error:
        corpus.make([tmp_path / slug for slug in SLUGS], tmp_path / "out", seed=5, model=model, progress=silent)
    assert all(f"{slug}: " in error.value.message for slug in SLUGS), error.value.message
    assert not (tmp_path / "out").exists()
