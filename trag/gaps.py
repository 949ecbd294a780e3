"""What people asked for and no document says, by topic; who asked is not told.

refused questions, open questions of briefings -> gaps -> vectors of the encoder -> topics, each called by its middle
"""

from __future__ import annotations

import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING

import numpy as np

from org.language import in_all
from prompts import CANNOT_ANSWER
from trag.brief.record import BriefRecord
from trag.record import AnswerRecord, Source

if TYPE_CHECKING:
    from org.chart import Chart
    from store.records import Records
    from store.use import Unanswered

LOOKED_AT = 500
"""Refusals and briefings that are looked at, the newest ones."""
MOST = 300
"""Questions that are grouped, those that were asked last: merging takes 0.2 s for as many, embedding 3 s once."""
NEAR = 0.45
"""Mean cosine similarity between the questions of two groups from which they are one topic: of the pairs that are put
together so, 60% are answered by one section, and 46% of all such pairs are found (docs/RESULTS.md)."""
CROWD = 3
"""Accounts that a unit has at least, with all below it, to be told as that of an asker: fewer would be as good as a
name."""


@dataclass(frozen=True, slots=True)
class Asking:
    """That a question was asked: when, from which unit ("" where none may be told), and the passage that the search
    found nearest, None where none was kept."""

    at: datetime
    unit: str
    nearest: Source | None


@dataclass(frozen=True, slots=True)
class Gap:
    """A question that no document answers, as it was understood, the subject of the briefing that it is open in, ""
    for a question that was asked, and how often it came up."""

    question: str
    subject: str
    askings: tuple[Asking, ...]

    @property
    def last(self) -> datetime:
        return max(each.at for each in self.askings)


@dataclass(frozen=True, slots=True)
class Topic:
    """Gaps that lie near to each other, the most frequent first, under the question in their middle."""

    name: str
    gaps: tuple[Gap, ...]

    @property
    def askings(self) -> tuple[Asking, ...]:
        return tuple(each for gap in self.gaps for each in gap.askings)

    @property
    def units(self) -> tuple[tuple[str, int], ...]:
        """The units of the askers and how often each asked, the most first."""
        return tuple(Counter(each.unit for each in self.askings).most_common())

    @property
    def nearest(self) -> Source | None:
        """The passage nearest to any of the questions, of the document that is nearest to all of them."""
        found = [each.nearest for each in self.askings if each.nearest]
        weights = defaultdict[str, float](float)
        for one in found:
            weights[one.document] += one.score
        document = max(weights, key=lambda name: weights[name], default="")
        return max((one for one in found if one.document == document), key=lambda one: one.score, default=None)


def gaps(records: Records, since: date, chart: Chart | None) -> tuple[Gap, ...]:
    """Open questions of briefings, and questions that were refused, from a Monday on: the most frequent first, then the
    latest; of what was looked at (LOOKED_AT) at most MOST."""
    crowds = _crowds(records.use.accounts(), chart)
    found: dict[str, Gap] = {}
    for one in records.use.unanswered(since, LOOKED_AT):
        for question, subject, nearest in _open(one):
            known = found.get(question.casefold(), Gap(question, subject, ()))
            asking = Asking(one.at, crowds.get(one.unit, ""), nearest)
            found[question.casefold()] = Gap(known.question, known.subject, (*known.askings, asking))
    newest = list(found.values())[:MOST]
    return tuple(sorted(newest, key=lambda gap: (-len(gap.askings), -gap.last.timestamp())))


def _open(one: Unanswered) -> list[tuple[str, str, Source | None]]:
    """The questions without an answer, each with the subject of its briefing and the nearest passage."""
    if one.kind == "brief":
        brief = BriefRecord.from_json(one.record_json)
        return [(question.text, brief.subject, None) for question in brief.open]
    answer = AnswerRecord.from_json(one.record_json)
    if answer.answer not in in_all(CANNOT_ANSWER) or answer.interrupted:
        return []
    passages = (source for source in answer.sources if source.kind in ("qa", "section"))
    return [(answer.standalone, "", max(passages, key=lambda source: source.score, default=None))]


def _crowds(accounts: Mapping[str, int], chart: Chart | None) -> dict[str, str]:
    """For each unit with accounts the one that is told: itself, or the first above it that has CROWD, with all below
    it."""
    if chart is None:
        return {}
    paths = {unit: [each.id for each in chart.path(unit)] for unit in accounts if unit in chart.units}
    within = Counter[str]()
    for unit, path in paths.items():
        within.update(dict.fromkeys(path, accounts[unit]))
    return {unit: next((id for id in reversed(path) if within[id] >= CROWD), "") for unit, path in paths.items()}


class QuestionVectors:
    """The vectors of the questions that were asked for last, each embedded once."""

    def __init__(self, embed: Callable[[Sequence[str]], np.ndarray]) -> None:
        """`embed` gives vectors (n, d) of unit length."""
        self._embed = embed
        self._known: dict[str, np.ndarray] = {}
        self._lock = threading.Lock()

    def of(self, questions: Sequence[str]) -> np.ndarray:
        """The vectors (n, d) of questions; all others are forgotten."""
        with self._lock:
            unknown = [each for each in dict.fromkeys(questions) if each not in self._known]
            new = dict(zip(unknown, self._embed(unknown), strict=True)) if unknown else {}
            self._known = {each: new[each] if each in new else self._known[each] for each in questions}
            return np.stack([self._known[each] for each in questions])


def by_topic(found: Sequence[Gap], vectors: QuestionVectors) -> tuple[Topic, ...]:
    """The gaps in topics, the one that was asked for most first."""
    if not found:
        return ()
    near = vectors.of([gap.question for gap in found])
    topics = []
    for members in grouped(near @ near.T):
        middle = max(members, key=lambda at: float(near[at] @ near[members].sum(axis=0)))
        topics.append(Topic(found[middle].question, tuple(found[at] for at in sorted(members))))
    return tuple(sorted(topics, key=lambda topic: -len(topic.askings)))


def grouped(likeness: np.ndarray, near: float = NEAR) -> list[list[int]]:
    """The places 0 to n - 1 in groups, merged two by two, the likest first, as long as the mean `likeness` (n, n)
    between the members of two is `near` (average linkage)."""
    groups = [[at] for at in range(len(likeness))]
    sums, sizes = likeness.astype(float), np.ones(len(likeness))
    np.fill_diagonal(sums, -np.inf)
    while len(groups) > 1:
        means = sums / np.outer(sizes, sizes)
        one, other = sorted(divmod(int(means.argmax()), len(groups)))
        if means[one, other] < near:
            break
        groups[one] += groups.pop(other)
        sums[one] += sums[other]
        sums[:, one] += sums[:, other]
        sums[one, one] = -np.inf
        sizes[one] += sizes[other]
        sums, sizes = np.delete(np.delete(sums, other, 0), other, 1), np.delete(sizes, other)
    return groups
