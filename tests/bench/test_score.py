"""Whether what was given to answer a question from holds the right section, and all of the gold."""

import pytest

from bench.score import held
from trag.evaluate.cases import Case
from trag.record import Source

KEYS = Case(
    "1", "how soon is a lost key told", "document", gold=(("30 days",),), document="birch.md", section="Rules > 8 Keys"
)


@pytest.mark.parametrize(
    ("document", "section", "text", "found"),
    [
        ("birch.md", "Birch House > Rules > 8 Keys", "Tell it within thirty days.", (True, True)),
        ("alder.md", "Alder House > Rules > 8 Keys", "Tell it within 20 days.", (False, False)),
        ("birch.md", "Birch House > Rules > 18 Keys", "Tell it within 130 days.", (False, False)),
        ("birch.md", "Birch House > Rules > 8 Keys and locks", "Within 30 days.", (False, True)),
    ],
    ids=["right", "another document", "another number", "a longer heading"],
)
def test_sources_hold_the_section_of_the_document_and_the_gold_in_any_wording(
    document: str, section: str, text: str, found: tuple[bool, bool]
) -> None:
    assert held(KEYS, [Source("1", "section", document, section, None, text, 0.5)]) == found
