from collections.abc import Sequence

import pytest

from trag.ingest.pairs import DIRECT_TYPES
from trag.ingest.sections import Section
from trag.pairs import Made, by_rules

FILLER = Section("9 Other > 9.9 Last words", None, "The text is for the people of the house and of the garden.")


def made(path: str, text: str) -> tuple[Made, ...]:
    return tuple(pair for pair in by_rules([FILLER, Section(path, 3, text)]) if pair.section == path)


def asked(pairs: Sequence[Made]) -> dict[str, str]:
    return {pair.question: pair.answer for pair in pairs}


@pytest.mark.parametrize(
    ("path", "text", "question", "answer"),
    [
        ("4 Money > 4.2 Petty cash", "Petty cash is limited to £75 a ward.", "What is the limit for petty cash?",
         "Petty cash is limited to £75 a ward."),
        ("Leave > Sick leave", "A message by text does not count.", "Sick leave: does a message by text count?",
         "No. A message by text does not count."),
        ("2 Audit and Risk Committee > 2.1 Members", "Four members of the board and an accountant.",
         "Who are the members of the Audit and Risk Committee?", "Four members of the board and an accountant."),
        ("2 Audit and Risk Committee > 2.3 Meetings", "The quorum is three of its five members.",
         "Audit and Risk Committee: what is the quorum?", "The quorum is three of its five members."),
        ("2 Audit and Risk Committee > 2.4 Tasks", "The committee approves the audit plan.",
         "Who approves the audit plan?", "The committee approves the audit plan."),
        ("6 Boards > 6.1 Audit Office", "It publishes the list within ten days.",
         "How soon does the Audit Office publish the list?", "It publishes the list within ten days."),
        ("1 Marks > 1.1 Use", "The Marks Panel meets in May. It decides within ten days.",
         "How soon does the Marks Panel decide?", "The Marks Panel meets in May. It decides within ten days."),
        ("Security > How do I report a hole?", "By mail to the team, in English or in Spanish.",
         "How do I report a hole?", "By mail to the team, in English or in Spanish."),
        ("Guide > How to choose a supplier", "Ask three firms and take the cheapest of them.",
         "How do I choose a supplier?", "Ask three firms and take the cheapest of them."),
        ("Guide > How long records are kept", "Ten years, and those of children for twenty.",
         "How long are records kept?", "Ten years, and those of children for twenty."),
        ("Guide > Getting commit rights", "Two people propose you and nobody objects to it.",
         "How do I get commit rights?", "Two people propose you and nobody objects to it."),
        ("Rules > Reports", "A report must contain:\n- the date;\n- the place.", "What must a report contain?",
         "A report must contain:\n- the date;\n- the place."),
        ("Rules > Rights", "You can be given commit rights when\n\n- two people propose you;\n- nobody objects.",
         "When can I be given commit rights?",
         "You can be given commit rights when\n- two people propose you;\n- nobody objects."),
        ("Rules > Suppliers", "A supplier may be chosen freely\n\n- if there is only one;\n- in an emergency.",
         "In which case may a supplier be chosen freely?",
         "A supplier may be chosen freely\n- if there is only one;\n- in an emergency."),
        ("Rules > The council", "The council shall:\n1. elect its chair;\n2. adopt the budget.",
         "What shall the council do?", "The council shall:\n1. elect its chair;\n2. adopt the budget."),
        ("Rules > Leave", "- Moving house: one day, once in three years.", "Leave: what applies to moving house?",
         "Moving house: one day, once in three years."),
        ("Rules > Definitions", "Working day: a day on which the office is open.", "What does Working day mean?",
         "Working day: a day on which the office is open."),
        ("4 Money > Limits", "Limits – Post: Director; Limit: 50,000 LMD.\nLimits – Post: Clerk; Limit: 100 LMD.",
         "Limits: what is the limit for director?", "Limits – Post: Director; Limit: 50,000 LMD."),
        ("Grades", "Grades – Grade: 3; Looked into by: team; Finished within: 30 days.",
         "Grades, grade 3: finished within how long?",
         "Grades – Grade: 3; Looked into by: team; Finished within: 30 days."),
    ],
)  # fmt: skip
def test_a_section_gives_the_pair(path: str, text: str, question: str, answer: str) -> None:
    found = asked(made(path, text))
    assert found.get(question) == answer, found


def test_two_clauses_of_a_sentence_give_it_as_the_answer_once() -> None:
    text = "Emeritus members keep their address and may speak at meetings."
    assert {pair.answer.removeprefix("Yes. ") for pair in made("1 Roll > 1.1 Emeritus members", text)} == {text}


def test_a_unit_that_is_only_called_the_unit_is_not_asked_for() -> None:
    found = asked(made("1 Rules > 1.1 Sanctions", "The unit recommends a sanction within ten days."))
    assert not [question for question in found if "who" in question.lower()], found


def test_a_pair_knows_where_it_comes_from() -> None:
    (pair, *_) = [each for each in made("4 Money > 4.2 Limits", "The quorum is three.") if "quorum" in each.question]
    assert (pair.section, pair.page, pair.origin, pair.supported) == ("4 Money > 4.2 Limits", 3, "rule", True)
    assert pair.source == "The quorum is three."
    assert pair.type in DIRECT_TYPES


@pytest.mark.parametrize(
    "text",
    [
        "Der Ausschuss entscheidet mit einfacher Mehrheit. Das Protokoll ist in zehn Tagen fertig.",
        "Le comité se réunit une fois par mois. Le procès-verbal est publié dans les dix jours.",
        "Komitet zbiera się raz w miesiącu. Protokół jest gotowy w ciągu dziesięciu dni.",
        "委員会は月に一度会合を開く。議事録は十日以内に公表される。",
        "تجتمع اللجنة مرة في الشهر وينشر المحضر خلال عشرة أيام.",
        "Stanowisko: Dyrektor; Limit: 50 000 PLN.",
        "",
        "= = = 1 2 3 \ufffd",
    ],
    ids=["German", "French", "Polish", "Japanese", "Arabic", "table", "empty", "noise"],
)
def test_what_is_not_english_gives_no_pairs(text: str) -> None:
    assert by_rules([Section("1 A", 1, text)]) == ()


def test_a_foreign_section_of_an_english_document_gives_no_pairs() -> None:
    english = Section("1 Members", 1, "The board has seven directors, and the members of the board may vote on it.")
    german = Section("2 Regeln", 2, "Der Ausschuss entscheidet mit Mehrheit und die Mitglieder sind von ihm zu hören.")
    assert {pair.section for pair in by_rules([english, german])} == {"1 Members"}


def test_a_section_that_goes_on_over_a_page_is_not_given_half_to_its_heading() -> None:
    pages = [Section("2 Gifts", page, f"The limit is £{page}0 and the desk keeps a list of it.") for page in (1, 2)]
    assert not [pair for pair in by_rules([FILLER, *pages]) if pair.question.startswith("Gifts: what are")]


def test_making_pairs_is_the_same_every_time() -> None:
    sections = [Section("1 Board", 1, "The board has seven directors. The board meets once a month, in the house.")]
    assert by_rules(sections) == by_rules(sections) != ()
