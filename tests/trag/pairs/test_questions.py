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
        ("The reading room is located on the second floor.", "Where is the reading room located?"),
        ("The reading room is located in the south wing.", "Where is the reading room located?"),
        ("Fees are due on the first working day of the month.", "When are fees due?"),
        ("Cards are returned by the 25th.", "By when are cards returned?"),
        ("Cards are returned by the end of the trial period.", "By when are cards returned?"),
        ("The bureau sits on the second and fourth Thursday.", "When does the bureau sit?"),
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
        ("Staff may never share passwords.", "No Can staff ever share passwords?"),
        ("Passwords must never be shared.", "No Can passwords ever be shared?"),
        ("A badge may under no circumstances be lent.", "No Can a badge ever be lent?"),
        ("A badge may be lent under no circumstances.", "No Can a badge be lent under any circumstances?"),
        ("A badge is no longer valid after a year.", "No Is a badge still valid after a year?"),
        ("The chair may neither vote nor speak.", "No Can the chair either vote or speak?"),
        ("Neither the chair nor the clerk may vote.", "No May either the chair or the clerk vote?"),
        ("None of the members may vote twice.", "No May any of the members vote twice?"),
        ("Nobody except the director may sign.", "No May anyone except the director sign?"),
        ("Observers shall have no vote.", "No Can observers have any vote?"),
        ("The key may be lent to nobody.", "No Can the key be lent to anyone?"),
        ("Visitors may park at no cost.", "Yes Can visitors park at no cost?"),
        ("Visitors may carry no more than two bags.", "Yes Can visitors carry no more than two bags?"),
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
        "Staff may never share passwords.",
        "Staff must under no circumstances share passwords.",
        "Under no circumstances may the staff share passwords.",
        "A badge may no longer be lent.",
        "A deputy shall neither hire nor dismiss.",
        "Neither the chair nor the clerk may vote.",
        "Nobody except the director may sign.",
        "Nothing said in mediation may be used in a case.",
        "None may vote.",
        "Hardly anybody may enter the vault.",
        "Staff may accept nothing from a supplier.",
        "The council never needs the consent of the board.",
    ],
)
def test_a_denial_is_not_answered_yes_nor_asked_without_it(sentence: str) -> None:
    found = asked(sentence)
    assert not any(each.startswith("Yes") for each in found), found
    assert not any(
        each.startswith("Who") and not any(word in each for word in ("never", "no ", "nothing", "neither"))
        for each in found
    ), found


def test_what_is_not_only_allowed_is_not_denied() -> None:
    assert not any(each.startswith("No") for each in asked("Members may not only vote but also speak."))


@pytest.mark.parametrize(
    "sentence",
    [
        "The form must be signed by the health officer.",
        "The form must be signed by the second signatory.",
        "The form must be signed by May Brown.",
        "The form must be signed by Mayor Hill.",
        "Grants are given on the strength of the interview.",
        "Notes go on the first page of the record.",
        "The reading room is located on the second floor.",
        "The keys are kept at the end of the corridor.",
    ],
)
def test_a_place_or_a_person_is_not_taken_for_a_time(sentence: str) -> None:
    assert not any("when" in each.lower() for each in asked(sentence)), asked(sentence)


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
