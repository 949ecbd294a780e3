"""The one or two sentences of the sources that answer best, to stand in for a model that found nothing.

Knows nothing about models or prompts; vectors come from whoever calls.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from math import log
from typing import TYPE_CHECKING, TypeAlias

from store.passage import Passage
from trag import rows
from trag.words import numbers, sentences, stems

if TYPE_CHECKING:
    import numpy as np

LONGEST = 500
"""Characters a quotation may have at most, unless its one sentence is longer."""
SURE = 0.75
"""Nearness of a quotation, in [0, 1], from which it is taken for an answer where nobody weighed it. The best words on
questions that nothing answers reach 0.74."""
SURE_ODDS = 1.0
"""Log-odds from which it is taken for an answer, and below minus which for none. On two organizations with long
manuals, where the model had refused: with odds between 1 and 2 the words answered 11 questions rightly, 2 wrongly, and
1 that nothing answers; between -1 and 1 they would have answered 5, 7 and 6."""
SURE_OF_ANOTHER = 3.0
"""Log-odds from which a passage may answer that names none of the units the question is about. On four organizations
two such passages answered with odds above 4, and one that answered nothing had odds of 1.6."""
SHORT = 300
"""Characters that the answer of a pair may have and be quoted whole."""
BOTH = 0.8
"""Share of the best sentence's score from which the second best is quoted beside it."""

_ODDS = 0.1  # what the log-odds of a text count beside its nearness
# What the mean log-likelihood of the question counts beside them, and for how many texts it is asked, at 0.13 s each on
# 2 cores: the best, as far as they score little less than the first. Of nine organizations' 315 questions the best text
# answers 187 without it and 211 with it.
_LIKELIHOOD = 0.5
_READ_AGAIN, _LITTLE_LESS = 5, 0.25

_LEANS_BACK = re.compile(
    r"^(?:it|they|this|these|those|he|she|such|its|their|in this case|in that case|however|otherwise)\b", re.I
)
_BULLET = re.compile(r"^[-*•·–]\s+")
_ITEM = re.compile(r"^(?:[-*•·–]|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)])\s+", re.I)
_BREAKS_OFF = re.compile(
    r"(?::|\b(?:an?|and|are|as|at|between|by|for|from|has|have|in|into|is|least|most|of|on|or|over|per|than|that|the|"
    r"to|under|with|within))$",
    re.I,
)
_ENDS = re.compile(r"[.!?][)\]\"'”’]*$")
# An amount may be in any currency, so that any figure may be one.
_MONEY = re.compile(
    r"\d|\b(?:hundred|thousand|million|euros?|dollars?|pounds?|free|fees?|charges?|charged|paid|per cent)\b", re.I
)
_TIME = re.compile(
    r"\b(?:minutes?|hours?|days?|weeks?|months?|years?|quarters?|daily|weekly|monthly|quarterly|yearly|annual(?:ly)?|"
    r"once|twice|immediately|at once|noon|midnight|january|february|march|april|may|june|july|august|september|october|"
    r"november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|never|always|before|after|until|when)\b|"
    r"\d{1,2}:\d\d|\b(?:19|20)\d\d\b",
    re.I,
)
_TELEPHONE = re.compile(r"\d(?:[ ()/.-]{0,3}\d){2}|\bext(?:ension)?\.? ?\d+", re.I)
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_QUANTITY = re.compile(r"\d|\b(?:no|none|any|every|all|both|half|third|quarter|one|two|single|unlimited)\b", re.I)
# What kind of thing a question asks for, and how a text shows that it holds one.
_KINDS = (
    (
        re.compile(r"\b(?:phone|telephone|extension)\b.*\bnumber\b|\bnumber\b.*\bto (?:call|ring)\b", re.I),
        _TELEPHONE.search,
    ),
    (re.compile(r"\be-?mail address\b", re.I), re.compile("@").search),
    (
        re.compile(r"\b(?:how much (?:is|does|do|will|would|money)|costs?|price|salary|fee for)\b", re.I),
        lambda text: _MONEY.search(text) or numbers(text),
    ),
    (
        re.compile(r"\b(?:how (?:long|often|soon|quick\w*)|deadline|what (?:date|day|time)|hours of)\b", re.I),
        lambda text: _TIME.search(text) or numbers(text),  # a statement may be 500 words long
    ),
    (re.compile(r"\bhow many\b", re.I), lambda text: _QUANTITY.search(text) or numbers(text)),
)
# The same, where a text may answer without one.
_LIKELY = (
    (re.compile(r"\b(?:when|how (?:long|often|soon|quick\w*))\b", re.I), _TIME.search),
    (re.compile(r"\bhow (?:large|big|high|far|old)\b|\b(?:limit|maximum|minimum|max|quorum)\b", re.I), numbers),
)


@dataclass(frozen=True, slots=True)
class Quoted:
    """Words of a source as they stand there, how near they are to the question, in [0, 1], and the log-odds that they
    answer it, None where nobody weighed them."""

    text: str
    source: str
    score: float
    odds: float | None = None

    @property
    def is_sure(self) -> bool:
        """Whether it answers so surely that the words of a model that found nothing count less."""
        return self.score >= SURE if self.odds is None else self.odds >= SURE_ODDS

    @property
    def is_doubtful(self) -> bool:
        """Whether it surely does not answer."""
        return self.odds is not None and self.odds <= -SURE_ODDS


@dataclass(frozen=True, slots=True)
class Text:
    """A sentence or two with the heading it stands under: the question of a pair, or the end of a section's path."""

    heading: str
    words: str

    @property
    def whole(self) -> str:
        """The text as it is read."""
        return f"{self.heading}: {self.words}" if self.heading else self.words


Weigh: TypeAlias = "Callable[[str, Sequence[Text]], np.ndarray]"
"""Gives the log-odds (n,) that texts answer a question, or how likely the question is after them."""


def once(weigh: Weigh) -> Weigh:
    """The same as `weigh`, for one question: a text that comes again is not read again."""
    known: dict[Text, float] = {}

    def remembered(question: str, texts: Sequence[Text]) -> np.ndarray:
        import numpy as np

        unread = [text for text in dict.fromkeys(texts) if text not in known]
        known.update(zip(unread, weigh(question, unread), strict=True))
        return np.array([known[text] for text in texts])

    return remembered


def best(
    question: str,
    passages: Sequence[Passage],
    embed: Callable[[Sequence[str]], np.ndarray],
    vector: np.ndarray,
    weigh: Weigh | None = None,
    *,
    likely: Weigh | None = None,
    stands: Callable[[str], bool] = bool,
) -> tuple[Quoted, ...]:
    """At most two texts of `passages` that answer `question` best, the best first; none where none fits.

    `vector` (d,) is the question's; `embed` gives vectors (n, d) of unit length; `weigh` gives the log-odds (n,) that
    texts answer, and `likely` the mean log-likelihood (n,) of the question after them; `stands` says whether a text may
    be given as an answer at all. The score of a text is its nearness plus a little for its odds and for how likely it
    makes the question. Two are better than one: the answer is often in the second.
    """
    candidates = [(passage, text) for passage in passages for text in texts(passage)]
    if not candidates:
        return ()
    near = _nearness(question, candidates, embed, vector)
    weighed = [float(one) for one in weigh(question, [text for _, text in candidates])] if weigh else []
    scored = []
    for place, (passage, text) in enumerate(candidates):
        odds = weighed[place] if weigh else None
        score = float(near[place]) + _ODDS * (odds or 0.0)
        if holds(question, text.words) and not is_of_another_year(question, text.words):
            scored.append((text, Quoted(text.words, passage.id, score, odds)))
    scored.sort(key=lambda one: -one[1].score)
    if likely and scored:
        scored = _by_likelihood(question, scored, likely)
    chosen: list[Quoted] = []
    for _, one in scored:
        if chosen and (one.score < BOTH * chosen[0].score or len(chosen[0].text) + len(one.text) > LONGEST):
            break
        if stands(one.text) and not any(one.text in quoted.text or quoted.text in one.text for quoted in chosen):
            chosen.append(one)
        if len(chosen) == 2:
            break
    return tuple(replace(one, score=max(0.0, min(one.score, 1.0))) for one in chosen)


def _by_likelihood(question: str, scored: Sequence[tuple[Text, Quoted]], likely: Weigh) -> list[tuple[Text, Quoted]]:
    """The texts, which come best first, in the order that the likelihood of the question gives them: each loses by how
    much less likely it makes the question than the one that makes it likeliest, and one that is not read again as much
    as the worst that is."""
    distinct: dict[Text, Quoted] = {}
    for text, one in scored:
        distinct.setdefault(text, one)
    close = [text for text, one in distinct.items() if one.score >= scored[0][1].score - _LITTLE_LESS][:_READ_AGAIN]
    if len(close) < 2:
        return list(distinct.items())
    weights = likely(question, close)
    lost = dict(zip(close, _LIKELIHOOD * (weights.max() - weights), strict=True))
    most = max(lost.values())
    told = [(text, replace(one, score=one.score - float(lost.get(text, most)))) for text, one in distinct.items()]
    return sorted(told, key=lambda one: (one[0] not in lost, -one[1].score))


def _nearness(
    question: str,
    candidates: Sequence[tuple[Passage, Text]],
    embed: Callable[[Sequence[str]], np.ndarray],
    vector: np.ndarray,
) -> np.ndarray:
    """How near each text with its passage is to `question`, (n,): the mean of its cosine, its passage's, and the share
    of the question's content words that it holds, the rare ones counting most, plus a little where it holds the kind of
    thing that is asked for."""
    import numpy as np

    read = [text for _, text in candidates]
    held = [stems(text.whole) for text in read]
    wanted = stems(question)
    common = Counter(word for words in held for word in words & wanted)
    weights = {word: log(1 + len(read) / (1 + common[word])) for word in wanted}
    total = sum(weights.values()) or 1.0
    shares = np.array([sum(weights[word] for word in words & wanted) / total for words in held])
    likely = [shows for asks, shows in (*_KINDS, *_LIKELY) if asks.search(question)]
    shown = np.array([any(shows(text.words) for shows in likely) for text in read])
    scores = np.array([passage.score for passage, _ in candidates])
    near: np.ndarray = (embed([text.whole for text in read]) @ vector + 0.5 * shares + 0.5 * scores) / 2 + 0.1 * shown
    return near


def strengths(question: str, passages: Sequence[Passage], weigh: Weigh) -> np.ndarray:
    """The log-odds (n,) that passages answer `question`: of each those of its likeliest text, as `weigh` gives them."""
    import numpy as np

    held = [texts(passage) for passage in passages]
    odds = iter(weigh(question, [text for some in held for text in some]))
    return np.array([max((next(odds) for _ in some), default=-np.inf) for some in held])


def texts(passage: Passage) -> tuple[Text, ...]:
    """What may be quoted of a passage: its sentences, the answer of a pair as a whole where it is short."""
    if passage.kind == "qa":
        return tuple(Text(passage.question, words) for words in answers(passage.text))
    return tuple(Text(ending(passage.section), words) for words in windows(passage.text))


def holds(question: str, text: str) -> bool:
    """Whether `text` holds the kind of thing that `question` asks for: an amount for a price, a time for a deadline."""
    return all(shows(text) for asks, shows in _KINDS if asks.search(question))


def is_of_another_year(question: str, text: str) -> bool:
    """Whether `text` is a row of a table that stands for a year, where `question` names only other years."""
    row, asked = rows.read(text), set(_YEAR.findall(question))
    own = {cell for _, cell in row.cells if _YEAR.fullmatch(cell)} if row else set()
    return bool(asked and own) and not asked & own


def leaves_out(question: str, answer: str, text: str) -> bool:
    """Whether `text` holds more that may have been asked for than `answer` says: another number, or a row of a table.

    Of several values of one sentence a small model often says the wrong one.
    """
    said = _ITEM.sub("", text, count=1)  # the number of a clause is no value
    return bool(numbers(said) - numbers(question) - numbers(answer)) or any(map(rows.read, text.splitlines()))


def windows(text: str) -> tuple[str, ...]:
    """The sentences of a text, each with the one before when it leans on it, and with the items of the list that it
    leads in."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    found: list[str] = []
    before = ""
    for place, line in enumerate(lines, 1):
        for part in sentences(_BULLET.sub("", line)):
            found.append(f"{before} {part}" if before and _LEANS_BACK.match(part) else part)
            before = part
        if _BULLET.match(line):
            before = ""
        else:
            found[-1] = _with_items(found[-1], _led_in(line, lines[place:]))
    return tuple(found)


def answers(text: str) -> tuple[str, ...]:
    """The answer of a pair, whole where it is short: its "Yes." belongs to what follows."""
    return (text,) if len(text) <= SHORT else windows(text)


def ending(section: str) -> str:
    """The end of a section's path: the heading that its sentences are read under."""
    return " > ".join(section.split(" > ")[-2:])


def _led_in(line: str, after: Sequence[str]) -> Iterable[str]:
    """Those of the lines after a line that are the items of its list."""
    if _BREAKS_OFF.search(line) and after and not _ITEM.match(after[0]):
        return takewhile(lambda item: not (_ITEM.match(item) or _ENDS.search(item) or rows.read(item)), after)
    item = _ITEM if line.endswith(":") and not _ITEM.match(line) else _BULLET
    return takewhile(item.match, after)


def _with_items(text: str, items: Iterable[str]) -> str:
    """A sentence with the items that it leads in, a line each, as far as a quotation may be long."""
    for item in items:
        if len(text) + len(item) > LONGEST:
            break
        text = f"{text}\n{item}"
    return text
