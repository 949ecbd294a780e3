"""Where a question-answer pair stands in its document: its passage, and its section under another number.

pair, passages -> Passage.  Knows nothing about how pairs are made or kept.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from store.library import Pair
from store.passage import Passage
from trag.words import numbers, sentences, stems

TELLING = 0.5
"""Share of an answer's content words from which a passage of another section is taken to say it."""

_NUMBER = re.compile(
    r"^(?:(?:part|chapter|article|section|rule|clause|title|annex|appendix)\s+(?:\d[\d.]*|[ivxl]+|[a-z])|"
    r"§*\s*\d{1,3}(?:\.\d+)*|[ivxl]+(?=[.):])|[a-z](?=[.):]))[.):]*(?:\s+|$)",
    re.I,
)


def standing(pair: Pair, passages: Sequence[Passage]) -> Passage | None:
    """The passage that a pair stands on: of those of its section, or of all where the document has no such section, one
    that holds its source, else the one that shares most words with its answer.

    None where there is no such section and no passage says the answer.
    """
    own = [passage for passage in passages if passage.section == pair.section]
    among = own or passages
    found = [passage for passage in among if holds([passage], pair.source)] or among
    if len(found) > 1 or not own:
        found = sorted(found, key=lambda passage: _shared(pair, passage), reverse=True)[:1]
    if not found or (not own and _shared(pair, found[0])[0] < TELLING):
        return None
    return found[0]


def placed(pair: Pair, passages: Sequence[Passage]) -> Pair:
    """The pair with the section, page and source that the document has for it now: the source that it has where that
    still stands there, else the passage that it stands on. Without page and source where it stands on none."""
    there = standing(pair, passages)
    if there is None:
        return replace(pair, page=None, source="")
    own = [passage for passage in passages if passage.section == there.section]
    source = pair.source if holds(own, pair.source) else there.text
    return replace(pair, section=there.section, page=there.page, source=source)


def holds(passages: Sequence[Passage], text: str) -> bool:
    """Whether passages have every sentence of a text word for word: a passage may end within a text."""
    held = [_flat(passage.text) for passage in passages]
    return bool(text.strip()) and all(any(_flat(one) in each for each in held) for one in sentences(text))


def unchanged(old: Sequence[Passage], new: Sequence[Passage]) -> dict[str, str]:
    """The sections of the old passages whose text is the same among the new ones, each with its path there.

    One that has another path is the same where the words of its headings are, or its own heading where only one section
    had that heading and text, and only one has.
    """
    before, after = _texts(old), _texts(new)
    found = {path: path for path, text in before.items() if after.get(path) == text}
    for heading in (unnumbered, _own_heading):
        taken = set(found.values())
        keys = {(heading(path), text): path for path, text in after.items() if path not in taken}
        once = [
            {key for key, count in Counter((heading(path), text) for path, text in texts.items()).items() if count == 1}
            for texts in (before, after)
        ]
        for path, text in before.items():
            key = (heading(path), text)
            if path not in found and key in keys and all(key in each for each in once):
                found[path] = keys[key]
    return found


def unnumbered(path: str) -> str:
    """A path of headings without their numbers: "4 Finance > 4.2 Limits" is "Finance > Limits"."""
    return " > ".join(_NUMBER.sub("", heading) for heading in path.split(" > "))


def _own_heading(path: str) -> str:
    return unnumbered(path.rsplit(" > ", 1)[-1])


def _texts(passages: Sequence[Passage]) -> dict[str, tuple[str, ...]]:
    """The sentences of each section in order, however they are cut into passages, which repeat some at their ends."""
    texts: dict[str, dict[str, None]] = {}
    for passage in passages:
        texts.setdefault(passage.section, {}).update(dict.fromkeys(map(_flat, sentences(passage.text))))
    return {path: tuple(text) for path, text in texts.items()}


def _shared(pair: Pair, passage: Passage) -> tuple[float, float]:
    """The share of the content words and numbers of its answer that a passage has, and of those of its question."""
    held = _content(f"{passage.section} {passage.text}")
    answer, question = (_content(text) for text in (pair.answer, pair.question))
    shares = [len(wanted & held) / len(wanted) if wanted else 0.0 for wanted in (answer, question)]
    return (shares[0], shares[1]) if answer else (shares[1], 0.0)


@lru_cache(maxsize=4_096)  # every pair of a section that is gone is held against every passage
def _content(text: str) -> frozenset[str | float]:
    return stems(text) | numbers(text)


def _flat(text: str) -> str:
    return " ".join(text.split())
