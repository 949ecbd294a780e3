"""Which question-answer pairs a document has, after it was read again, and after a file of pairs was given for it.

What people gave, wrote, changed or refused outlives what a model writes; what they vouched for in a section that has
changed since is for them to look at again. Knows nothing about how pairs are written, kept or searched.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from store.library import Pair
from store.passage import Passage
from trag.ingest.deduplication import distinct
from trag.ingest.pair_anchors import holds, placed, standing, unchanged
from trag.ingest.pairs import DIRECT_TYPES, GeneratedPair, GivenPair
from trag.ingest.passages import passage_id


@dataclass(frozen=True, slots=True)
class Given:
    """The pairs of a document after a file of pairs was given for it. Of those in the file: `lost` name a section that
    the document does not have, `outdated` a source that their section does not have, so that they wait to be looked at;
    `decided` stay as somebody approved or deleted them here, which the file says otherwise."""

    pairs: tuple[Pair, ...]
    lost: tuple[GivenPair, ...] = ()
    outdated: tuple[GivenPair, ...] = ()
    decided: tuple[GivenPair, ...] = ()


def read_again(
    passages: Sequence[Passage], old: Sequence[Pair], old_passages: Sequence[Passage]
) -> tuple[tuple[Pair, ...], int]:
    """The pairs of a document that has `passages` now, and how many of the `old` ones wait to be looked at again
    because their section has changed or is gone. What a model wrote of such a section goes."""
    same = unchanged(old_passages, passages)
    kept: list[Pair] = []
    questioned = 0
    for pair in old:
        is_vouched_for = pair.state in ("made", "approved")
        if pair.section in same:
            there = placed(replace(pair, section=same[pair.section]), passages)
            pair = there if is_vouched_for else replace(there, source=pair.source)
        elif not _is_of_people(pair):
            continue
        else:
            nearest = standing(pair, passages)
            page = nearest.page if nearest and nearest.section == pair.section else None
            pair = replace(pair, page=page)
            if is_vouched_for:
                pair = replace(pair, state="review", searched=False)
                questioned += 1
        kept.append(pair)
    return tuple(kept), questioned


def written(
    document: str,
    generated: Sequence[GeneratedPair],
    sections: Collection[str],
    passages: Sequence[Passage],
    present: Sequence[Pair],
) -> tuple[Pair, ...]:
    """The pairs of a document after a model wrote `generated` about these `sections` of it, in the place of what it
    wrote about them before. What nearly repeats a pair that is searched is left out, and what somebody refused."""
    kept = [pair for pair in present if _is_of_people(pair) or pair.section not in sections]
    ids, said, spared = {pair.id for pair in kept}, {_said(pair) for pair in kept}, with_people(kept)
    fresh = [_generated(document, one, passages) for one in generated if one.section not in spared]
    fresh = [pair for pair in fresh if pair.id not in ids and _said(pair) not in said]
    return (*kept, *distinct(fresh, [pair for pair in kept if pair.searched]))


def given(
    document: str, pairs: Sequence[GivenPair], passages: Sequence[Passage], present: Sequence[Pair], by: str
) -> Given:
    """The pairs of a document for which a file gives `pairs`, in the place of all that were given before.

    A pair may name its section by the whole path or by the end of it. One that says no state is approved; one of a type
    that is not searched is kept for training alone. In a section that has given pairs no made ones are left, nor any
    that nearly repeat one of them.
    """
    ids = {pair.id: pair for pair in present}
    words = {_said(pair): pair for pair in reversed(present)}
    found: dict[str, Pair] = {}
    lost: list[GivenPair] = []
    outdated: list[GivenPair] = []
    decided: list[GivenPair] = []
    for one in pairs:
        pair, is_outdated = _given(document, one, passages, by)
        old = ids.get(pair.id) or words.get(_said(pair))
        if old and (old.state in ("approved", "deleted") or (not one.state and _is_of_people(old))):
            if one.state and one.state != old.state:
                decided.append(one)
            pair = old
        elif old:
            same = (old.state, old.type, old.origin) == (pair.state, pair.type, pair.origin)
            pair = old if same else replace(pair, id=old.id)
        if is_outdated and pair.state == "review":
            outdated.append(one)
        if one.direct and all(passage.section != pair.section for passage in passages):
            lost.append(one)
        found[pair.id] = pair
    marks = [pair for pair in present if pair.state == "deleted" or pair.origin != "given"]
    sections = with_people(found.values())
    others = [pair for pair in marks if pair.id not in found]
    of_people = [pair for pair in others if _is_of_people(pair)]
    made = [pair for pair in others if not _is_of_people(pair) and pair.section not in sections]
    left = {pair.id for pair in (*of_people, *distinct(made, _vouched_for(found.values())))}
    kept = (*found.values(), *(pair for pair in others if pair.id in left))
    return Given(kept, tuple(lost), tuple(outdated), tuple(decided))


def _given(document: str, one: GivenPair, passages: Sequence[Passage], by: str) -> tuple[Pair, bool]:
    """A pair of a file as it stands in its document, and whether it waits only because its source does not."""
    ending = f" > {one.section}".casefold()
    own = [passage for passage in passages if f" > {passage.section}".casefold().endswith(ending)]
    state = one.state or "approved"
    is_outdated = state in ("made", "approved") and bool(one.source) and not holds(own, one.source)
    if is_outdated:
        state = "review"
    pair = Pair(
        "", document, one.section, one.page, one.question, one.answer, one.type, one.origin or "given", state,
        state in ("made", "approved") and one.direct, one.source, by,
    )  # fmt: skip
    if own:
        there = placed(replace(pair, section=_section(pair, own)), own)
        stated = one.page in {passage.page for passage in own if passage.section == there.section}
        source = there.source if state == "approved" else one.source
        pair = replace(there, page=one.page if stated else there.page, source=source)
    id_ = passage_id("qa", document, pair.section, one.question, one.answer)
    return replace(pair, id=id_), is_outdated


def _section(pair: Pair, own: Sequence[Passage]) -> str:
    """The section of `own` that a pair belongs to: several may end as it says."""
    paths = {passage.section for passage in own}
    if pair.section in paths or len(paths) == 1:
        return pair.section if pair.section in paths else paths.pop()
    there = standing(replace(pair, section=""), own)
    return there.section if there else own[0].section


def _generated(document: str, one: GeneratedPair, passages: Sequence[Passage]) -> Pair:
    """What a model wrote as a pair of the document."""
    id_ = passage_id("qa", document, one.section, one.question, one.answer)
    pair = Pair(
        id_, document, one.section, one.page, one.question, one.answer, one.type, "model", "made",
        one.type in DIRECT_TYPES, one.source,
    )  # fmt: skip
    there = standing(pair, passages)
    return replace(pair, page=there.page) if there and there.section == pair.section else pair


def _is_of_people(pair: Pair) -> bool:
    """Whether somebody gave, wrote or decided it; the others can be written again."""
    return pair.origin in ("given", "person") or pair.state in ("approved", "deleted") or bool(pair.by)


def _vouched_for(pairs: Collection[Pair]) -> list[Pair]:
    return [pair for pair in pairs if pair.state == "approved" and pair.searched]


def with_people(pairs: Iterable[Pair]) -> set[str]:
    """The sections for which people have given pairs."""
    return {pair.section for pair in pairs if pair.origin == "given" and pair.state == "approved"}


def _said(pair: Pair) -> tuple[str, str, str]:
    return pair.section, pair.question, pair.answer
