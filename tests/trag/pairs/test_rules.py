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
        ("2 Audit and Risk Committee > 2.2 Membership", "The members are the director and two teachers.",
         "Who are the members of the Audit and Risk Committee?", "The members are the director and two teachers."),
        ("2 Audit and Risk Committee > 2.3 Meetings", "The committee meets in March, and again in the autumn.",
         "When does the Audit and Risk Committee meet?", "The committee meets in March, and again in the autumn."),
        ("2 Audit and Risk Committee > 2.5 Mandate", "The committee approves the audit plan.",
         "What is the mandate of the Audit and Risk Committee?", "The committee approves the audit plan."),
        ("2 Audit and Risk Committee > 2.6 Reporting", "It reports each June to the council.",
         "Who does the Audit and Risk Committee report to?", "It reports each June to the council."),
        ("2 Audit and Risk Committee > 2.7 Chair", "The committee is chaired by an accountant.",
         "Who chairs the Audit and Risk Committee?", "The committee is chaired by an accountant."),
        ("2 Audit and Risk Committee > 2.8 Rights", "The committee may read every file.",
         "What rights does the Audit and Risk Committee have?", "The committee may read every file."),
        ("2 Audit and Risk Committee > 2.3 Meetings", "The quorum is three of its five members.",
         "Audit and Risk Committee: what is the quorum?", "The quorum is three of its five members."),
        ("2 Audit and Risk Committee > 2.4 Tasks", "The committee approves the audit plan.",
         "Who approves the audit plan?", "The committee approves the audit plan."),
        ("6 Boards > 6.1 Audit Office", "It publishes the list within ten days.",
         "How soon does the Audit Office publish the list?", "It publishes the list within ten days."),
        ("1 Marks > 1.1 Use", "The Marks Panel meets in May. It decides within ten days.",
         "How soon does the Marks Panel decide?", "The Marks Panel meets in May. It decides within ten days."),
        ("1 Marks > 1.1 Use", "The Marks Panel keeps a list of marks. It elects a chair every year.",
         "How often does the Marks Panel elect a chair?",
         "The Marks Panel keeps a list of marks. It elects a chair every year."),
        ("1 Marks > 1.1 Use", "Directors serve two years. They may be elected again.",
         "Marks: can directors be elected again?", "Yes. Directors serve two years. They may be elected again."),
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
        ("Rules > Permits", "You do not need a permit when:\n- you visit;\n- you leave.",
         "When do I not need a permit?", "You do not need a permit when:\n- you visit;\n- you leave."),
        ("Rules > Powers", "The director may not delegate a power where:\n- it is new;\n- it was given back.",
         "In which case may the director not delegate a power?",
         "The director may not delegate a power where:\n- it is new;\n- it was given back."),
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


@pytest.mark.parametrize(
    ("heading", "text"),
    [
        ("Meetings", "Minutes are taken by the secretary."),
        ("Meetings", "Every member may add a point to the agenda."),
        ("Meetings", "The committee meets in the hall of the council."),
        ("Membership", "Members serve for three years."),
        ("Membership", "Members are paid for their travel."),
        ("Reporting", "The report is published in June."),
        ("Reporting", "Members report a conflict of interest to the chair."),
        ("Chair", "The term of the chair is two years."),
        ("Leadership", "Three years, and again for another three."),
        ("Quorum", "Without a quorum the meeting is adjourned."),
        ("Rights", "Visitors have no right to speak."),
    ],
)
def test_a_subheading_of_a_body_does_not_ask_for_what_its_text_does_not_say(heading: str, text: str) -> None:
    found = asked(made(f"2 Audit Committee > 2.1 {heading}", text))
    assert f"Audit Committee, {heading.lower()}: what are the rules?" in found
    forms = ("Who are the members", "When does the", "What is the quorum of", "What rights", "Who chairs", "Who does")
    assert not [question for question in found if question.startswith(forms)], found


@pytest.mark.parametrize(
    "text",
    [
        "The treasurer writes the budget. It must be approved by the board.",
        "A doctor writes the report. It is kept for ten years.",
        "The council adopts the budget. It is published within ten days.",
        "The council issues a permit. It expires after two years.",
        "Employees submit claims. They are paid within 30 days.",
    ],
)
def test_it_is_not_taken_for_somebody_where_it_may_be_a_thing(text: str) -> None:
    found = asked(made("1 Rules > 1.1 Money", text))
    assert found.pop("Money: what are the rules?") == text
    assert not [question for question, answer in found.items() if answer.endswith(text.split(". ")[1])]


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
