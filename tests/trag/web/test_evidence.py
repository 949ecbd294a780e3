"""Marking the words of a passage that bear an answer out."""

import pytest

from trag.record import AnswerRecord, ModelUsed, Source, SourceValidity
from trag.web.evidence import documents_of, evidence, marked, named_in

SMALL = "Grants of up to 25,000 euros are approved by the head of the division."


@pytest.mark.parametrize(
    ("text", "borne_out", "html"),
    [
        ("The Board meets in May.", [], "The Board meets in May."),
        ("The Board meets in May.", ["The boards are meeting."], "The <mark>Board meets</mark> in May."),
        ("The Board meets in May.", ["Nothing in common."], "The Board meets in May."),
        ("A quorum is 30,000 votes.", ["It takes 30000 votes."], "A quorum is <mark>30,000 votes</mark>."),
        (
            "A budget of LMD 186 million and an endowment of LMD 940 million.",
            ["The endowment is LMD 940 million."],
            "A budget of <mark>LMD</mark> 186 million and an <mark>endowment of LMD 940 million</mark>.",
        ),
        ("Section 3.2, the 2nd of 12.", ["It is 3.2."], "Section <mark>3.2</mark>, the 2nd of 12."),
        (
            f"{SMALL} Grants above 25,000 and up to 100,000 euros are approved by the Finance Committee.",
            ["The Finance Committee approves grants of 40,000 euros."],
            f"{SMALL} <mark>Grants</mark> above 25,000 and up to 100,000 "
            "<mark>euros are approved by the Finance Committee</mark>.",
        ),
        ("One. Two.", ["one", "two"], "One. <mark>Two</mark>."),
        ("مكتب الترجمة تحت الأمين", ["يقع مكتب الترجمة"], "<mark>مكتب الترجمة</mark> تحت الأمين"),
        ("<b>Board</b> & co", ["the board"], "&lt;b&gt;<mark>Board</mark>&lt;/b&gt; &amp; co"),
        ("", ["the board"], ""),
    ],
)
def test_shared_words_are_marked(text: str, borne_out: list[str], html: str) -> None:
    assert str(marked(text, borne_out)) == html


def test_a_source_that_is_superseded_leads_to_what_the_reader_may_open() -> None:
    standing = SourceValidity("superseded", "2022-01-01", "2024-02-29", ("new.md", "secret.md"))
    source = Source("1", "section", "old.md", "Meals", None, "30 EUR.", 0.7, validity=standing)
    record = AnswerRecord("a", "q", "q", "30 EUR.", "answered", ModelUsed("m", "", ""), sources=(source,))
    assert named_in(record) == {"old.md", "new.md", "secret.md"}
    assert documents_of(record) == {"old.md"}
    (shown,) = evidence(record, None, {"old.md": "Meals of 2022", "new.md": "Meals", "secret.md": ""})
    assert (shown.standing, shown.outdated) == ("superseded after 29 Feb 2024", True)
    assert [name for name, _ in shown.successors] == ["Meals"]
    (withheld,) = evidence(record, None, {"old.md": "", "new.md": "Meals"})
    assert (withheld.standing, withheld.successors) == ("", ())
