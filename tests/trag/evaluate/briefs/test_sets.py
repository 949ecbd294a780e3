"""What is measured of briefings beside the paper's tables: checklists, blind pairs, and an organization with documents
that were written for it; real index, encoder and reranker, a scripted reader."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.trag.test_briefs import Colleague
from trag.errors import TragError
from trag.evaluate.briefs import checklists, pairs, planted
from trag.evaluate.briefs.judge import Judge
from trag.evaluate.briefs.planted import Planted
from trag.evaluate.briefs.systems import Written
from trag.home import Home, open_home
from trag.settings import Settings

ROOT = Path(__file__).parents[4]
BRIEFS = ROOT / "bench" / "briefs"
LARKMOOR = ROOT / "examples" / "larkmoor" / "documents"
SYSTEMS = ("one", "trag")


def text(name: str, *sentences: str) -> Written:
    return Written("head", name, 0, sentences, ((),) * len(sentences), ())


def test_each_fact_of_a_checklist_has_its_numbers_in_its_section() -> None:
    """Spelt out or in figures; the facts themselves were read there."""
    lists = checklists.read(BRIEFS / "larkmoor.jsonl")
    documents = "\n".join(file.read_text("utf-8") for file in sorted(LARKMOOR.glob("part-*.md")))
    sections = dict(re.findall(r"^### (\d+\.\d+) (.+?)(?=^##|\Z)", documents, re.MULTILINE | re.DOTALL))
    assert sum(len(one.facts) for one in lists) >= 40
    for one in lists:
        assert len({*one.facts}) == len(one.facts)
        for fact, section in zip(one.facts, one.sections, strict=True):
            assert {*re.findall(r"\d+", fact)} <= {*re.findall(r"\d+", sections[section])}, fact


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ('{"subject": "A", "facts": ["B."], "sections": []}', "line 1: needs a section for each fact"),
        ('{"subject": "A", "facts": [], "sections": []}', "line 1: needs a section for each fact"),
        ('{"subject": "", "facts": ["B."], "sections": ["1"]}', 'line 1: "subject" must be'),
        ("", "holds no checklists"),
    ],
)
def test_a_checklist_that_cannot_be_used_is_said(tmp_path: Path, line: str, problem: str) -> None:
    (tmp_path / "list.jsonl").write_text(line)
    with pytest.raises(TragError, match=problem):
        checklists.read(tmp_path / "list.jsonl")
    with pytest.raises(TragError, match="cannot be read"):
        checklists.read(tmp_path / "none.jsonl")


class Copies:
    """A judge to whom a text tells what stands in it word by word."""

    def supported(self, passages: Sequence[str], sentences: Sequence[str]) -> NDArray[np.bool_]:
        return np.array([[sentence in passage for passage in passages] for sentence in sentences])


def test_coverage_counts_the_facts_that_a_text_tells() -> None:
    (first, second, *_) = checklists.read(BRIEFS / "larkmoor.jsonl")
    half = len(first.facts) // 2
    told = {
        "trag": [text(first.subject, *first.facts[:half]), text(second.subject, *second.facts)],
        "one": [text(first.subject), text(second.subject, "The weather was fine in March.")],
    }
    table = checklists.coverage(told, (first, second), cast(Judge, Copies()))
    counts = {row[0]: int(row[2].split()[0]) for row in table.rows}
    assert counts == {"the product": half + len(second.facts), "One-Retrieval": 0}
    assert table.rows[0][2].endswith(f"of {len(first.facts) + len(second.facts)}")


def test_pairs_do_not_say_whose_a_text_is_and_are_counted_by_system(tmp_path: Path) -> None:
    names = [f"Unit {number}" for number in range(20)]
    one, trag = ([text(name, f"{system} of {name}.") for name in names] for system in SYSTEMS)
    file = tmp_path / "pairs.jsonl"
    assert pairs.lay(file, [*one, text("alone", "x")], [*trag, text("refused")], SYSTEMS) == 20
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    firsts = {line["a"].split()[0] for line in lines}
    assert firsts == {*SYSTEMS}, "neither always stands first"
    for place, line in enumerate(lines):
        line["informative"] = "a" if line["a"].startswith("trag") else "b"
        line["fluent"] = "" if place else "none"
    file.write_text("\n".join(map(json.dumps, lines)))
    assert pairs.count(file, SYSTEMS).rows == (
        ("informative", "20", "0%", "100%", "0%"),
        ("fluent", "1", "0%", "0%", "100%"),
    )
    file.write_text(json.dumps(lines[0] | {"fluent": "both"}))
    with pytest.raises(TragError, match='line 1: "fluent" must be "a", "b", "none" or "", found "both"'):
        pairs.count(file, SYSTEMS)


@pytest.fixture(scope="module")
def quarnby(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Home, Planted]]:
    found = planted.read(BRIEFS / "planted")
    with open_home(Settings(home=tmp_path_factory.mktemp("quarnby"))) as home:
        planted.furnish(home, found)
        yield home, found


def test_what_is_planted_is_in_its_document_alone() -> None:
    found = planted.read(BRIEFS / "planted")
    texts = {file.name: file.read_text("utf-8").casefold() for file in (BRIEFS / "planted" / "documents").iterdir()}
    for each in found.closed:
        for word in each.words:
            assert [name for name, text in texts.items() if word.casefold() in text] == [each.document]
    for subject in found.secret:
        assert any(word.casefold() in subject.casefold() for each in found.closed for word in each.words)
    everything = "\n".join(texts.values())
    for secret, unknown in zip(found.secret, found.unknown, strict=True):
        new = {*unknown.casefold().split()} - {*secret.casefold().split()}
        assert not any(word in everything for word in new)
        assert len(unknown.split()) == len(secret.split())
    for each in found.contradictions:
        said = ["\n".join(texts[name].split()).replace("\n", " ") for name in ("handbook.md", "circulars.md")]
        assert [say in text for say, text in zip(each.say, said, strict=True)] == [True, True], each


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_nothing_is_let_out_and_what_is_let_out_is_found(quarnby: tuple[Home, Planted]) -> None:
    home, found = quarnby
    few = replace(
        found,
        people=("Crane Gang",),
        subjects=("Pilot Station",),
        secret=found.secret[:1],
        unknown=found.unknown[:1],
        contradictions=found.contradictions[:2],
    )
    model: Any = cast(Any, Colleague(""))
    rights, refused, differ = planted.report(home, few, model)
    assert [row[1:] for row in rights.rows] == [("1", "0")] * 4
    assert "Of the briefings by who may read all, 1 have such a word" in rights.note
    assert refused.rows[0][:3] == ("Crane Gang", "1", "1")
    assert sum(int(row[1].split()[0]) for row in differ.rows) == 2
    # Somebody who was to be kept out and reads it all the same is found.
    wrong = replace(found.closed[0], audience=("Legal Counsel",))
    let_out = planted.rights(home, replace(few, people=("Pilot Station",), closed=(wrong,)), model)
    assert [row[2] for row in let_out.rows] == ["1"] * 4
