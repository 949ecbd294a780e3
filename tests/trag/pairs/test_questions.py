import pytest

from trag.pairs.clauses import clauses
from trag.pairs.questions import questions


def asked(sentence: str) -> list[str]:
    return [
        f"{each.opening} {each.question}".strip()
        for clause in clauses(sentence, frozenset())
        for each in questions(clause)
    ]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Papers go out five working days before a meeting.", "When do papers go out?"),
        ("A finding is due 30 days after the report.", "When is a finding due?"),
        ("Minutes are published within fourteen days.", "How soon are minutes published?"),
        ("Probation lasts six months for all posts.", "How long does probation last?"),
        ("Case notes are kept for three years.", "How long are case notes kept?"),
        ("The board meets once a month.", "How often does the board meet?"),
        ("Interests are declared every April.", "When are interests declared?"),
        ("The holder sends in receipts by the fifth of a month.", "By when does the holder send in receipts?"),
        ("The board has seven directors, elected for two years.", "How many directors does the board have?"),
        ("Four directors are a quorum.", "How many directors are a quorum?"),
        ("No more than two directors may work for one employer.", "How many directors may work for one employer?"),
        ("The quorum is three.", "What is the quorum?"),
        ("Petty cash is limited to £75 a ward.", "What is the limit for petty cash?"),
        ("A day ticket costs £12.", "How much does a day ticket cost?"),
        ("Staff may accept gifts worth up to £30 from a family.", "Up to what amount may staff accept gifts?"),
        ("The Finance Office pays invoices.", "Who pays invoices?"),
        ("The reserve must be approved by the Finance Committee.", "Who must approve the reserve?"),
        ("Licences are issued by the Navigation Office within five days.", "Who issues licences?"),
        ("A lost badge is reported to the Security Desk the same day.", "Who is a lost badge reported to?"),
        ("The tc-chair reports to the board.", "Who does the tc-chair report to?"),
        ("The Rota Office is responsible for rotas.", "What is the Rota Office responsible for?"),
        ("The Rota Office is responsible for rotas.", "Who is responsible for rotas?"),
        ("The panel consists of five members.", "Who are the members of the panel?"),
        ("Work elsewhere needs the consent of the line manager.", "Whose consent does work elsewhere need?"),
        ("The registered seat is at Havermond.", "Where is the registered seat?"),
        ("Notices are posted at every lock.", "Where are notices posted?"),
        ("A near miss means an event without harm.", "What does a near miss mean?"),
        ("The officers are the president and the treasurer.", "Who are the officers?"),
        ("If votes are equal, the chair decides the matter.", "What happens if votes are equal?"),
        ("A special meeting must be called when four directors ask.", "When must a special meeting be called?"),
        ("Members may vote at the meeting.", "Yes Can members vote at the meeting?"),
        ("You may see your record.", "Yes Can I see my record?"),
        ("The chair may not be a director.", "No Can the chair be a director?"),
        ("Contractors must wear a badge.", "Yes Do contractors have to wear a badge?"),
        ("Money is never accepted by a person.", "No Is money ever accepted by a person?"),
        ("Sponsors are not members.", "No Are sponsors members?"),
        ("Nobody works elsewhere while on sick leave.", "No Can anyone work elsewhere while on sick leave?"),
        ("No device may be used on a ward.", "No May any device be used on a ward?"),
        ("You need not say why.", "No Do I need to say why?"),
    ],
    ids=lambda value: value,
)  # fmt: skip
def test_a_sentence_answers(sentence: str, expected: str) -> None:
    assert expected in asked(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Leave may be paid out only when somebody leaves.",
        "A pet may come to the bedside with the consent of the team.",
        "Staff may work elsewhere, unless there is a conflict of interest.",
        "The treasurer alone may make a payment.",
    ],
)
def test_what_is_allowed_with_a_reserve_is_not_answered_yes(sentence: str) -> None:
    found = asked(sentence)
    assert found
    assert not any(each.startswith("Yes") for each in found), found


@pytest.mark.parametrize(
    "sentence",
    [
        "It decides within seven days.",
        "They may vote.",
        "These rules apply to them.",
        "Others may follow in May.",
        "The board chooses them each November.",
    ],
)
def test_a_question_that_would_point_elsewhere_is_not_asked(sentence: str) -> None:
    assert asked(sentence) == []


def test_a_long_sentence_gives_no_long_question() -> None:
    sentence = "The board may " + "carefully review the plans of the northern region and " * 5 + "approve the budget."
    assert all(len(each.split()) < 30 for each in asked(sentence))
