"""A passage among its neighbours -> TextView: what a document without pages says, or one whose pages are not drawn.

Knows no format: it is given the passages as they are kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from store.passage import Passage
from trag.view.marks import supporting
from trag.view.records import Part, Piece, TextView

_SHORTEST = 20
"""Characters that count as repeated: fewer are the same by chance."""


def text(passages: Sequence[Passage], id: str, support: Sequence[str] = (), *, around: int = 3) -> TextView:
    """The passage of an id, or the one that a pair of that id was made from, with up to `around` before and after it.

    `passages` are those of its document, in order; `support` are the sentences of the answer that it bears out. Raises
    KeyError when none has the id.
    """
    of_text = [passage for passage in passages if passage.kind == "section"]
    here = source(passages, id)
    if here not in of_text:
        of_text = [here]
    at = of_text.index(here)
    first, last = max(0, at - around), min(len(of_text), at + around + 1)
    parts = tuple(
        Part(
            each.section,
            each.page,
            each is here,
            tuple(_marked(each.text, support)) if each is here else _beside(of_text, number, at),
        )
        for number, each in enumerate(of_text[first:last], first)
    )
    return TextView(here.document, here.section, parts, first, len(of_text) - last)


def source(passages: Sequence[Passage], id: str) -> Passage:
    """The passage of an id; for a pair, the passage of its section and page that shares most words with it, or the pair
    itself where its section is not there. Raises KeyError when none has the id."""
    found = next((passage for passage in passages if passage.id == id), None)
    if found is None:
        raise KeyError(id)
    if found.kind == "section":
        return found
    words = set(found.text.split())
    of_section = [each for each in passages if each.kind == "section" and each.section == found.section]
    return max(
        of_section, key=lambda each: (len(words & set(each.text.split())), each.page == found.page), default=found
    )


def _marked(text: str, support: Sequence[str]) -> Iterator[Piece]:
    at = 0
    for start, end in supporting(text, support):
        if at < start:
            yield Piece(text[at:start], "passage")
        yield Piece(text[start:end], "support")
        at = end
    if at < len(text):
        yield Piece(text[at:], "passage")


def _beside(passages: Sequence[Passage], at: int, here: int) -> tuple[Piece, ...]:
    """A neighbour's text, without what it repeats of the one before, and without what the passage repeats of it."""
    told = passages[at].text
    start = _repeated(passages[at - 1], passages[at]) if at > 0 else 0
    end = len(told) - (_repeated(passages[at], passages[here]) if at + 1 == here else 0)
    return (Piece(told[start:end]),) if start < end else ()


def _repeated(before: Passage, passage: Passage) -> int:
    """How many characters at the start of a passage are those at the end of the one before, in the same section."""
    longest = min(len(before.text), len(passage.text)) if before.section == passage.section else 0
    lengths = range(longest, _SHORTEST - 1, -1)
    return next((length for length in lengths if before.text.endswith(passage.text[:length])), 0)
