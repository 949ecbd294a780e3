"""An organization, and answers scored in it: what the tests of every kind of gold share."""

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar, cast

import pytest

from org.chart import Chart
from org.reading import charts
from trag.evaluate.cases import Case
from trag.evaluate.scoring import Score, score
from trag.home import Home
from trag.llm.model import LanguageModel
from trag.llm.queue import RequestQueue
from trag.record import AnswerRecord, ModelUsed, Source

T = TypeVar("T")

HARBOUR = b"""name,parent,type,aliases
Harbour Trust,,trust,HT
Board of Trustees,Harbour Trust,board,Trustees
Director General,Board of Trustees,position,DG
Legal Office,Director General,office,
Contracts Desk,Legal Office,desk,
Claims Desk,Legal Office,desk,
Finance Division,Director General,division,Money People
Payroll Team,Finance Division,team,
Treasury Team,Finance Division,team,
Registry,Finance Division,team,
Audit Committee,Board of Trustees,committee,AC
Registry,Legal Office,team,
"""


@pytest.fixture
def with_model(monkeypatch: pytest.MonkeyPatch) -> Callable[[Home, T], T]:
    """Gives a home a model from there to the end of the test."""

    def given(home: Home, model: T) -> T:
        spoken = cast(LanguageModel, model)
        monkeypatch.setitem(home.parts, "model", spoken)
        monkeypatch.setitem(home.parts, "assistant", replace(home.assistant, model=spoken, line=RequestQueue(1, 0)))
        return model

    return given


@pytest.fixture(scope="session")
def scored() -> Callable[..., Score]:
    """Scores the answer to a case, with the texts of its sources, in the harbour or another organization."""
    made = charts.load(HARBOUR, "chart.csv")

    def scored(case: Case, answer: str, *sources: str, of: Chart | None = made) -> Score:
        record = AnswerRecord(
            id="1",
            question=case.question,
            standalone=case.question,
            answer=answer,
            status="answered",
            model=ModelUsed("", "", ""),
            sources=tuple(Source(f"s{n}", "section", "d", "", None, text, 1.0) for n, text in enumerate(sources)),
        )
        return score(case, record, of)

    return scored
