"""Which texts are about the units that a question is about, and which only stand beside them."""

from __future__ import annotations

import pytest

from org.chart import load
from org.entities import EntityFinder
from trag.verify import asked_about, concerns

CHART = load(
    b"""name,parent,type,aliases
Orrin Trust,,trust,
Community Council,Orrin Trust,council,
Members' Meeting,Orrin Trust,meeting,
Front Desk,Orrin Trust,desk,desk
Ward 5,Orrin Trust,ward,
Ward 7,Orrin Trust,ward,
""",
    "chart.csv",
)
FINDER = EntityFinder(CHART)


@pytest.mark.parametrize(
    ("question", "text", "whether"),
    [
        ("What is the quorum of the community council?", "Meetings. The quorum is one tenth of the members.", False),
        ("What is the quorum of the community council?", "Meetings of the Council. The quorum is three.", True),
        ("What is the quorum of the community council?", "The quorum of the Community Council is three.", True),
        ("How many beds does ward 7 have?", "Rooms. Ward 5 has six.", False),
        ("How many beds does ward 7 have?", "Rooms. Ward 7 has six.", True),
        ("How long is the notice in ward 7?", "Notice is one month.", True),
        ("I was a year in ward 7. Ward 7 was shut. How long is my notice?", "Notice is one month.", True),
        ("How high is the budget of the Orrin Trust?", "The budget is 9,000.", True),
        ("What does the desk charge for a copy?", "Copies. The desk of each ward takes 10 cents.", True),
        ("How long is the notice?", "Notice is one month.", True),
    ],
    ids=[
        "another's quorum",
        "short name",
        "its quorum",
        "another number",
        "its number",
        "where it happens",
        "a story before",
        "the whole organization",
        "an everyday word",
        "no unit",
    ],
)
def test_a_text_is_about_what_was_asked_or_beside_it(question: str, text: str, whether: bool) -> None:
    assert concerns(text, asked_about(question, FINDER.find(question), CHART), FINDER) is whether
