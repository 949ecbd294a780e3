"""What the search is measured with: the parameters in use, and questions that the documents answer."""

import inspect
import re
from pathlib import Path

import pytest

from bench.retrieval import HOUSING, ORGANIZATIONS, Choice, questions_of
from store.vectors import Vectors
from trag.evaluate.grammar.values import holds

ASIDE = ORGANIZATIONS.parent / "aside"


def test_the_sweep_begins_where_the_search_stands() -> None:
    parameters = inspect.signature(Vectors.search).parameters
    assert Choice().fetch == parameters["fetch"].default
    assert Choice().diversity == parameters["diversity"].default


@pytest.mark.parametrize(
    "folder", [*sorted(ORGANIZATIONS.iterdir()), HOUSING, *sorted(ASIDE.iterdir())], ids=lambda folder: folder.name
)
def test_the_gold_of_a_question_stands_in_its_document(folder: Path) -> None:
    wrong = []
    for question in questions_of(folder):
        text = re.sub(r"\s+", " ", (folder / "documents" / question["document"]).read_text(encoding="utf-8"))
        if not all(any(holds(text, form) for form in item) for item in question["gold"]):
            wrong.append((question["id"], question["gold"]))
    assert not wrong
