"""Which question-answer pairs a document has, after it was read again, and after a file of pairs was given for it.

What people gave, wrote, changed or refused outlives what is made anew; what they vouched for in a section that has
changed since is for them to look at again. Knows nothing about how pairs are made, kept or searched.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import replace

from store.library import Pair
from store.passage import Passage
from trag.ingest.pairs import DIRECT_TYPES, GivenPair
from trag.ingest.passages import passage_id
from trag.pairs.made import Made


def read_again(
    document: str,
    made: Sequence[Made],
    passages: Sequence[Passage],
    old: Sequence[Pair],
    old_passages: Sequence[Passage],
) -> tuple[tuple[Pair, ...], int]:
    """The pairs of a document that has `passages` now, and how many of the `old` ones wait to be looked at again
    because their section has changed or is gone."""
    unchanged = _unchanged(old_passages, passages)
    kept: list[Pair] = []
    questioned = 0
    for pair in old:
        if not _is_of_people(pair):
            continue
        if pair.section not in unchanged and pair.searched:
            pair = replace(pair, state="review", searched=False)
            questioned += 1
        kept.append(pair)
    known = {pair.id for pair in kept}
    fresh = [pair for pair in _of_rules(document, made, passages, _with_people(kept)) if pair.id not in known]
    return (*kept, *fresh), questioned


def given(
    document: str, pairs: Sequence[GivenPair], passages: Sequence[Passage], present: Sequence[Pair], by: str
) -> tuple[tuple[Pair, ...], tuple[GivenPair, ...]]:
    """The pairs of a document for which a file gives `pairs`, in the place of all that were given before; and those of
    them whose section is not among its `passages`.

    A pair may name its section by the whole path or by the end of it. One of a type that is not searched is kept for
    training alone. In a section that has given pairs no made ones are left.
    """
    before = {pair.id: pair for pair in present}
    found: dict[str, Pair] = {}
    lost: list[GivenPair] = []
    for one in pairs:
        ending = f" > {one.section}".casefold()
        of_section = [passage for passage in passages if f" > {passage.section}".casefold().endswith(ending)]
        nearest = _nearest(one.answer, of_section)
        if nearest is None and one.direct:
            lost.append(one)
        section, page = (nearest.section, nearest.page) if nearest else (one.section, None)
        id_ = passage_id("qa", document, section, one.question, one.answer)
        pair = Pair(
            id_, document, section, page, one.question, one.answer, one.type, "given", "approved", one.direct, "", by
        )
        old = before.get(id_)
        found[id_] = old if old and _is_of_people(old) else pair
    others = [pair for pair in present if pair.origin != "given" and pair.id not in found]
    sections = _with_people(found.values())
    others = [pair for pair in others if _is_of_people(pair) or pair.section not in sections]
    return (*found.values(), *others), tuple(lost)


def _of_rules(document: str, made: Sequence[Made], passages: Sequence[Passage], spared: Collection[str]) -> list[Pair]:
    """What was made, as pairs of the document; none in sections that people have made pairs for."""
    by_section: dict[str, list[Passage]] = defaultdict(list)
    for passage in passages:
        by_section[passage.section].append(passage)
    pairs: dict[str, Pair] = {}
    for one in made:
        if one.section in spared:
            continue
        nearest = _nearest(one.source or one.answer, by_section[one.section])
        page = nearest.page if nearest else one.page
        id_ = passage_id("qa", document, one.section, one.question, one.answer)
        pairs[id_] = Pair(
            id_,
            document,
            one.section,
            page,
            one.question,
            one.answer,
            one.type,
            one.origin,
            "made" if one.supported else "review",
            one.supported and one.type in DIRECT_TYPES,
            one.source,
        )
    return list(pairs.values())


def _unchanged(old: Sequence[Passage], new: Sequence[Passage]) -> set[str]:
    """The sections that have the same passages as before, and have some."""
    before: dict[str, set[str]] = defaultdict(set)
    after: dict[str, set[str]] = defaultdict(set)
    for passages, ids in ((old, before), (new, after)):
        for passage in passages:
            ids[passage.section].add(passage.id)
    return {section for section, ids in before.items() if ids == after.get(section)}


def _is_of_people(pair: Pair) -> bool:
    """Whether somebody gave, wrote or decided it; the others are made again whenever they are needed."""
    return pair.origin in ("given", "person") or pair.state in ("approved", "deleted") or bool(pair.by)


def _with_people(pairs: Collection[Pair]) -> set[str]:
    """The sections for which people have given pairs."""
    return {pair.section for pair in pairs if pair.origin == "given" and pair.state == "approved"}


def _nearest(text: str, passages: Sequence[Passage]) -> Passage | None:
    """The passage that shares most words with the text."""
    words = set(text.split())
    return max(passages, key=lambda passage: len(words & set(passage.text.split())), default=None)
