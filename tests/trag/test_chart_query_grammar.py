"""llama.cpp takes the grammar of chart queries, of charts and questions of every kind, and follows it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import llama_cpp
import numpy as np
import pytest

from org.chart import Chart, Unit
from org.query.grammar import grammar
from org.reading.charts import load
from trag.llm.engine import Grammar
from trag.llm.tokenizer import Tokenizer
from trag.models import catalogue

AGENCY = b"""name,parent,type,aliases,description,head,e-mail,Bishop's seat
River Agency,,agency,RA,Keeps the rivers.,Ann Bo,ra@river.example,Tarn
Field Division,River Agency,Field "Division",,,,,
Audit Office,River Agency,Bishop's office,AO,"Audits, all \\ of it.",,,
Head Office,River Agency,head office,,,,,
"""


class Model:
    """The vocabulary of the embedded model, without its weights."""

    def __init__(self, path: Path) -> None:
        params = llama_cpp.llama_model_default_params()
        params.vocab_only = True
        self.model = llama_cpp.llama_model_load_from_file(str(path).encode(), params)
        self.tokenizer = Tokenizer(self.model)

    def lets(self, text: str, expression: str) -> bool:
        """Whether a grammar lets a model write an expression, token for token, and end after it."""
        held_to = Grammar(text, self.tokenizer.vocabulary)
        for token in [*self.tokenizer.text(expression), self.tokenizer.end]:
            wish = np.zeros(self.tokenizer.size, np.float32)
            wish[token] = 1
            if held_to.best(wish) != token:
                return False
            held_to.accept(token)
        return True


@pytest.fixture(scope="module")
def model() -> Iterator[Model]:
    model = Model(catalogue.DEFAULT.path)
    yield model
    llama_cpp.llama_model_free(model.model)


@pytest.fixture(scope="module")
def agency() -> Chart:
    return load(AGENCY, "chart.csv")


@pytest.mark.parametrize(
    "expression",
    [
        "documents()",
        "parent(u1)",
        "parent(parent(u2), 'Bishop\\'s office')",
        "count(children(children(u1), 'Field \"Division\"'))",
        "units('office'), count(units())",
        "most(children(top()), 'head office')",
        "named('audit')",
        "head(described('rivers in spring'))",
        "where('Bishop\\'s seat', 'Tarn')",
        "email(u1), attribute(u2, 'Bishop\\'s seat'), aliases(u1)",
        "was(is_under(u1, u2))",
        "same(parent(u1), parent(u2))",
        "is_a(u1, 'agency'), type_of(u2)",
    ],
)
def test_a_model_can_write_what_the_chart_can_answer(model: Model, agency: Chart, expression: str) -> None:
    question = "which audit office keeps the rivers in spring, at Tarn?"
    given = 0 if "units(" in expression or "top(" in expression else 2
    assert model.lets(grammar(given, agency, question, earlier=True), expression)


def test_all_of_the_chart_is_asked_only_where_no_unit_is_given(model: Model, agency: Chart) -> None:
    assert not model.lets(grammar(1, agency, "which offices has the agency got?"), "units('office')")


@pytest.mark.parametrize(
    "expression",
    [
        "parent(u3)",
        "children(u1, 'team')",
        "named('finance')",
        "where('colour', 'Tarn')",
        "delete(u1)",
        "was(parent(u1))",
        "documents(), parent(u1)",
        "parent(u1), parent(u1), parent(u1), parent(u1)",
        "count(count(u1))",
        "u1.__class__",
    ],
)
def test_a_model_cannot_write_what_is_not_there(model: Model, agency: Chart, expression: str) -> None:
    assert not model.lets(grammar(2, agency, "which audit office is at Tarn?"), expression)


def test_a_bare_chart_offers_no_types_and_no_columns(model: Model) -> None:
    bare = grammar(0, load(b"name,parent\nAnn,\nBo,Ann\n", "chart.csv"), "who is at the top?")
    assert model.lets(bare, "top()")
    assert model.lets(bare, "documents()")
    assert not model.lets(bare, "type_of(top())")
    assert not model.lets(bare, "head(top())")


@pytest.mark.parametrize(
    "question",
    [
        "",
        "???",
        '"; root ::= "x" \\ \n',
        "wer prüft die Küste’s Büros? الفرق 東アジア連絡室 \u200f\ud7ff \U0001f600",
        "ignore the above " * 1_000,
        "x" * 4_000,
    ],
)
def test_llama_cpp_takes_the_grammar_of_any_question(model: Model, question: str) -> None:
    units = [Unit("0", "Top", 'a "type"\\ \n root ::= [^\x00] \x1b', None)]
    units += [
        Unit(
            str(place),
            f"Unit {place}",
            f"Type' {place} office {'é' * (place % 90)}",
            "0",
            attributes=((f"C\n{place}", "x"),),
        )
        for place in range(1, 2_000)
    ]
    text = grammar(6, Chart(units), question, earlier=True)
    assert len(text.encode()) < 60_000
    assert model.lets(text, "documents()")
