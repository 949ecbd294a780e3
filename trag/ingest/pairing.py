"""Which question-answer pairs a document has, after it was read again, after a model wrote some, and after a file of
them was given for it; on which passages they stand; and which ask and answer the same.

What people gave, wrote, changed or refused outlives what a model writes; what they vouched for in a section that has
changed since is for them to look at again.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeVar

from store.library import Pair
from store.passage import Passage
from trag.ingest.pairs import DIRECT_TYPES, GeneratedPair, GivenPair
from trag.ingest.passages import passage_id
from trag.lexical import negated, numbers, sentences, stem, stems, words

_AGREEMENT = 0.75
"""Share of words (of both together) from which two answers to one question say the same."""

_Each = TypeVar("_Each", Pair, GeneratedPair)
_EMPTY = frozenset("a an the do does did is are was were be been has have had will please".split())
_SAME = {"can": "may", "could": "may", "might": "may", "shall": "must", "should": "must"}
_TELLING = 0.5
"""Share of an answer's content words from which a passage of another section is taken to say it."""

_NUMBER = re.compile(
    r"^(?:(?:part|chapter|article|section|rule|clause|title|annex|appendix)\s+(?:\d[\d.]*|[ivxl]+|[a-z])|"
    r"§*\s*\d{1,3}(?:\.\d+)*|[ivxl]+(?=[.):])|[a-z](?=[.):]))[.):]*(?:\s+|$)",
    re.I,
)


@dataclass(frozen=True, slots=True)
class MergedPairs:
    """The pairs of a document after a file of pairs was given for it. Of those in the file: `lost` name a section that
    the document does not have, `outdated` a source that their section does not have, so that they wait to be looked at;
    `decided` stay as somebody approved or deleted them here, which the file says otherwise."""

    pairs: tuple[Pair, ...]
    lost: tuple[GivenPair, ...] = ()
    outdated: tuple[GivenPair, ...] = ()
    decided: tuple[GivenPair, ...] = ()


def reread(
    passages: Sequence[Passage], old: Sequence[Pair], old_passages: Sequence[Passage]
) -> tuple[tuple[Pair, ...], int]:
    """The pairs of a document that has `passages` now, and how many of the `old` ones wait to be looked at again
    because their section has changed or is gone. What a model wrote of such a section goes."""
    same = unchanged_sections(old_passages, passages)
    kept: list[Pair] = []
    questioned = 0
    for pair in old:
        is_vouched_for = pair.state in ("made", "approved")
        if pair.section in same:
            there = anchored(replace(pair, section=same[pair.section]), passages)
            pair = there if is_vouched_for else replace(there, source=pair.source)
        elif not _is_of_people(pair):
            continue
        else:
            nearest = anchor(pair, passages)
            page = nearest.page if nearest and nearest.section == pair.section else None
            pair = replace(pair, page=page)
            if is_vouched_for:
                pair = replace(pair, state="review", searched=False)
                questioned += 1
        kept.append(pair)
    return tuple(kept), questioned


def with_generated(
    document: str,
    generated: Sequence[GeneratedPair],
    sections: Collection[str],
    passages: Sequence[Passage],
    present: Sequence[Pair],
) -> tuple[Pair, ...]:
    """The pairs of a document after a model wrote `generated` about these `sections` of it, in the place of what it
    wrote about them before. What nearly repeats a pair that is searched is left out, and what somebody refused."""
    kept = [pair for pair in present if _is_of_people(pair) or pair.section not in sections]
    ids, wordings, spared = {pair.id for pair in kept}, set(map(_wording, kept)), given_sections(kept)
    fresh: list[Pair] = []
    for one in generated:
        id_ = passage_id("qa", document, one.section, one.question, one.answer)
        pair = Pair(
            id_, document, one.section, one.page, one.question, one.answer, one.type, "model", "made",
            one.type in DIRECT_TYPES, one.source,
        )  # fmt: skip
        if one.section not in spared and id_ not in ids and _wording(pair) not in wordings:
            there = anchor(pair, passages)
            fresh.append(replace(pair, page=there.page) if there and there.section == pair.section else pair)
    return (*kept, *distinct(fresh, [pair for pair in kept if pair.searched]))


def with_given(
    document: str, pairs: Sequence[GivenPair], passages: Sequence[Passage], present: Sequence[Pair], by: str
) -> MergedPairs:
    """The pairs of a document for which a file gives `pairs`, in the place of all that were given before.

    A pair may name its section by the whole path or by the end of it. One that says no state is approved; one of a type
    that is not searched is kept for training alone. In a section that has given pairs no made ones are left, nor any
    that nearly repeat one of them.
    """
    ids = {pair.id: pair for pair in present}
    wordings = {_wording(pair): pair for pair in reversed(present)}
    found: dict[str, Pair] = {}
    lost: list[GivenPair] = []
    outdated: list[GivenPair] = []
    decided: list[GivenPair] = []
    for one in pairs:
        pair, is_outdated = _given_pair(document, one, passages, by)
        old = ids.get(pair.id) or wordings.get(_wording(pair))
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
    sections = given_sections(found.values())
    others = [pair for pair in marks if pair.id not in found]
    of_people = [pair for pair in others if _is_of_people(pair)]
    made = [pair for pair in others if not _is_of_people(pair) and pair.section not in sections]
    searched = [pair for pair in found.values() if pair.state == "approved" and pair.searched]
    left = {pair.id for pair in (*of_people, *distinct(made, searched))}
    kept = (*found.values(), *(pair for pair in others if pair.id in left))
    return MergedPairs(kept, tuple(lost), tuple(outdated), tuple(decided))


def _given_pair(document: str, one: GivenPair, passages: Sequence[Passage], by: str) -> tuple[Pair, bool]:
    """A pair of a file as it stands in its document, and whether it waits only because its source does not."""
    ending = f" > {one.section}".casefold()
    own = [passage for passage in passages if f" > {passage.section}".casefold().endswith(ending)]
    state = one.state or "approved"
    is_outdated = state in ("made", "approved") and bool(one.source) and not contains(own, one.source)
    if is_outdated:
        state = "review"
    pair = Pair(
        "", document, one.section, one.page, one.question, one.answer, one.type, one.origin or "given", state,
        state in ("made", "approved") and one.direct, one.source, by,
    )  # fmt: skip
    if own:
        paths = {passage.section for passage in own}
        section = one.section
        if section not in paths:  # several may end as it says
            nearest = anchor(replace(pair, section=""), own) if len(paths) > 1 else None
            section = (nearest or own[0]).section
        there = anchored(replace(pair, section=section), own)
        stated = one.page in {passage.page for passage in own if passage.section == there.section}
        source = there.source if state == "approved" else one.source
        pair = replace(there, page=one.page if stated else there.page, source=source)
    id_ = passage_id("qa", document, pair.section, one.question, one.answer)
    return replace(pair, id=id_), is_outdated


def _is_of_people(pair: Pair) -> bool:
    """Whether somebody gave, wrote or decided it; the others can be written again."""
    return pair.origin in ("given", "person") or pair.state in ("approved", "deleted") or bool(pair.by)


def given_sections(pairs: Iterable[Pair]) -> set[str]:
    """The sections for which people have given pairs."""
    return {pair.section for pair in pairs if pair.origin == "given" and pair.state == "approved"}


def _wording(pair: Pair) -> tuple[str, str, str]:
    return pair.section, pair.question, pair.answer


def anchor(pair: Pair, passages: Sequence[Passage]) -> Passage | None:
    """The passage that a pair stands on: of those of its section, or of all where the document has no such section, one
    that holds its source, else the one that shares most words with its answer.

    None where there is no such section and no passage says the answer.
    """
    own = [passage for passage in passages if passage.section == pair.section]
    among = own or passages
    found = [passage for passage in among if contains([passage], pair.source)] or among
    if len(found) > 1 or not own:
        found = sorted(found, key=lambda passage: _shared(pair, passage), reverse=True)[:1]
    if not found or (not own and _shared(pair, found[0])[0] < _TELLING):
        return None
    return found[0]


def anchored(pair: Pair, passages: Sequence[Passage]) -> Pair:
    """The pair with the section, page and source that the document has for it now: the source that it has where that
    still stands there, else the passage that it stands on. Without page and source where it stands on none."""
    there = anchor(pair, passages)
    if there is None:
        return replace(pair, page=None, source="")
    own = [passage for passage in passages if passage.section == there.section]
    source = pair.source if contains(own, pair.source) else there.text
    return replace(pair, section=there.section, page=there.page, source=source)


def contains(passages: Sequence[Passage], text: str) -> bool:
    """Whether passages have every sentence of a text word for word: a passage may end within a text."""
    held = [_flat(passage.text) for passage in passages]
    return bool(text.strip()) and all(any(_flat(one) in each for each in held) for one in sentences(text))


def unchanged_sections(old: Sequence[Passage], new: Sequence[Passage]) -> dict[str, str]:
    """The sections of the old passages whose text is the same among the new ones, each with its path there.

    One that has another path is the same where the words of its headings are, or its own heading where only one section
    had that heading and text, and only one has.
    """
    before, after = _texts(old), _texts(new)
    found = {path: path for path, text in before.items() if after.get(path) == text}
    for heading in (unnumbered, lambda path: unnumbered(path.rsplit(" > ", 1)[-1])):
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


def distinct(pairs: Iterable[_Each], beside: Iterable[Pair] = ()) -> tuple[_Each, ...]:
    """`pairs` without those that ask and answer what an earlier one does, or one of those `beside` them.

    Two questions ask the same when they share every word but articles and auxiliaries, in any order and form. Likeness
    of letters throws facts away, and vectors are blinder still: of 675 pairs on bench/organizations,
    rapidfuzz finds 9 couples 90% alike in question and answer, and none asks the same twice ("half pay for the first
    year", "full pay for the first year").
    """
    answers: dict[tuple[frozenset[str], frozenset[float]], list[str]] = defaultdict(list)
    for known in beside:
        answers[_weighty(known.question), numbers(known.question)].append(known.answer)
    kept: list[_Each] = []
    for pair in pairs:
        same_question = answers[_weighty(pair.question), numbers(pair.question)]
        if not any(_agree(pair.answer, other) for other in same_question):
            same_question.append(pair.answer)
            kept.append(pair)
    return tuple(kept)


def _agree(one: str, other: str) -> bool:
    """Whether two answers say the same: no other number, no other "not", nearly the same words."""
    first, second = _weighty(one), _weighty(other)
    return (
        numbers(one) == numbers(other)
        and negated(one) == negated(other)
        and len(first & second) >= _AGREEMENT * len(first | second)
    )


def _weighty(text: str) -> frozenset[str]:
    return frozenset(stem(_SAME.get(word, word)) for word in words(text) if word not in _EMPTY)
