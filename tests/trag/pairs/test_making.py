"""All pairs of a document: the rules' and the model's, which are kept until the section or the examples change."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from trag.errors import TragError
from trag.ingest.sections import Section
from trag.llm.remote import RequestRefused
from trag.pairs import Made, making, pairs_of
from trag.progress import silent

SECTION = Section("4 Board", 7, "The board has seven directors.")


class Named:
    """A model that is never asked itself."""

    identity = "large"


def test_a_section_is_written_about_again_only_when_it_or_the_examples_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, ...]] = []

    def write(section: Section, model: object, *, examples: Sequence[str]) -> tuple[Made, ...]:
        asked.append((section.text, *examples))
        return ()

    monkeypatch.setattr(making, "written", write)
    options: dict[str, Any] = {"model": Named(), "folder": tmp_path / "pairs"}
    changed = Section(SECTION.path, SECTION.page, "The board has nine directors.")
    for section, examples in ((SECTION, ()), (SECTION, ()), (SECTION, ("Who?",)), (changed, ("Who?",)), (SECTION, ())):
        pairs_of([section], silent, **options, examples=examples)
    assert asked == [(SECTION.text,), (SECTION.text, "Who?"), (changed.text, "Who?")]


def test_a_section_on_another_page_or_under_another_number_is_not_written_about_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Section] = []

    def write(section: Section, model: object, *, examples: Sequence[str]) -> tuple[Made, ...]:
        asked.append(section)
        answer = "The board has seven."
        return (Made("How many?", answer, "list", section.path, section.page, answer, "model", True),)

    monkeypatch.setattr(making, "written", write)
    options: dict[str, Any] = {"model": Named(), "folder": tmp_path / "pairs"}
    places = (("4 Board", 7), ("4 Board", 8), ("5 Board", 9), ("5 Committee", 9))
    found = [pairs_of([Section(*place, SECTION.text)], silent, **options)[-1] for place in places]
    assert [section.path for section in asked] == ["4 Board", "5 Committee"]
    assert [(pair.question, pair.section, pair.page) for pair in found] == [("How many?", *place) for place in places]


def test_a_section_that_the_model_cannot_be_asked_about_costs_only_its_own_pairs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    asked: list[str] = []

    def write(section: Section, model: object, *, examples: Sequence[str]) -> tuple[Made, ...]:
        asked.append(section.path)
        if section.path == "5 Long":
            raise RequestRefused("http://x/v1 answered 400: too long", "Its log says more.")
        answer = "The board has seven."
        return (Made(f"How many in {section.path}?", answer, "list", section.path, None, answer, "model", True),)

    monkeypatch.setattr(making, "written", write)
    options: dict[str, Any] = {"model": Named(), "folder": tmp_path / "pairs"}
    sections = [Section(path, None, SECTION.text) for path in ("4 Board", "5 Long", "6 Seal")]
    for _ in range(2):
        found = pairs_of(sections, silent, **options)
        assert [pair.section for pair in found if pair.origin == "model"] == ["4 Board", "6 Seal"]
    assert asked == ["4 Board", "5 Long", "6 Seal", "5 Long"]
    assert "'5 Long': http://x/v1 answered 400: too long" in caplog.text
    with pytest.raises(TragError, match="answered 400"):
        pairs_of(sections[1:2], silent, **options)


def test_without_an_able_model_the_examples_do_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "pairs"
    plain = pairs_of([SECTION], silent, model=None, folder=folder)
    assert pairs_of([SECTION], silent, model=None, folder=folder, examples=["Who?"]) == plain
    assert not folder.exists()
