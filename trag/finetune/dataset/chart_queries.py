"""Examples of chart queries: a question about a chart, and the expression that reads it, as the product asks for one.

An expression is learned only where running it answers its question rightly by the scorer, which shares no code with
what runs it. Questions for the documents that name a unit are learned as documents().
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random

import prompts
from org.chart import Chart, Unit
from org.linking.entities import Organization
from org.query import grammar, sentences
from org.query.expression import ChartReply, described, run
from org.query.grammar import SPAN, QueryError, quoted, words
from trag.chart_query import UNITS
from trag.evaluate.cases import Case
from trag.evaluate.chart_cases.facts import Fact
from trag.evaluate.chart_cases.generation import drawn
from trag.evaluate.chart_cases.index import Names, Tree
from trag.evaluate.chart_cases.phrasing import call
from trag.evaluate.scoring import Score, score
from trag.finetune.dataset.examples import Example
from trag.finetune.dataset.typos import typed
from trag.record import AnswerRecord, ModelUsed

KIND = "chart query"
DOCUMENTS = "documents()"
RIGHT = ("Correct", "Correct-Verbose")
"""Verdicts on an answer that says what is right."""
_TYPED = 0.3  # of the questions, typed otherwise than written
_EXPRESSIONS: Mapping[str, str] = {
    "simple: where": "path({unit})",
    "simple: above": "parent({unit})",
    "simple: whether": "is_under({unit}, {other})",
    "simple: type": "type_of({unit})",
    "simple: anything": "any(children({unit}))",
    "complex: path": "path({unit})",
    "complex: second": "parent(parent({unit}))",
    "complex: kind above": "parent({unit}, {noun})",
    "complex: far whether": "is_under({unit}, {other})",
    "complex: more": "more({unit}, {other})",
    "list: children": "children({unit})",
    "list: flat": "descendants({unit})",
    "list: below": "descendants({unit})",
    "list: of type": "descendants({unit}, {noun})",
    "list: of type below": "descendants({unit}, {noun})",
    "list: some": "children({unit})",
    "list: some of type": "descendants({unit}, {noun})",
    "list: nothing": "children({unit})",
    "list: none of type": "descendants({unit}, {noun})",
    "count: children": "count(children({unit}))",
    "count: below": "count(descendants({unit}))",
    "count: of type": "count(descendants({unit}, {noun}))",
    "count: of type everywhere": "count(units({noun}))",
    "count: none": "count(children({unit}))",
    "common parent: two": "common({unit}, {other})",
    "siblings: others": "siblings({unit})",
    "siblings: nothing": "siblings({unit})",
    "siblings: whether": "same(parent({unit}), parent({other}))",
    "compound: parent and type": "parent({unit}), type_of({unit})",
    "compound: parent and children": "parent({unit}), children({unit})",
    "compound: parent and count": "parent({unit}), count(children({unit}))",
    "compound: two parents": "parent({unit}), parent({other})",
    "compound: two lists": "children({unit}), children({other})",
    "compound: some and some": "children({unit}), children({other})",
    "unanswerable: private": DOCUMENTS,
    "unanswerable: invented": DOCUMENTS,
}
"""How a question of each form of chart_cases is read."""


def from_chart(
    source: str, organization: Organization, *, chance: Random, number: int, people: bool = False
) -> Iterator[Example]:
    """At most `number` examples in the forms of chart_cases, and as many in those of chart_queries.txt."""
    chart = organization.chart
    if chart is None:
        return
    for fact in drawn(chart, seed=chance.randrange(10**6), number=number):
        case = fact.case
        given = linked(case.question, organization)
        expression = expression_of(fact, given)
        if expression == DOCUMENTS or _answers(expression, given, case, organization):
            question = typed(case.question, chance) if chance.random() < _TYPED else case.question
            if linked(question, organization) != given:
                question = case.question
            yield from filter(None, [example(source, question, expression, organization)])
    names, units = Names(Tree(chart)), list(chart.units.values())
    told = (
        _of_words(source, unit, names, organization, chance, people=people)
        for unit in chance.choices(units, k=4 * number)
    )
    yield from islice(filter(None, told), number)


def from_cases(source: str, cases: Iterable[Case], organization: Organization, *, chance: Random) -> Iterator[Example]:
    """Questions that people wrote, each with the first plain expression that answers it, or documents()."""
    for case in cases:
        if case.document or case.refuse:
            question = typed(case.question, chance) if chance.random() < _TYPED else case.question
            yield from filter(None, [example(source, question, DOCUMENTS, organization)])
        elif expression := _read(case, organization):
            yield from filter(None, [example(source, case.question, expression, organization)])


def expression_of(fact: Fact, given: Sequence[str]) -> str:
    """How the question of a fact is read where these units are given, "" where a unit of it is not."""
    slots = {"noun": quoted(fact.noun)}
    for name, unit in (("unit", fact.unit), ("other", fact.other)):
        if unit and unit.id in given:
            slots[name] = f"u{given.index(unit.id) + 1}"
        elif unit and _EXPRESSIONS[fact.form] != DOCUMENTS:
            return ""
    expression = _EXPRESSIONS[fact.form].format_map(slots)
    # Where a unit is given, here the organization itself, nothing is asked of the whole chart (org/query/grammar.py).
    return expression.replace("units(", "descendants(u1, ") if given else expression


def example(source: str, question: str, expression: str, organization: Organization) -> Example | None:
    """The question as the product asks the model to read it; None without a chart."""
    chart = organization.chart
    if chart is None:
        return None
    given = linked(question, organization)
    return Example(source, KIND, question, prompts.chart_query(described(given, chart), question), expression)


def linked(question: str, organization: Organization) -> tuple[str, ...]:
    """The ids of the units that the product gives for a question, u1 first."""
    if organization.finder is None:
        return ()
    found = (unit for mention in organization.finder.find(question) for unit in mention.units)
    return tuple(dict.fromkeys(found))[:UNITS]


def reply_of(expression: str, given: Sequence[str], chart: Chart, language: str = "en") -> ChartReply | None:
    """What an expression gives, in a language; None where it cannot be run."""
    try:
        return run(expression, given, chart, language=language)
    except QueryError:
        return None


def _answers(expression: str, given: Sequence[str], case: Case, organization: Organization) -> bool:
    """Whether the expression gives a right answer to the case."""
    reply = reply_of(expression, given, organization.chart) if organization.chart else None
    return reply is not None and scored(case, reply.text, organization).verdict in RIGHT


def scored(case: Case, answer: str, organization: Organization) -> Score:
    """What is thought of an answer to a case that no model gave."""
    record = AnswerRecord("", case.question, case.question, answer, "answered", ModelUsed("", "", ""))
    return score(case, record, organization.chart)


def _read(case: Case, organization: Organization) -> str:
    """The first of some plain expressions that answers a case for sure, "" where none does."""
    given = linked(case.question, organization)
    finder = organization.finder
    nouns = [quoted(mention.type) for mention in finder.find_types(case.question)] if finder else []
    units = [f"u{place}" for place in range(1, len(given) + 1)][:2]
    tried: list[str] = []
    if case.polarity:
        tried = [f"is_under({units[0]}, {units[1]})"] if len(units) == 2 else []
    elif case.count is not None:
        tried += [
            f"count({each}({unit}, {noun}))" for noun in nouns for unit in units for each in ("children", "descendants")
        ]
        tried += [f"count(units({noun}))" for noun in nouns if not units]
        tried += [f"count({each}({unit}))" for unit in units for each in ("children", "descendants")]
    elif case.units:
        tried += [f"{each}({unit}, {noun})" for noun in nouns for unit in units for each in ("children", "descendants")]
        tried += [f"units({noun})" for noun in nouns if not units]
        tried += [f"{each}({unit})" for unit in units for each in ("children", "descendants", "siblings")]
    else:
        tried += [f"common({units[0]}, {units[1]})"] if len(units) == 2 else []
        tried += [f"parent({unit}, {noun})" for noun in nouns for unit in units]
        tried += [f"{each}({unit})" for unit in units for each in ("parent", "type_of", "head", "about", "path")]
        tried += [f"parent(parent({unit}))" for unit in units]
    return next((one for one in tried if _answers(one, given, case, organization)), "")


# Questions of chart_queries.txt: each heading is an expression, each line a question for it.

_HEADING = re.compile(r"\[(.+)\]")
_SLOT = re.compile(r"\{(\w+)\}")
_WORDS = re.compile(r"[^\W\d_]{4,}")
_TWICE = re.compile(r"\b(the) the\b", re.IGNORECASE)  # the name of a unit comes with its article or without
_ASKED = frozenset(("word", "topic", "value", "title"))
"""Slots whose text an expression quotes from the question."""
_TITLES = frozenset(("title", "position", "job title", "role"))


@cache
def _phrasings(people: bool) -> Mapping[str, tuple[str, ...]]:
    """The questions by their expression: those about units, or those about people."""
    found: dict[str, tuple[str, ...]] = {}
    heading = ""
    name = "chart_people.txt" if people else "chart_queries.txt"
    for line in Path(__file__).with_name(name).read_text(encoding="utf-8").splitlines():
        if opened := _HEADING.fullmatch(line):
            heading = opened[1]
        elif line and not line.startswith("#"):
            found[heading] = (*found.get(heading, ()), line)
    return found


def _of_words(
    source: str, unit: Unit, names: Names, organization: Organization, chance: Random, *, people: bool
) -> Example | None:
    """A question of the file about a unit; None where the chart has no answer to it."""
    chart, phrasings = organization.chart, _phrasings(people)
    if chart is None:
        return None
    heading = chance.choice(list(phrasings))
    asked = chance.choice(phrasings[heading])
    # Often one above the first where a question asks for that, else any.
    above = [one for one in chart.path(unit.id) if one.parent and one is not unit] if "is_under" in heading else []
    others = above if above and chance.random() < 0.5 else [one for one in chart.units.values() if one is not unit]
    other = chance.choice(others) if others else None
    texts = {
        "unit": call(unit, names, chance, hurried=chance.random() < 0.5),
        "other": call(other, names, chance, hurried=chance.random() < 0.5) if other else "",
        **_texts(unit, chart, chance),
    }
    slots = set(_SLOT.findall(heading + asked))
    if not all(texts[name] for name in slots):
        return None
    question = _TWICE.sub(r"\1", _SLOT.sub(lambda slot: texts[slot[1]], asked))
    if chance.random() < _TYPED:
        question = typed(question, chance)
    given = linked(question, organization)
    values = {name: quoted(_as_asked(text, question) if name in _ASKED else text) for name, text in texts.items()}
    if any(values[name] == quoted("") for name in slots & _ASKED):
        return None
    for name, one in (("unit", unit), ("other", other)):
        if one and name in slots:
            if one.id not in given:
                return None
            values[name] = f"u{given.index(one.id) + 1}"
    expression = _SLOT.sub(lambda slot: values[slot[1]], heading)
    if given and expression.startswith(("top(", "units(", "count(units(")):
        return None
    if not reply_of(expression, given, chart) and expression != DOCUMENTS:
        return None
    return example(source, question, expression, organization)


def _as_asked(text: str, question: str) -> str:
    """A text as the question writes it, as an expression may quote it; "" where it is not there."""
    wanted, among = words(text.casefold()), words(question)
    for start in range(len(among) - len(wanted) + 1):
        span = among[start : start + len(wanted)]
        if [word.casefold() for word in span] == wanted and 0 < len(span) <= SPAN:
            return " ".join(span)
    return ""


def _texts(unit: Unit, chart: Chart, chance: Random) -> dict[str, str]:
    """What stands in the slots of a question beside the names of units, "" where the chart has nothing for one."""
    under = {one.type for one in chart.descendants(unit.id)} - {""}
    kinds = [noun for noun in grammar.type_nouns(chart) if under & grammar.types_of(noun, chart)[1]]
    kind = chance.choice(kinds or [""])
    cells = [(header, text) for header, text in unit.attributes if text]
    column, value = chance.choice(cells or [("", "")])
    titles = [(header, text) for header, text in cells if header.casefold() in _TITLES]
    title_column, title = titles[0] if titles else ("", "")
    return {
        "word": chance.choice(_WORDS.findall(unit.name) or [""]),
        "topic": chance.choice(_WORDS.findall(unit.description) or [""]),
        "column": column,
        "value": value,
        "title_column": title_column,
        "title": title,
        "type": unit.type,
        "kind": kind,
        "kinds": sentences.plural(kind) if kind else "",
        "up": chance.choice([one.type for one in chart.path(unit.id) if one.type and one is not unit] or [""]),
    }
