"""Sections -> question-answer pairs by rules over headings and sentences, where no model is able to write them.

The paper lets a model write the pairs (T-RAG, section 5.1); the embedded one is too weak, and no trained parser can be
had offline. An answer is always what the section says, word for word. Fast, and the same every time. English only:
another language gives no pairs. Knows nothing about models, files or indexes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from trag.ingest.alike import distinct
from trag.pairs.amounts import SPAN
from trag.pairs.asked import Asked
from trag.pairs.clauses import MARK, Clause, clauses, objects
from trag.pairs.english import BASE_OF_PARTICIPLE, BE, is_body, is_english, is_foreign, is_plural, is_somebody
from trag.pairs.headings import Topic, of_heading, topic
from trag.pairs.lists import of_list
from trag.pairs.made import Made
from trag.pairs.questions import questions
from trag.pairs.tables import of_rows, rows
from trag.words import sentences, stems

if TYPE_CHECKING:
    from trag.ingest.sections import Section

LONGEST = 600
"""Characters of an answer, except of a list, which is given whole or not at all."""
LONGEST_LIST = 1_000
SHORTEST = 12

_LABEL = re.compile(r"([A-Z][\w'’/, -]{2,50}): (?=\S+ \S+)")
_OF_THINGS = re.compile(
    r"(?:\w+ to )?(?:be|been)\b|take (?:effect|place)\b|"
    r"(?:apply|become|begin|come|contain|cost|count|cover|end|expire|fall|include|lapse|last|need|remain|run|show|start|"
    r"state)\b"
)
"""What is said of things as well as of somebody."""
_BARE = re.compile(r"the (?:team|unit|office|department|group|desk|service|body|person|division|section)", re.I)
"""Somebody who is nobody without the sentences before."""
_NO_LABEL = re.compile(
    r"(?:two|three|four|five|six|seven|eight|nine|ten|twelve|note|what|how|when|who|between|user|assistant)\b|.*\d",
    re.I,
)


@dataclass(frozen=True, slots=True)
class _Found:
    """A question of one section before it stands by itself, and the stretch that answers it."""

    asked: Asked
    answer: str
    alone: bool = False
    """Whether the question says already what it is about."""
    subject: str = ""
    """Whom or what the sentence is about."""
    label: str = ""
    """What the paragraph begins with: "Rejected: "."""


def by_rules(sections: Sequence[Section]) -> tuple[Made, ...]:
    """The pairs of a document's sections, in their order, without near-duplicates; none where it is not English."""
    text = "\n".join(section.text for section in sections)
    english = is_english(text)
    names = _names(text)
    # Text above the first subheading, or of a section that runs over several pages, is not all that a heading covers.
    times = Counter(above for section in sections for above in _paths(section.path))
    made = (
        pair
        for number, section in enumerate(sections)
        if is_english(section.text) or (english and not is_foreign(section.text))
        for pair in _of_section(section, names, whole=times[section.path] == 1 and (number > 0 or ">" in section.path))
    )
    return distinct(tuple(made))


def _of_section(section: Section, names: frozenset[str], *, whole: bool) -> Iterator[Made]:
    about = topic(section.path, names)
    found: list[_Found] = []
    if whole:
        found += (_Found(asked, answer, alone=True) for asked, answer in of_heading(about, section.text, LONGEST))
    for block in _blocks(section.text):
        found += _of_block(block, about, names)
    for each in found:
        question = each.asked.question if each.alone else _standing(each, about)
        if question and len(each.answer) >= SHORTEST:
            opening = f"{each.asked.opening}. " if each.asked.opening else ""
            answer = opening + each.answer[0].upper() + each.answer[1:]
            yield Made(question, answer, each.asked.type, section.path, section.page, each.answer, "rule", True)


def _of_block(block: str, about: Topic, names: frozenset[str]) -> Iterator[_Found]:
    """A paragraph, a list with its lead-in, or the rows of a table."""
    lines = [line for line in block.split("\n") if line.strip()]
    if table := rows(lines):
        yield from (_Found(asked, line, alone=True) for asked, line in of_rows(table))
        lines = lines[: len(lines) - len(table)]
    if not lines:
        return
    first, *items = lines
    if not items or (re.search(r"[.!?]['\"”’)]?$", first) and not first.endswith(":")):
        for line in lines:
            yield from _of_text(MARK.sub("", line).strip(), about, names)
        return
    whole = "\n".join(lines)
    if len(whole) <= LONGEST_LIST and (question := of_list(first, "\n".join(items), names)):
        yield _Found(Asked(question, "list"), whole)
    yield from _of_text(" ".join(sentences(first)[:-1]), about, names)
    for line in items:
        text = MARK.sub("", line).strip()
        if text[:1].isupper():  # else it is only the end of the sentence that leads in
            yield from _of_text(text, about, names)


def _of_text(text: str, about: Topic, names: frozenset[str]) -> Iterator[_Found]:
    """The questions that the sentences of one paragraph or item answer."""
    label = _label(text, names)
    if label and len(text) <= LONGEST and (about.words or about.defines):
        yield _Found(_asked_by_label(label, about), text, alone=True)
    subject, before, previous = about.body, "", ""
    found: Sequence[Clause] = ()
    for sentence in sentences(text):
        last, previous, told = previous, sentence, found
        found = ()
        if sentence.endswith(("?", ":")) or len(sentence) > LONGEST:
            subject, before = "", ""
            continue
        found = clauses(sentence.removeprefix(f"{label}: ") if label else sentence, names)
        if not found:
            subject, before = "", ""
        for clause in found:
            answer = sentence
            if re.match(r"(?:it|they)$", clause.subject):
                if not subject or not _is_meant(clause, subject, told):
                    continue
                clause = replace(clause, subject=subject)
                answer = f"{before} {sentence}".strip() if before else sentence
            elif is_somebody(clause.subject):
                clause = replace(clause, subject=_named(clause.subject, about, subject))
                if clause.subject == subject and before not in ("", sentence):
                    answer = f"{before} {sentence}"
                else:
                    subject, before = clause.subject, sentence
            else:
                subject, before = "", ""
            if re.match(r"(?:its|their|his|her)\b", sentence, re.I):
                answer = f"{last} {sentence}".strip()
            for asked in questions(clause):
                if asked.question.startswith("Who") and _BARE.fullmatch(clause.subject):
                    continue
                yield _Found(asked, answer, subject=clause.subject, label=label)


def _is_meant(clause: Clause, subject: str, told: Sequence[Clause]) -> bool:
    """Whether the "it" or "they" of `clause` is `subject`, and no thing that the clauses `told` before it name.

    "The council adopts the budget. It is published in May": the budget.
    """
    plural = clause.subject == "they"
    if is_plural(subject) != plural or not (plural or is_body(subject)):
        return False
    if clause.auxiliary not in BE and not _OF_THINGS.match(clause.rest):
        return True
    things = [thing for each in told for thing in objects(each) if not re.match(SPAN, thing)]
    if plural:
        return not any(is_plural(thing) for thing in things)
    return not any(
        re.match(r"(?:an?|the|its|one)\b", thing) and not is_plural(re.split(r" (?:and|or) ", thing)[0])
        for thing in things
    )


def _named(subject: str, about: Topic, known: str) -> str:
    """`subject` by its full name, where it says "the unit" of the one that the section or the sentence before names."""
    bare = re.fullmatch(r"the (\w+)", subject)
    return known if bare and known.lower().endswith(f" {bare[1].lower()}") else about.named(subject)


def _label(text: str, names: frozenset[str]) -> str:
    """What a paragraph or item is about, where it says so first: "Moving house: one day, once in three years."."""
    match = _LABEL.match(text)
    if not match or len(match[1].split()) > 7 or _NO_LABEL.match(match[1]) or clauses(f"{match[1]} indeed", names):
        return ""
    return match[1]


def _asked_by_label(label: str, about: Topic) -> Asked:
    first = label.split()[0].lower()
    small = label if re.search(r"[A-Z]", label[1:]) else label[0].lower() + label[1:]
    if about.defines:
        return Asked(f"What does {label} mean?", "definition")
    if first in BASE_OF_PARTICIPLE:
        return Asked(f"{about.words}: what does {small} mean?", "definition")
    before = re.match(r"(?:after|before|for|in|on|at|during|with|without|under)$", first)
    return Asked(f"{about.words}: what applies {'' if before else 'to '}{small}?")


def _standing(found: _Found, about: Topic) -> str:
    """The question so that it can stand without its heading, which is named before it where they share no word.

    "" where the heading is a question itself and this one a side remark to it.
    """
    question = found.asked.question
    held = stems(question)
    if re.fullmatch(r"the \w+", found.subject) and stems(found.subject) != stems(about.words):
        held -= stems(found.subject)  # "the office" does not say which
    if about.heading.endswith("?"):
        return question if held & stems(about.heading) else ""
    topic = about.words
    if about.body and not stems(about.body) & held:
        topic = about.body.removeprefix("the ")
    if about.body and about.of_body:
        topic = about.body.removeprefix("the ")
    named = stems(topic)
    if not topic or named & held or (question.startswith("Who") and named & stems(found.subject)):
        topic = ""
    if found.label and not stems(found.label) & held:
        topic = (
            f"{topic or about.words}, {found.label[0].lower()}{found.label[1:]}"
            if topic or about.words
            else found.label
        )
    if not topic:
        return question
    return f"{topic}: {question if question.split()[0] == 'I' else question[0].lower() + question[1:]}"


def _blocks(text: str) -> list[str]:
    """The paragraphs, each list together with the line that leads it in."""
    blocks: list[str] = []
    for block in text.split("\n\n"):
        if (
            blocks
            and MARK.match(block)
            and not re.search(r"[.!?)\]]['\"”’]?$", blocks[-1])
            and not MARK.match(blocks[-1])
        ):
            blocks[-1] += f"\n{block}"
        else:
            blocks.append(block)
    return blocks


def _paths(path: str) -> list[str]:
    """A path and those above it."""
    parts = path.split(" > ")
    return [" > ".join(parts[:end]) for end in range(1, len(parts) + 1)]


def _names(text: str) -> frozenset[str]:
    """The words that are names by themselves: written large within a sentence, and not part of a longer name."""
    words = text.split()
    return frozenset(
        word.strip(".,;:()\"'“”’")
        for before, word, after in zip(words, words[1:], words[2:], strict=False)
        if word[0].isupper() and re.fullmatch(r"[a-z]+,?", before) and not re.match(r"[A-Z\d]", after)
    )
