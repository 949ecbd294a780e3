"""The pages of the evaluations as HTML, and the words on them that are the same for everybody.

Every template escapes what it is given: questions, answers and names come from files and models that nobody has
checked.
"""

from __future__ import annotations

from urllib.parse import urlencode

from fastapi.responses import HTMLResponse

from trag.evaluate.grammar.diagnosis import Module
from trag.evaluate.tables import model_of
from trag.record import VERDICTS
from trag.web.language import later, percent, time_left
from trag.web.quality.answers import CHOICES, MOST, UNDECIDED
from trag.web.quality.figures import tone
from trag.web.render import MEANINGS, environment
from trag.web.visitors import here

LARGEST_SET = 20 * 2**20
"""Bytes that a file of questions may have."""
MOST_QUESTIONS = 2_000
"""Questions that are made from a chart at once."""
MOST_SEED = 10**9
"""The largest number that chooses which."""
SAMPLE = """{"id": "1", "kind": "simple", "question": "What is the Library under?", "gold": [["Education"]]}
{"id": "2", "kind": "list", "question": "Which units are under the Director's Office?", "units": ["Grants & Partners", "Education"]}
{"id": "3", "kind": "document", "question": "How early must leave be asked for?", "answer": "Two weeks before it begins.", "gold": [["two weeks", "14 days"]], "forbidden": ["four weeks"]}
{"id": "4", "kind": "unanswerable", "question": "What is the Director's private address?", "refuse": true}
"""  # noqa: E501

KEYS = {
    "id": later("A key of your own, another one on each line. Needed."),
    "question": later("What is asked. Needed."),
    "kind": later(
        "What the tables are broken down by: document, simple, complex, list, unanswerable, or a word of yours. Needed."
    ),
    "gold": later("What a right answer holds: a list of items, each a list of the forms that count."),
    "forbidden": later("What it must not say."),
    "units": later("For a list: the names of all the units that belong to it, as in the chart."),
    "count": later("For “how many”: the number."),
    "polarity": later("For a yes or no: “yes” or “no”."),
    "refuse": later("true where nothing answers the question, so that only a refusal is right."),
    "answer": later(
        "A right answer in a sentence, for people who look on. Where it sets a limit to an item of gold, “at most four "
        "nights”, or denies it, an answer must not say the opposite."
    ),
}
"""The keys of a line that most sets need, and what each means."""

MODULES: dict[Module, tuple[str, str]] = {
    "retrieval database": (
        later("The documents"),
        later("Nothing that the system may find holds what was asked. Add what is missing."),
    ),
    "retrieval": (later("The search"), later("It is there, but was not brought for those words.")),
    "language model": (later("The model"), later("It was given what tells the truth, and did not answer from it.")),
}
"""The modules of an audit as people call them, and what it means that one owes a wrong answer."""


def page(name: str, **values: object) -> HTMLResponse:
    """A page of the evaluations, or a part of one, from its template."""
    caller = here()
    template = environment().get_template(f"quality/{name}.html")
    html = template.render(
        here="/quality",
        choices=CHOICES,
        in_charge=caller is not None and caller.may("admin"),  # removes, and takes answers and questions away
        meanings=MEANINGS,
        model_of=model_of,
        most=MOST,
        percent=percent,
        time_left=time_left,
        tone=tone,
        undecided_word=UNDECIDED,
        urlencode=urlencode,
        verdicts=VERDICTS,
        **values,
    )
    return HTMLResponse(html)
