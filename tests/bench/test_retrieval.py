"""What the search is measured with: the parameters in use, and questions that the documents answer."""

import inspect
from pathlib import Path

import pytest

from bench.retrieval import HOUSING, ORGANIZATIONS, Choice, questions_of
from store.vectors import Vectors
from trag.evaluate.cases import names_section
from trag.evaluate.scoring.wording import says_all
from trag.ingest.parse import parse
from trag.ingest.passages import sections

ASIDE = ORGANIZATIONS.parent / "aside"


def test_the_sweep_begins_where_the_search_stands() -> None:
    parameters = inspect.signature(Vectors.search).parameters
    assert Choice().fetch == parameters["fetch"].default
    assert Choice().diversity == parameters["diversity"].default


@pytest.mark.slow
@pytest.mark.parametrize(
    "folder", [*sorted(ORGANIZATIONS.iterdir()), HOUSING, *sorted(ASIDE.iterdir())], ids=lambda folder: folder.name
)
def test_a_question_names_one_section_which_holds_its_gold(folder: Path) -> None:
    wrong = []
    for case in questions_of(folder):
        file = folder / "documents" / case.document
        of_document = sections(parse(file.read_bytes(), file.suffix).blocks, file.stem)
        own = [one for one in of_document if names_section(case, file.name, one.path)]
        text = "\n".join(f"{one.path}\n{one.text}" for one in own)
        if len({one.path for one in own}) != 1 or not says_all(text, case.gold):
            wrong.append((case.id, case.section, case.gold))
    assert not wrong
