import pytest

from trag.pairs.clauses import clauses, objects


def said(sentence: str) -> list[str]:
    return [
        f"{clause.setting}|{clause.subject}|{clause.auxiliary}{' not' * clause.negative}|{clause.rest}"
        for clause in clauses(sentence, frozenset({"Radiology"}))
    ]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("The board may expel a member.", ["|the board|may|expel a member"]),
        ("The secretary sends the agenda to members.", ["|the secretary|does|send the agenda to members"]),
        ("Staff take leave in writing.", ["|staff|do|take leave in writing"]),
        ("During probation the notice is two weeks.", ["During probation|the notice|is|two weeks"]),
        ("If votes are equal, the chair decides the matter.", ["If votes are equal|the chair|does|decide the matter"]),
        ("A member who misses half of the meetings is asked to go.", [
            "|a member who misses half of the meetings|is|asked to go"
        ]),
        ("Whoever was called out at night begins the next shift later.", [
            "|whoever was called out at night|does|begin the next shift later"
        ]),
        ("Emeritus members keep their address and may speak, but do not vote.", [
            "|emeritus members|do|keep their address", "|emeritus members|may|speak"
        ]),
        ("The treasurer need not be a director, but must be a member.", [
            "|the treasurer|need not|be a director", "|the treasurer|must|be a member"
        ]),
        ("Radiology cleans the room.", ["|Radiology|does|clean the room"]),
        ("The Quality and Safety Committee follows incidents.", [
            "|the Quality and Safety Committee|does|follow incidents"
        ]),
        ("Please don't bring food to the ward.", ["|I|may not|bring food to the ward"]),
        ("Tell the desk by week 25.", ["|I|should|tell the desk by week 25"]),
        ("2.1 The panel meets in May.", ["|the panel|does|meet in May"]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_the_main_clause_is_found(sentence: str, expected: list[str]) -> None:
    assert [each.lower() for each in said(sentence)] == [each.lower() for each in expected]


@pytest.mark.parametrize(
    "sentence",
    [
        "Draft minutes, ready in a week.",
        "Five times a year.",
        "Expense reports for the year 2020.",
        "For grades 3, 4 and 5 the patient, or the family, is told.",
        "Der Ausschuss entscheidet mit einfacher Mehrheit.",
        "How many people have to approve depends on the area.",
        "Is the panel bound by this?",
        "x = f(y) is what we solve.",
        "The team ",
        "Under no circumstances may the staff share passwords.",
        "The council never delegates this power.",
        "Members may not only vote but also speak.",
        'In the Rules, a person "is present" who has signed the list.',
        "",
    ],
    ids=lambda value: value or "empty",
)
def test_what_is_not_clear_gives_no_clause(sentence: str) -> None:
    assert said(sentence) == []


@pytest.mark.parametrize(
    "sentence",
    ["Expense reports go to the desk.", "The plan covers two years.", "Annual leave plans are due in May."],
)
def test_a_noun_that_could_be_a_verb_is_no_verb_beside_another(sentence: str) -> None:
    (found,) = said(sentence)
    assert found.split("|")[1] in ("expense reports", "the plan", "annual leave plans")


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("The council adopts the budget in May, and elects a chair.", ["the budget", "a chair"]),
        ("The council may adopt the budget and the plan of the office.", ["the budget and the plan"]),
        ("Volunteers pass a background check and a test.", ["a background check and a test"]),
        ("The council meets in May.", []),
        ("The council is elected by the members.", []),
    ],
)
def test_the_objects_of_a_clause_are_what_its_verbs_act_on(sentence: str, expected: list[str]) -> None:
    assert list(objects(clauses(sentence, frozenset())[0])) == expected
