import pytest

from prompts import CANNOT_ANSWER
from trag.record import CheckedSentence, Checks
from trag.settle import Stand, refused, settle

BORNE_OUT = Checks(sentences=(CheckedSentence("The limit is 5.", True, "a"),))
UNSUPPORTED = Checks(sentences=(CheckedSentence("The limit is 9.", False),))
CHART = Stand((("Legal is under Finance.", "chart-1"),))
FROM_CHART = Checks(sentences=(CheckedSentence("Legal is under Finance.", True, "chart-1"),))
QUOTATION = Stand((("The limit is 5.", "a"), ("It is counted yearly.", "b")), agrees=True)
OTHER = Stand((("The limit for boats is 7.", "b"),))
WEAK = Stand((("x", "a"),), is_sure=False)
DOUBTFUL = Stand((("The limit is 5.", "a"),), is_sure=False, is_doubtful=True, agrees=True)


@pytest.mark.parametrize(
    ("text", "checks", "finding", "chart", "quotation", "answer", "replaced"),
    [
        ("The limit is 5.", BORNE_OUT, "", None, QUOTATION, "The limit is 5.", "false"),
        ("The limit is 5.", BORNE_OUT, "", None, OTHER, OTHER.text, "quotation"),
        ("The limit is 5.", BORNE_OUT, "", None, None, "The limit is 5.", "false"),
        ("The limit is 5.", BORNE_OUT, "", None, DOUBTFUL, CANNOT_ANSWER, "false"),
        ("Legal is under Finance.", FROM_CHART, "", None, OTHER, "Legal is under Finance.", "false"),
        ("The limit is 9.", UNSUPPORTED, "", None, QUOTATION, QUOTATION.text, "quotation"),
        ("Legal is under Finance.", FROM_CHART, "", CHART, OTHER, "Legal is under Finance.", "false"),
        ("The limit is 5.", BORNE_OUT, "", CHART, QUOTATION, CHART.text, "chart"),
        ("Legal is under HR.", UNSUPPORTED, "Legal is under Finance", CHART, QUOTATION, CHART.text, "chart"),
        ("Something.", UNSUPPORTED, "", CHART, QUOTATION, CHART.text, "chart"),
        ("The limit is 9.", UNSUPPORTED, "", None, None, CANNOT_ANSWER, "false"),
        (CANNOT_ANSWER, Checks(), "", CHART, None, CHART.text, "chart"),
        (CANNOT_ANSWER, Checks(), "", None, QUOTATION, QUOTATION.text, "quotation"),
        (CANNOT_ANSWER, Checks(), "", None, WEAK, CANNOT_ANSWER, "false"),
    ],
    ids=[
        "good",
        "beside the best words",
        "nothing to quote",
        "doubtful",
        "from the chart",
        "from the chart that answers",
        "documents on what the chart answers",
        "unsupported",
        "misplaced",
        "chart-first",
        "nothing-better",
        "refusal-chart",
        "refusal-overruled",
        "refusal",
    ],
)
def test_settle(text, checks, finding, chart, quotation, answer, replaced) -> None:  # type: ignore[no-untyped-def]
    settled = settle(text, checks, finding=finding, chart=chart, quotation=lambda: quotation)
    assert (settled.text, settled.checks.replaced) == (answer, replaced)
    assert settled.status == ("cannot_answer" if answer == CANNOT_ANSWER else "answered")


def test_a_wrong_placement_gives_way_to_the_documents_and_else_to_where_the_unit_is() -> None:
    wrong, places = "Legal is under HR.", Stand((("Legal is under Finance.", "chart-1"),))
    finding = "Legal is under Finance, not under HR."
    quoted = settle(wrong, BORNE_OUT, finding=finding, chart=None, quotation=lambda: QUOTATION, places=places)
    assert (quoted.text, quoted.checks.replaced) == (QUOTATION.text, "quotation")
    placed = settle(wrong, BORNE_OUT, finding=finding, chart=None, quotation=lambda: None, places=places)
    assert (placed.text, placed.checks.replaced) == (places.text, "chart")


def test_words_that_do_not_hold_what_was_asked_for_do_not_stand() -> None:
    settled = settle("The limit is 5.", BORNE_OUT, fitting=False, chart=None, quotation=lambda: None)
    assert (settled.text, settled.status) == (CANNOT_ANSWER, "cannot_answer")


def test_words_about_other_units_are_taken_for_a_refusal() -> None:
    weak = settle("The limit is 5.", BORNE_OUT, astray=True, chart=None, quotation=lambda: WEAK)
    assert (weak.text, weak.status) == (CANNOT_ANSWER, "cannot_answer")
    assert settle("The limit is 5.", BORNE_OUT, astray=True, chart=None, quotation=lambda: OTHER).text == OTHER.text
    assert settle("The limit is 5.", BORNE_OUT, astray=True, chart=CHART, quotation=lambda: OTHER).text == CHART.text


def test_what_replaces_the_models_words_is_marked_as_borne_out_by_its_source() -> None:
    settled = settle("wrong", UNSUPPORTED, finding="", chart=None, quotation=lambda: QUOTATION)
    assert settled.checks.sentences == (
        CheckedSentence("The limit is 5.", True, "a"),
        CheckedSentence("It is counted yearly.", True, "b"),
    )


@pytest.mark.parametrize(
    ("text", "is_refusal"),
    [
        (CANNOT_ANSWER, True),
        ("", True),
        ("I don't know the answer.", True),
        ("The documents do not mention a wifi password.", True),
        ("The Board cannot change the Statute.", False),
        ("Members do not have a second vote.", False),
    ],
    ids=["agreed", "empty", "own words", "documents", "rule", "rule with do not"],
)
def test_refused(text: str, is_refusal: bool) -> None:
    assert refused(text) is is_refusal
