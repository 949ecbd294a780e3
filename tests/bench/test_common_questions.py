"""How an answer to a common question is judged, by hand."""

from dataclasses import replace

import pytest

from bench.common_questions import verdict
from trag.record import AnswerRecord, ModelUsed

SAID = AnswerRecord("1", "q", "q", "Four weeks, from the Payroll Team.", "answered", ModelUsed("", "", ""))
REFUSED = replace(SAID, answer="I cannot answer that.", status="cannot_answer")


@pytest.mark.parametrize(
    ("record", "row", "judged"),
    [
        (SAID, {"holds": ["4 weeks", "four weeks"]}, "right"),
        (SAID, {"holds": ["six weeks"]}, "wrong"),
        (SAID, {"gold": [["four", "4"], ["payroll"]]}, "right"),
        (SAID, {"gold": [["four", "4"], ["director"]]}, "wrong"),
        (SAID, {"holds": []}, "wrong"),
        (SAID, {"gold": [["four"]], "kind": "unanswerable"}, "wrong"),
        (REFUSED, {"gold": [["four"]], "kind": "unanswerable"}, "right"),
        (REFUSED, {"holds": []}, "right"),
        (REFUSED, {"holds": ["four weeks"]}, "refused"),
    ],
)
def test_an_answer_is_judged_by_all_that_it_must_hold(
    record: AnswerRecord, row: dict[str, object], judged: str
) -> None:
    assert verdict(record, row) == judged
