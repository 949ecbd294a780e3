"""Whether a text is about the units that a question asks about.

"What is the quorum of the Community Council?" is not answered by the passage on the quorum of the members, however near
the words are, and a small model does answer from it. Knows nothing about answers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from org.chart import Chart
from org.entities import EntityFinder, Mention
from trag.words import sentences, stem

# "I work in Finance: how long is my notice?" asks for a rule that need not name Finance.
_SETTING = re.compile(
    r"\b(?:in|into|inside|at|near|to|from|on|with|by|via|for|as|like)\s+(?:(?:the|an?|our|my|your|this|that)\s+)*$",
    re.I,
)


def asked_about(question: str, mentions: Sequence[Mention], chart: Chart) -> tuple[Mention, ...]:
    """The mentions of units that `question` is about: not those of the whole organization, which every document is
    about, nor those that only say where something happens, or stand in a story before what is asked."""
    asks = question.rfind(sentences(question)[-1]) if question.strip() else 0
    return tuple(
        mention
        for mention in mentions
        if mention.start >= asks
        and chart.root.id not in mention.units
        and not _SETTING.search(question[: mention.start])
    )


def concerns(text: str, asked: Sequence[Mention], finder: EntityFinder) -> bool:
    """Whether `text` names one of the units in `asked`, or holds the words that named it; True where there are none.

    A short form can be an everyday word ("desk", "branch"): then the words alone are enough. Of 3,664 document
    questions of the written organizations 11 lose the section that answers them by this, and of the 143 without an
    answer that name a unit, 28 the section that nearly gives one.
    """
    if not asked:
        return True
    held = _tokens(text)
    if any(_tokens(mention.text) <= held for mention in asked):
        return True
    named = {unit for mention in finder.find(text) for unit in mention.units}
    return any(named.intersection(mention.units) for mention in asked)


def _tokens(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in re.findall(r"\w+", text.casefold()))
