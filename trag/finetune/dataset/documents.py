"""Examples of answers from documents: a question over excerpts, as the product shows them, and a short answer or the
refusal.

The excerpts are lines near the question by their words, or windows around such where a line does not bear the answer
out: where the right one is shown the answer is learned, where it is left out, or only nearly answers, the refusal. What
is not sure is not learned: a wrong target does more harm than a missing one. A line by itself is one more example: the
question that it answers, as the product weighs lines by how likely they are asked it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
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
EXCERPTS = 2
"""Excerpts in a prompt, as the product shows them; now and then one more or less."""
LONGEST_ANSWER = 15
"""Words; a longer answer is right and no longer short."""
_TYPED = 0.3  # of the questions, typed otherwise than written
_MORE = _FEWER = 0.15  # of the contexts
_WINDOWS = 0.2  # of the contexts, as where no reranker finds lines
_NEAR = 6  # the excerpts nearest to a question, from which its distractors are drawn
_FIRST = 0.7  # of the contexts: the excerpt that answers comes first; else anywhere
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
        own = _own(case, passages)
        answers = _answering(case, own[0]) if own and not case.refuse else []
        shown = _shown(case, passages, own, [] if hide else answers, chance, hide=hide)
        if len(answers) == 1 and len(answers[0]) <= retrieve.WINDOW:
            asked = prompts.question(retrieve.headed(own[0], answers[0]))
            yield case, Example(f"{case.document} > {case.section}", "question", case.question, asked, case.question)
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
                beside = [
                    place for place, (of, _) in enumerate(shown) if not names_section(one, of.document, of.section)
                ]
                if beside and chance.random() < _PAIRED and (pair := _pair(one, about, chance)):
                    texts[chance.choice(beside)] = pair
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


def _shown(
    case: Case,
    passages: Sequence[Passage],
    own: Sequence[Passage],
    answers: Sequence[str],
    chance: Random,
    *,
    hide: bool,
) -> list[tuple[Passage, str]]:
    """What stands in the prompt, each with its excerpt: the section of a case, its `own` passages, unless it is hidden,
    of it the lines that are its `answers`; and what is near the question, of the same document first."""
    asked = stems(case.question)
    by_lines = chance.random() >= _WINDOWS and (hide or case.refuse or bool(answers))
    if by_lines:
        near = [
            (one, line)
            for one in passages
            for line in retrieve.lines_of(one)
            if not (one in own and (line in answers or (hide and not _is_beside(line, case))))
        ]
    else:
        near = [(one, "") for one in passages if one not in own]
    near.sort(
        key=lambda one: (
            -len(asked & _stems(f"{one[0].section} {one[1] or one[0].text}")) - (one[0].document == case.document)
        )
    )
    number = EXCERPTS + (chance.random() < _MORE) - (chance.random() < _FEWER)
    chosen = []
    if own and not hide:
        chosen.append((own[0], retrieve.stretch(own[0].text, answers) if by_lines and answers else ""))
    chosen += chance.sample(near[:_NEAR], min(len(near), _NEAR, number - len(chosen)))
    if chance.random() >= _FIRST:
        chance.shuffle(chosen)
    return [
        (one, prompts.excerpt(one.section, one.question, text or _window(one, case, is_own=one in own)))
        for one, text in chosen
    ]


def _own(case: Case, passages: Sequence[Passage]) -> list[Passage]:
    """The passages of the section of a case, the one with most of its words first."""
    wanted = stems(f"{case.question} {case.answer}")
    own = [one for one in passages if names_section(case, one.document, one.section)]
    return sorted(own, key=lambda one: -len(wanted & _stems(one.text)))


def _answering(case: Case, passage: Passage) -> list[str]:
    """The line of a passage that bears the answer out, or the two that do together; none where it takes more."""
    lines = retrieve.lines_of(passage)
    wanted = stems(f"{case.question} {case.answer}")
    ranked = sorted(lines, key=lambda line: -len(wanted & _stems(line)))
    for line in ranked:
        if _bears(retrieve.headed(passage, line), case):
            return [line]
    for one in ranked[:_NEAR]:
        for other in ranked[:_NEAR]:
            stretch = retrieve.stretch(passage.text, [one, other])
            if stretch != one and _bears(retrieve.headed(passage, stretch), case):
                return [one, other]
    return []


def _is_beside(line: str, case: Case) -> bool:
    """Whether a line of the section that answers a case surely holds none of the answer."""
    return bool(case.gold) and not case.polarity and not any(says_all(line, (item,)) for item in case.gold)


def _window(passage: Passage, case: Case, *, is_own: bool) -> str:
    """A stretch of a passage around the lines nearest to the answer where they are in, else to the question."""
    near = stems(f"{case.question} {case.answer}" if is_own else case.question)
    lines = retrieve.lines_of(passage)
    return retrieve.window(passage.text, lines, [float(len(near & _stems(line))) for line in lines])


@lru_cache(maxsize=50_000)
def _stems(text: str) -> frozenset[str]:
    return stems(text)


def _answer(case: Case, shown: Sequence[tuple[Passage, str]]) -> str:
    """What is right to say over these excerpts, "" where that is not sure."""
    if case.refuse:
        return NOT_FOUND if shown else ""
    own = [text for one, text in shown if names_section(case, one.document, one.section)]
    texts = [text for _, text in shown]
    if any(_bears(text, case) for text in texts) or _bears("\n".join(texts), case):
        return short(case) if own else ""
    nearest = max((_share(text, case.question, case.answer) for text in texts), default=0.0)
    return NOT_FOUND if shown and nearest < _ABSENT and all(_is_beside(text, case) for text in own) else ""


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
