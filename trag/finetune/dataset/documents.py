"""Examples of answers from documents: a question over excerpts, as the product shows them, and a short answer or the
refusal.

The excerpts are windows, wider than the lines that the product shows, of sections near the question by their words:
where the right one is shown the answer is learned, where it is left out, or the section only nearly answers, the
refusal. What is not sure is not learned: a wrong target does more harm than a missing one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import prompts
from org.linking.entities import Organization
from org.query.sentences import placement
from prompts import NO_QUESTION, NOT_FOUND
from store.passage import Passage
from trag import retrieve
from trag.evaluate.cases import Case, names_section
from trag.evaluate.scoring.wording import says_all
from trag.finetune.dataset.examples import Example
from trag.finetune.dataset.typos import typed
from trag.lexical import numbers, stems

_WRITTEN = Path(__file__).with_name("written.jsonl")
_NO_QUESTIONS = Path(__file__).with_name("no_question.txt")
_ENDS = re.compile(r": (?:yes|no)\.$")
REFUSED = 0.2
"""Share of the examples to refuse: more teach to refuse before they teach to read."""
EXCERPTS = 3
"""Excerpts in a prompt, as the product shows them; now and then one less."""
LONGEST_ANSWER = 15
"""Words; a longer answer is right and no longer short."""
_TYPED = 0.3  # of the questions, typed otherwise than written
_FEWER = 0.15  # of the contexts
_NEAR = 6  # the sections nearest to a question, from which its distractors are drawn
_FIRST = 0.5  # of the contexts: the section that answers comes first; else anywhere
_TELLING = 0.6  # share of an answer's words that an excerpt without gold must hold to bear it out
_PLACED = 3  # units of a question whose place is told, as trag.ask has it
_ABSENT = 0.4  # share from which nobody can say that it does not
_PAIRED = 0.3  # of the contexts: one excerpt is a question-answer pair on something else
_BOTH = 0.12  # of the questions ask for two things of one section
_JOINED = (" and ", ", and ", "? and ", "; also: ")
_POLARITY = re.compile(r"(yes|no)\b[,.:;]?\s*(.*)", re.IGNORECASE | re.DOTALL)


def examples(
    cases: Sequence[Case],
    passages: Sequence[Passage],
    organization: Organization,
    *,
    chance: Random,
    refused: float = REFUSED,
) -> Iterator[tuple[Case, Example]]:
    """Each case, of those about documents, over excerpts of the `passages`, sometimes with another over the same ones:
    a share of `refused` of the examples to refuse. The source of an example is its case's section."""
    about = [case for case in cases if case.document and (case.refuse or len(case.answer.split()) <= LONGEST_ANSWER)]
    given = refusals = 0
    for case in chance.sample(about, len(about)):
        hide = not case.refuse and refusals < refused * given
        if case.refuse and refusals > refused * (given + 1):
            continue
        shown = _shown(case, passages, chance, hide=hide)
        others = [
            one for one in about if one is not case and (one.document, one.section) == (case.document, case.section)
        ]
        for one in (case, *chance.sample(others, min(1, len(others)))):
            answer = _answer(one, shown)
            if answer == NOT_FOUND and one is not case:
                continue
            if answer:
                question = typed(one.question, chance) if chance.random() < _TYPED else one.question
                texts = [text for _, text in shown]
                if chance.random() < _PAIRED and (pair := _pair(one, about, chance)):
                    texts[chance.randrange(len(texts))] = pair
                    if not (one.refuse or answer == NOT_FOUND or _bears("\n".join(texts), one)):
                        continue
                messages = prompts.document(question, texts, places(question, organization))
                kind = "unanswerable" if one.refuse else "absent" if answer == NOT_FOUND else "document"
                yield one, Example(f"{one.document} > {one.section}", kind, question, messages, answer)
                given += 1
                refusals += answer == NOT_FOUND
        if chance.random() < _BOTH and others and (both := _both(case, chance.choice(others), shown, chance)):
            question, answer = both
            texts = [text for _, text in shown]
            messages = prompts.document(question, texts, places(question, organization))
            yield case, Example(f"{case.document} > {case.section}", "two parts", question, messages, answer)
            given += 1


def _pair(case: Case, about: Sequence[Case], chance: Random) -> str:
    """A pair on something else of the same document, as an excerpt; "" where its answer could be taken for the one."""
    others = [one for one in about if one.document == case.document and one.section != case.section and one.answer]
    if not others:
        return ""
    other = chance.choice(others)
    return "" if case.answer and _bears(other.answer, case) else prompts.excerpt("", other.question, other.answer)


def _both(case: Case, other: Case, shown: Sequence[tuple[Passage, str]], chance: Random) -> tuple[str, str] | None:
    """Two questions on one section as one, with both answers; None where they are not there, or no longer short."""
    answers = [_answer(one, shown) for one in (case, other)]
    if NOT_FOUND in answers or not all(answers) or case.polarity or other.polarity:
        return None
    first, second = (answer.rstrip(". ") for answer in answers)
    answer = f"{first}; {second}."
    if len(answer.split()) > LONGEST_ANSWER or first.casefold() == second.casefold():
        return None
    question = f"{case.question.rstrip('?. ')}{chance.choice(_JOINED)}{other.question[0].lower()}{other.question[1:]}"
    return question, answer


def written(chance: Random) -> Iterator[Example]:
    """Examples that somebody wrote: comparisons before a yes or no, values that stand near each other, two facts at
    once. The excerpts come in any order; every tenth is of one source."""
    for number, line in enumerate(_WRITTEN.read_text(encoding="utf-8").splitlines()):
        one = json.loads(line)
        texts = chance.sample(one["excerpts"], len(one["excerpts"]))
        kind = "absent" if one["answer"] == NOT_FOUND else "comparison" if _ENDS.search(one["answer"]) else "document"
        messages = prompts.document(one["question"], texts)
        yield Example(f"written {number % 10}", kind, one["question"], messages, one["answer"])


def no_questions(source: str, passages: Sequence[Passage], *, chance: Random, number: int) -> Iterator[Example]:
    """What is no question about the organization, over excerpts that were found all the same."""
    lines = _NO_QUESTIONS.read_text(encoding="utf-8").splitlines()
    for text in chance.sample(lines, min(number, len(lines))):
        shown = chance.sample(passages, min(len(passages), EXCERPTS))
        texts = [prompts.excerpt(one.section, one.question, one.text[: retrieve.WINDOW]) for one in shown]
        yield Example(source, "no question", text, prompts.document(text, texts), NO_QUESTION)


def places(question: str, organization: Organization) -> list[str]:
    """Where the units of the question sit, as the product tells beside the excerpts."""
    chart, finder = organization.chart, organization.finder
    if chart is None or finder is None:
        return []
    units = [mention.units[0] for mention in finder.find(question) if len(mention.units) == 1]
    told = [unit for unit in dict.fromkeys(units) if unit != chart.root.id][:_PLACED]
    return [placement(unit, chart).text for unit in told]


def short(case: Case) -> str:
    """The answer of a case as the product gives it: where it is yes or no, the reason first."""
    found = _POLARITY.fullmatch(case.answer.strip()) if case.polarity else None
    if not found or not found[2]:
        return case.answer
    reason = found[2].strip().rstrip(".")
    return f"{reason[0].upper()}{reason[1:]}: {found[1].lower()}."


def _shown(case: Case, passages: Sequence[Passage], chance: Random, *, hide: bool) -> list[tuple[Passage, str]]:
    """What stands in the prompt, each with its excerpt: the section of the case, unless it is hidden, and others near
    the question, of the same document first."""
    own = [one for one in passages if names_section(case, one.document, one.section)]
    wanted = stems(f"{case.question} {case.answer}")
    own.sort(key=lambda one: -len(wanted & stems(one.text)))
    asked = stems(case.question)
    rest = sorted(
        (one for one in passages if one not in own),
        key=lambda one: -len(asked & stems(f"{one.section} {one.text}")) - (one.document == case.document),
    )[:_NEAR]
    number = EXCERPTS - (chance.random() < _FEWER)
    kept = [] if hide else own[:1]
    chosen = kept + chance.sample(rest, min(len(rest), number - len(kept)))
    if chance.random() >= _FIRST:
        chance.shuffle(chosen)
    shown = []
    for one in chosen:
        near = (
            wanted if one in own else asked
        )  # the lines nearest to the answer where they are in, else to the question
        lines = retrieve.lines_of(one)
        text = retrieve.window(one.text, lines, [float(len(near & stems(line))) for line in lines])
        shown.append((one, prompts.excerpt(one.section, one.question, text)))
    return shown


def _answer(case: Case, shown: Sequence[tuple[Passage, str]]) -> str:
    """What is right to say over these excerpts, "" where that is not sure."""
    has_own = any(names_section(case, one.document, one.section) for one, _ in shown)
    if case.refuse:
        return NOT_FOUND if has_own or shown else ""
    texts = [text for _, text in shown]
    if any(_bears(text, case) for text in texts) or _bears("\n".join(texts), case):
        return short(case) if has_own else ""
    is_absent = not has_own and max((_share(text, case.question, case.answer) for text in texts), default=0.0) < _ABSENT
    return NOT_FOUND if is_absent and shown else ""


def _bears(text: str, case: Case) -> bool:
    """Whether a text holds the answer to a case: its gold, or where it has none, enough of its words."""
    if case.gold and not case.polarity:
        return says_all(text, case.gold)
    return bears(text, case.question, case.answer)


def bears(text: str, question: str, answer: str) -> bool:
    """Whether a text holds most words of an answer, and all its numbers that the question has not."""
    return _share(text, question, answer) >= _TELLING and numbers(answer) <= numbers(f"{text} {question}")


def _share(text: str, question: str, answer: str) -> float:
    wanted = stems(_POLARITY.sub(r"\2", answer)) - stems(question) or stems(answer)
    return len(wanted & stems(text)) / max(1, len(wanted))
