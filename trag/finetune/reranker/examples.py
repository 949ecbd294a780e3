"""What the reranker learns from: the questions of written organizations, each with the sentences that a search for it
brings, and which of them answer it.

Written -> a home -> Listings.  Which sentence answers is told by the gold of the case, its section and the words of its
answer. Knows nothing about how it is learned.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from store.passage import Passage
from trag import quote
from trag.evaluate.cases import Case
from trag.evaluate.scoring.wording import says
from trag.finetune.dataset.evidence import is_of_section
from trag.quote import Text
from trag.retrieve import CANDIDATES
from trag.words import numbers, stems

if TYPE_CHECKING:
    import numpy as np

    from trag.home import Home

_TELLING = 0.55
"""Share of the right answer's words that a text must hold to be taken for one that answers, where the gold tells
nothing."""
_AS_GOOD, _NEARLY = 0.02, 0.7
"""How much less than the best text another may hold and answer too, and the share of it from which it might."""
_ASKED = 0.25
"""What the words of the question weigh against those of the answer."""
_POLARITY = re.compile(r"^(?:yes|no)\b[,.;: ]*", re.I)

Candidates = Sequence[tuple[Passage, Text]]
Embed: TypeAlias = "Callable[[Sequence[str]], np.ndarray]"


@dataclass(frozen=True, slots=True)
class Listing:
    """A question with texts that may answer it, the nearest first: the places of those that do (none, for a question to
    refuse), and of those that might, from which nothing is learned."""

    question: str
    texts: tuple[Text, ...]
    answering: tuple[int, ...]
    unsure: tuple[int, ...] = ()

    @property
    def others(self) -> tuple[int, ...]:
        """The places of the texts that do not answer, the nearest first."""
        known = {*self.answering, *self.unsure}
        return tuple(place for place in range(len(self.texts)) if place not in known)

    def values(self) -> dict[str, Any]:
        """What `listing` makes it of again."""
        return asdict(self)


def listing(values: dict[str, Any]) -> Listing:
    """The listing of these values."""
    texts = tuple(Text(**text) for text in values["texts"])
    return Listing(values["question"], texts, tuple(values["answering"]), tuple(values["unsure"]))


def listings(cases: Sequence[Case], home: Home) -> Iterator[Listing]:
    """The cases about documents, and those to refuse, over the passages that the pipeline looks at for each, and those
    of its own section where the search missed them; without the cases whose answer no text holds."""
    passages, embed = tuple(home.records.library.passages()), _once(home.embedder.embed_passages)
    for case in cases:
        if not case.refuse and case.kind != "document":
            continue
        vector = home.embedder.embed_questions([case.question])[0]
        found = [
            passage
            for kind in ("qa", "section")
            for passage in home.vectors.search(vector, case.question, kinds=(kind,), k=CANDIDATES)
        ]
        known = {passage.id for passage in found}
        found += [one for one in passages if one.id not in known and not case.refuse and is_of_section(one, case)]
        candidates = {text: (passage, text) for passage in reversed(found) for text in quote.texts(passage)}
        near = quote.nearness(case.question, [*candidates.values()], embed, vector)
        ranked = [pair for _, pair in sorted(zip(near, candidates.values(), strict=True), key=lambda one: -one[0])]
        if made := _listing(case, ranked):
            yield made


def _once(embed: Embed) -> Embed:
    """The same as `embed`; a text that comes again, for another question, is not read again."""
    import numpy as np

    known: dict[str, np.ndarray] = {}

    def remembered(texts: Sequence[str]) -> np.ndarray:
        unread = [text for text in dict.fromkeys(texts) if text not in known]
        if unread:
            known.update(zip(unread, embed(unread), strict=True))
        return np.array([known[text] for text in texts])

    return remembered


def _listing(case: Case, candidates: Candidates) -> Listing | None:
    texts = tuple(text for _, text in candidates)
    if case.refuse:
        return Listing(case.question, texts, ()) if texts else None
    told = [_told(case, text) for text in texts]
    own = [place for place, (passage, _) in enumerate(candidates) if is_of_section(passage, case)]
    most = max((_items(case, texts[place]) for place in own), default=0)
    holding = [place for place in own if _items(case, texts[place]) == most]
    best = max((told[place] for place in holding), default=0.0)
    if 2 * most < len(case.gold) or (not case.gold and best < _TELLING):
        return None
    answering = tuple(place for place in holding if told[place] >= best - _AS_GOOD)
    unsure = tuple(
        place
        for place, text in enumerate(texts)
        if place not in answering
        and (told[place] >= _NEARLY * best or (case.gold and _items(case, text) == len(case.gold) and place in own))
    )
    return Listing(case.question, texts, answering, unsure)


def _items(case: Case, text: Text) -> int:
    """How many items of the gold a text holds."""
    return sum(says(text.words, item) for item in case.gold)


def _told(case: Case, text: Text) -> float:
    """How much of the answer's words a text holds, and a little of the question's."""
    wanted, asked = _words(_POLARITY.sub("", case.answer)), stems(case.question)
    held = _words(text.words) | stems(text.heading)
    share = len(wanted & held) / len(wanted) if wanted else 0.0
    return share + (_ASKED if wanted else 1.0) * len(asked & held) / max(1, len(asked))


def _words(text: str) -> set[str]:
    return set(stems(text)) | {f"= {number}" for number in numbers(text)}
