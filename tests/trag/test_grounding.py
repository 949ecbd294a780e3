"""What an answer may say: numbers, names and placements, in several scripts, over a real chart and finder."""

import time

import pytest

from org.linking.entities import EntityFinder, Organization
from org.reading.charts import load
from trag import grounding
from trag.grounding import Evidence, Grounding
from trag.record import Misplaced

CHART = load(
    b"""name,parent,type,aliases
Acme Foundation,,foundation,Acme
Legal Division,Acme Foundation,division,
Finance Division,Acme Foundation,division,
Ethics Office,Legal Division,office,EO
Payroll Unit,Finance Division,unit,
""",
    "chart.csv",
)
ACME = Organization("Acme", CHART, EntityFinder(CHART))
NOBODY = Organization("nobody")


def check(answer: str, *evidence: str, question: str = "?", organization: Organization = ACME) -> Grounding:
    given = [Evidence(f"e{number}", text) for number, text in enumerate(evidence, 1)]
    return grounding.check(question, answer, given, organization)


@pytest.mark.parametrize(
    ("answer", "evidence"),
    [
        ("Three weeks.", "It is asked for 3 weeks ahead."),
        ("50,000 LMD.", "Contracts above LMD 50 000 need two signatures."),
        ("It is 40k.", "The limit is 40,000."),
        ("The Head of Procurement.", "The head of procurement signs."),
        ("Ja, bis zu 5 Tage; das entscheidet die Personalabteilung.", "Die Personalabteilung gibt bis zu 5 Tage frei."),
        ("Frau Müller aus Köln.", "Zuständig ist Frau Müller aus Köln."),
        ("Binnen sechs Monate.", "Die Abrechnung ist binnen sechs Monaten bei der Kasse einzureichen."),
        ("15 يومًا.", "مدة الإجازة السنوية 15 يومًا."),
        ("年假为15天。", "员工每年享有15天年假。"),
        ("Ирина Петрова.", "Заявления принимает Ирина Петрова."),
        ("Η Μαρία Παππά.", "Υπεύθυνη είναι η Μαρία Παππά."),
    ],
)
def test_an_answer_on_its_document_stands_with_its_line(answer: str, evidence: str) -> None:
    found = check(answer, "The canteen opens at noon.", evidence, organization=NOBODY)
    assert found.finding == ""
    (sentence,) = found.checks.sentences
    assert (sentence.supported, sentence.source, sentence.evidence) == (True, "e2", evidence)


@pytest.mark.parametrize(
    ("answer", "evidence", "finding"),
    [
        ("Ninety days.", "Within ten days.", "90 stands in none"),
        ("It costs 50.", "It costs 500.", "50 stands in none"),
        ("Es entscheidet Frau Schmidt.", "Zuständig ist Frau Müller.", "Schmidt stands in none"),
        ("20 يومًا.", "مدة الإجازة السنوية 15 يومًا.", "20 stands in none"),
        ("年假为20天。", "员工每年享有15天年假。", "20 stands in none"),
        ("Это Ирина Иванова.", "Заявления принимает Ирина Петрова.", "Иванова stands in none"),
    ],
)
def test_a_number_or_a_name_that_stands_nowhere_is_found(answer: str, evidence: str, finding: str) -> None:
    found = check(answer, evidence, organization=NOBODY)
    assert finding in found.finding
    (sentence,) = found.checks.sentences
    assert (sentence.supported, sentence.source, sentence.evidence) == (False, "", "")


GERMAN = "Die Gebühr für eine Baugenehmigung beträgt 1.500,50 € und ist binnen 14 Tagen zu zahlen."


@pytest.mark.parametrize("answer", ["1.500,50 €", "The fee is 1,500.50 euros.", "Die Gebühr beträgt 1500,50 €."])
def test_a_figure_is_the_same_however_a_language_writes_it(answer: str) -> None:
    assert check(answer, GERMAN, question="Was kostet die Genehmigung?").finding == ""
    assert check(answer.replace("5", "6", 1), GERMAN, question="What is the fee?").finding != ""


def test_what_the_question_says_may_be_said_again() -> None:
    answer = "Contracts above 50,000 need two signatures, and 60,000 is above that."
    assert check(answer, "Contracts above 50,000 need two signatures.", question="and for 60,000?").finding == ""


def test_what_a_text_stands_under_may_be_said_of_it() -> None:
    evidence = [Evidence("e1", "Receives each critical risk within 48 hours.", "4.5 Audit Committee")]
    found = grounding.check("?", "To the Audit Committee, within 48 hours.", evidence, NOBODY)
    assert (found.finding, found.checks.sentences[0].evidence) == ("", evidence[0].text)
    assert grounding.check("?", "To the Audit Committee, within 45 hours.", evidence, NOBODY).finding


def test_facts_of_two_sources_are_no_sentence_of_either() -> None:
    assert check("Frau Schmidt gets 5 days, says Frau Weber.", "Here Schmidt gets 5 days.", "Weber gets 3.").finding


def test_every_sentence_is_borne_out_by_the_line_that_has_most_of_it_exactly_as_it_stands() -> None:
    first = "Gifts:\n- above 40 LMD are  declared within ten days;\n- above 400 LMD are returned."
    found = check("They are declared within ten days. Above 400 LMD they are returned.", "Gifts are nice.", first)
    assert [(one.source, one.evidence) for one in found.checks.sentences] == [
        ("e2", "above 40 LMD are  declared within ten days;"),
        ("e2", "above 400 LMD are returned."),
    ]
    assert all(one.evidence in first for one in found.checks.sentences)


@pytest.mark.parametrize("evidence", [(), ("",)])
def test_nothing_stands_on_nothing(evidence: tuple[str, ...]) -> None:
    found = check("Two days.", *evidence)
    assert [one.supported for one in found.checks.sentences] == [False]
    assert found.finding


@pytest.mark.parametrize(
    ("answer", "evidence"),
    [
        ("The Ethics Office is under the Legal Division.", "x"),
        ("The EO is under Acme.", "x"),
        ("The Legal Division and the Finance Division.", "x"),
        ("The Ethics Office sends its report to the Payroll Unit.", "The EO sends its report to the Payroll Unit."),
        ("The Ethics of Payroll.", "Substitute: Ethics of Payroll."),
    ],
)
def test_units_stand_together_as_the_chart_or_a_line_of_a_document_has_them(answer: str, evidence: str) -> None:
    assert check(answer, evidence, question=answer).checks.misplaced == ()


UNDER = "The Payroll Unit is under the Legal Division."


@pytest.mark.parametrize(
    ("answer", "evidence", "misplaced"),
    [
        ("The Payroll Unit of the Legal Division.", "x", ("Payroll Unit", "Legal Division", "Finance Division")),
        (UNDER, "x", ("Payroll Unit", "Legal Division", "Finance Division")),
        (UNDER, UNDER, ("Payroll Unit", "Legal Division", "Finance Division")),
        ("the EO IS  UNDER payroll unit", "x", ("Ethics Office", "Payroll Unit", "Legal Division")),
        (
            "The Legal Division is under the Finance Division.",
            "The Legal Division is under the Finance Division.",
            ("Legal Division", "Finance Division", "Acme Foundation"),
        ),
        ("Acme Foundation is under the EO.", "x", ("Acme Foundation", "Ethics Office", "nothing")),
    ],
    ids=["invented", "own words", "a document's", "alias", "beside", "upside down"],
)
def test_a_unit_where_the_chart_does_not_have_it_is_misplaced(
    answer: str, evidence: str, misplaced: tuple[str, str, str]
) -> None:
    """In the chart's own words also where a document says so."""
    found = check(answer, evidence, question=answer)
    assert found.checks.misplaced == (Misplaced(*misplaced),)
    assert f"is not under {misplaced[1]} but under {misplaced[2]}" in found.finding


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "text",
    [
        "A" * 20_000,
        "A. " * 5_000,
        "Ab " * 5_000,
        "1," * 10_000,
        "\n" * 20_000,
        "- \n" * 5_000,
        "“(" * 10_000,
        "é" * 9_000,
    ],
    ids=["letters", "sentences", "names", "figures", "breaks", "items", "marks", "accents"],
)
def test_long_hostile_text_takes_bounded_time(text: str) -> None:
    started = time.process_time()
    check(text[:2_000], text[:500], text[:500], text[-500:], question=text[:4_000])
    assert time.process_time() - started < 5
