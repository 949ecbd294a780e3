import pytest

from trag.pairs.checks import bears_out, source

HOURS = "The library opens at 9:00 and closes at 18:00, but not on Mondays."
FEE = "The Head of Finance may waive a fee of 40 EUR."
RULE = "The chair may not be a member of staff."


@pytest.mark.parametrize(
    ("answer", "type", "source", "holds"),
    [
        ("The Head of Finance.", "short answer", FEE, True),
        ("the head of finance may waive it.", "short answer", FEE, True),
        ("40 EUR.", "short answer", FEE, True),
        ("The Head of Sales.", "short answer", FEE, False),
        ("Bob.", "short answer", FEE, False),
        ("45 EUR.", "short answer", FEE, False),
        ("A fee of forty-five.", "short answer", FEE, False),
        ("Yes, the Head of Finance may waive it.", "yes no", FEE, True),
        ("Yes.", "yes no", FEE, False),
        ("No, the chair may not be a member of staff.", "yes no", RULE, True),
        ("Yes, the chair may be a member of staff.", "yes no", RULE, False),
        ("Yes, the chair may be a member of staff.", "fact check", RULE, False),
        ("But not on Mondays.", "short answer", HOURS, True),
        ("But not on Sundays.", "short answer", HOURS, False),
        ("", "short answer", FEE, False),
        ("Die Leiterin der Finanzen.", "short answer", "Gebühren erlässt die Leiterin der Finanzen.", True),
        ("Herr Maier.", "short answer", "Gebühren erlässt die Leiterin der Finanzen.", False),
    ],
)
def test_every_name_and_number_stands_in_the_section_and_denial_in_the_source(
    answer: str, type: str, source: str, holds: bool
) -> None:
    assert bears_out(answer, type, source=source, section=f"1 Rules\n{source} A later sentence.") is holds


@pytest.mark.parametrize(
    ("answer", "named", "place"),
    [
        ("No, a claim that comes later is not paid.", 0, 1),
        ("Claims reach the office within 30 days.", 1, 0),
        ("30 days.", 0, 0),
        ("Unrelated.", 1, 1),
    ],
    ids=["its neighbour", "the one before", "named", "none says more"],
)
def test_a_pair_stands_on_the_sentence_that_says_most_of_it(answer: str, named: int, place: int) -> None:
    sentences = ("Claims reach the office within 30 days of the journey.", "A claim that comes later is not paid.")
    assert source(answer, sentences, named) == sentences[place]


def test_a_name_may_stand_in_the_headings() -> None:
    source = "It meets five times a year."
    answer = "The Audit Committee meets five times a year."
    assert bears_out(answer, "short answer", source=source, section=f"3 The Audit Committee\n{source}")
    assert not bears_out(answer, "short answer", source=source, section=f"3 Committees\n{source}")
