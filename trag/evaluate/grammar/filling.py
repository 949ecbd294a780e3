"""Templates x database -> questions with their truth (GRAMMAR, 4.2).

Values are drawn by a seed that gives the same ones whatever order the database answers in; the answer is what the SQL
gives, and must be one. Knows nothing about answers of the assistant.
"""

from __future__ import annotations

import hashlib
import heapq
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from store.source import Unrunnable
from trag.evaluate.cases import Case
from trag.evaluate.grammar.placeholders import filled
from trag.evaluate.grammar.templates import Ready, shortened
from trag.evaluate.grammar.values import forms, holds
from trag.progress import Progress, silent

if TYPE_CHECKING:
    from store.source import Source

SHORT, LONG = "short", "long"
FORMS = (SHORT, LONG)
"""The two textual forms; a Case has its form as its kind."""
_DRAWN = 20
"""Fillings drawn for each that is wanted: some will have no singular answer."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """One SQL query with its values, its truth, and all the texts that ask for it: a semantic group (GRAMMAR, 4.3).

    `values` are what the placeholders were filled with; `gold` has an item for each column of the answer, with the
    forms in which it may be said.
    """

    id: str
    sql: str
    values: tuple[str, ...]
    answer: str
    gold: tuple[tuple[str, ...], ...]
    short: tuple[str, ...]
    long: tuple[str, ...]


Reason = Literal["no_answer", "several", "unsayable", "given_away"]


@dataclass(frozen=True, slots=True)
class Dropped:
    """Fillings that were left out: without an answer, with several, with one that nobody says, or named in the question
    itself."""

    no_answer: int = 0
    several: int = 0
    unsayable: int = 0
    given_away: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.no_answer + self.several + self.unsayable + self.given_away


@dataclass(frozen=True, slots=True)
class Filled:
    """The meanings of all templates; what was dropped; and `problems`, the templates that the database refused."""

    meanings: tuple[Meaning, ...]
    dropped: Dropped
    problems: tuple[str, ...] = ()


def fill(
    templates: Sequence[Ready],
    source: Source,
    *,
    seed: int,
    bound: int,
    texts: int,
    progress: Progress = silent,
) -> Filled:
    """At most `bound` meanings a template, each with at most `texts` texts of either form.

    A placeholder is filled from the column it is compared with, and only with values under which the query finds a row:
    the paper's product of all values, less the combinations that would be dropped. Raises StoreError when the database
    is gone.
    """
    meanings: list[Meaning] = []
    problems: list[str] = []
    dropped: Counter[Reason] = Counter()
    for done, ready in enumerate(templates):
        progress("filling templates", done, len(templates))
        try:
            meanings += _fill(ready, source, dropped, seed, bound, texts)
        except Unrunnable as error:
            problems.append(f"template {ready.number} ({shortened(ready.template.sql)}) {error.message}")
    left_out = Dropped(*(dropped[reason] for reason in get_args(Reason)))
    return Filled(tuple(meanings), left_out, tuple(problems))


def cases(meanings: Sequence[Meaning]) -> tuple[Case, ...]:
    """A case for each text: its kind is the form of the text, its group the meaning."""
    return tuple(
        Case(
            id=f"{meaning.id}-{form}-{number}",
            question=text,
            kind=form,
            answer=meaning.answer,
            gold=meaning.gold,
            group=meaning.id,
        )
        for meaning in meanings
        for form, asked in ((SHORT, meaning.short), (LONG, meaning.long))
        for number, text in enumerate(asked, 1)
    )


def _fill(ready: Ready, source: Source, dropped: Counter[Reason], seed: int, bound: int, texts: int) -> list[Meaning]:
    """The meanings of one template; why others were left out is counted in `dropped`."""

    def order(drawn: object) -> bytes:
        return hashlib.blake2b(f"{seed} {ready.number} {drawn!r}".encode("utf-8", "replace")).digest()

    found: list[Meaning] = []
    for values in heapq.nsmallest(bound * _DRAWN, source.stream(ready.select.fillings), key=order):
        if len(found) == bound:
            break
        truth = _truth(ready, values, source)
        if isinstance(truth, str):
            dropped[truth] += 1
            continue
        said = [forms(value)[0] for value in values]
        named = {str(placeholder): words for placeholder, words in zip(ready.select.placeholders, said, strict=True)}
        short, long = (
            tuple(filled(text, named) for text in sorted(some, key=lambda text: order((values, text)))[:texts])
            for some in (ready.template.short, ready.template.long)
        )
        answer = ", ".join(item[0] for item in truth)
        id = f"{ready.number:02}-{len(found) + 1:02}"
        found.append(Meaning(id, ready.template.sql, tuple(said), answer, truth, short, long))
    return found


def _truth(ready: Ready, values: tuple[Any, ...], source: Source) -> tuple[tuple[str, ...], ...] | Reason:
    """The gold of a filling, or why it is left out: the paper wants a specific and singular answer (appendix D.1)."""
    said = [forms(value) for value in values]
    if not all(said):
        return "unsayable"
    bound = {placeholder.name: value for placeholder, value in zip(ready.select.placeholders, values, strict=True)}
    rows = source.rows(ready.select.statement, bound, most=2)
    if len(rows) > 1:
        return "several"
    if not rows or any(value is None or value == "" for value in rows[0]) or (ready.select.counts and not rows[0][0]):
        return "no_answer"
    gold = tuple(forms(value) for value in rows[0])
    if not all(gold):
        return "unsayable"
    if any(holds(words[0], form) for item in gold for form in item for words in said):
        return "given_away"
    return gold
