"""A passage: the piece of evidence that is searched, quoted and cited, and the shape in which Chroma keeps one."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from store import storable

EVERYONE = "everyone"
"""The audience key of documents that anybody may read."""

Audience = frozenset[str]
"""The keys of those who may read a document; one of them is enough."""

OPEN: Audience = frozenset([EVERYONE])


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of evidence from a document: a question-answer pair made from it, or a section of its own text.

    `text` is what is shown and quoted: the section's words, or a pair's answer; `question` is empty but for pairs.
    `section` is the path of headings ("4 Finance > 4.2 Approval limits"); `page` counts from 1, None without pages.
    `score` is the cosine similarity to the question in [-1, 1], 0 before a search.
    """

    id: str
    kind: str
    document: str
    section: str
    page: int | None
    text: str
    question: str = ""
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The lines of a passage that a model sees, and the log-odds that the best of them answers the question, 0 where
    nothing weighs it."""

    passage: Passage
    text: str
    odds: float = 0.0


def to_fields(passage: Passage, audience: Collection[str]) -> dict[str, Any]:
    """What Chroma keeps beside the vector of a stored passage.

    The text is a field too: as a Chroma document it would be indexed for a search of its own, at twice the size. What
    is None is said, else a replaced passage would keep what it had.
    """
    return {
        "kind": passage.kind,
        "document": passage.document,
        "section": passage.section,
        "page": passage.page,
        "text": passage.text,
        "question": passage.question or None,
        "audience": audience_field(audience),
    }


def stored(passage: Passage) -> Passage:
    """A passage as a store gives it back."""
    return replace(
        passage,
        kind=storable(passage.kind),
        document=storable(passage.document),
        section=storable(passage.section),
        text=storable(passage.text),
        question=storable(passage.question),
        score=0.0,
    )


def to_passage(id: str, fields: Mapping[str, Any]) -> Passage:
    """The passage that Chroma keeps under an id."""
    page = fields.get("page")
    question = fields.get("question") or ""
    return Passage(id, fields["kind"], fields["document"], fields["section"], page, fields["text"], question)


def audience_field(audience: Collection[str]) -> str:
    """An audience as one text: equal for equal audiences, so that a filter names few of them. Empty: nobody."""
    if not all(key and "\n" not in key for key in audience):
        raise ValueError(f"an audience key is one line, not empty; found {sorted(audience)}")
    return "\n".join(sorted({storable(key) for key in audience}))


def read_audience(field: str) -> Audience:
    """The audience that `audience_field` wrote."""
    return frozenset(field.split("\n") if field else ())


def to_audience(fields: Mapping[str, Any]) -> Audience | None:
    """Who may read a passage that Chroma keeps; None for one of before there were audiences."""
    text = fields.get("audience")
    return None if text is None else read_audience(text)
