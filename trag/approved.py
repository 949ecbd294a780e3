"""The approved answer to a question: what is pinned to it, or to a question that asks the same in other words.

question + the pinned questions -> the approved answer that fits -> what stands of it in the record of an answer

"How do I open X" and "how do I close X" lie nearer to each other than most ways to ask the same thing. So near vectors
are not enough: two questions ask the same only where they also have the same signature, the kinds of thing asked for,
numbers, and words that count. That is made for certainty: every word counts but the everyday ones, and each as it
stands: "we charge" is not "we are charged", "who may" not "who must". English. Whatever is in doubt is answered in the
ordinary way.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from store import storable
from trag.lexical import numbers
from trag.record import AnswerRecord, Approval, Checks, Source, StatementUsed

if TYPE_CHECKING:
    import numpy as np

    from org.linking.entities import EntityFinder, Mention
    from store.approved import Approved, Kind, Present
    from store.records import Records

NEAR = 0.8
"""Cosine similarity from which a question of the same signature asks the same as a pinned one (bench/approved.py).

With both conditions no answer went to another question, in 359,000 pairs of them, and 31 of 187 rewordings that nothing
was chosen by got theirs. The similarity alone would give 153 of these theirs, and 144 other questions a wrong answer.
"""
_QUOTATION = frozenset("'\"\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb\u2039\u203a`\u00b4")
_AROUND = " ?!.,;:\u00bf\u00a1\u061f\u037e\u3002"

# Other words for the same, and words that people put around a question; read in this order.
_WORDINGS = tuple(
    (re.compile(pattern), words)
    for pattern, words in (
        (r"[\u2018\u2019\u02bc]", "'"),
        (r"\bcan't\b|\bcannot\b", "can not"),
        (r"\bwon't\b", "will not"),
        (r"n't\b", " not"),
        (r"\b(who|what|where|when|how|why|which)(?:'s|s)\b", r"\1 is"),
        (r"'(?:s|d|m|ll|re|ve)\b", " "),
        (r"\b(?:can|could|would|will) (?:you|u|someone|somebody) (?:please |pls )?(?:tell|show) (?:me|us)\b", " "),
        (r"\b(?:please|pls|plz|thanks|thank you|hello|hi|tell (?:me|us)|(?:do you|does anyone) know)\b", " "),
        (r"\bi(?: would)? (?:want|like|love) to know\b|\bi was wondering\b", " "),
        (r"\b(?:have|has|had|need|needs|needed) to\b|\bshould\b|\bshall\b", " must "),
        (r"\b(?:(?:is|are|am|be) )?(?:allowed|permitted) to\b|\bmay\b|\bmight\b|\bcould\b", " can "),
        (r"\b(how|where)(?: (?:i|we|one))? can\b|\b(how|where) to\b", r"\1\2"),
        (r"\bmaximum\b|\bmax\b|\bat most\b|\b(?:big|large|high|long)g?est\b", " most "),
        (r"\bminimum\b|\bmin\b|\bat least\b|\b(?:small|low|short)est\b", " least "),
        (r"\b(how long .*) last\W*$", r"\1"),
        (r"\btill\b", "until"),
        (r"\b(?:ok|okay)\b", "approve"),
        (r"\bdeals? with\b|\b(?:(?:is|are) )?responsible for\b", " handle "),
        (r"\bwhat (?:(?:do|does|must) )+(?:i|we|one) (?:must )?do to\b", "how"),
    )
)
# What a question asks for; of two that fit in one place the first.
_KINDS = (
    ("how often", r"how (?:often|frequently|many times)"),
    ("how early", r"how (?:early|far (?:ahead|in advance))"),
    ("how late", r"how late"),
    ("how long", r"(?:for )?how (?:long|soon|quick(?:ly)?)|(?:the )?(?:length|duration) of"),
    ("how long", r"(?:for|within) how many (?:minutes|hours|days|weeks|months|years)"),
    ("how many", r"how many|(?:the )?number of"),
    ("how much", r"how much(?: (?:is|are))?|(?:the )?(?:amount|price|cost|fee)s? (?:of|for|to)|costs?"),
    ("when", r"(?:by )?when|(?:by |on |at )?(?:what|which) (?:time|date|day)|(?:the )?(?:deadline|closing date)"),
    ("where", r"where(?:abouts)?"),
    ("whom", r"whom? (?:do|does|did)|whom?(?= (?:can|must|will|would) (?:i|we|one)\b)|(?:to|by|with|for|from) whom"),
    ("who", r"who|whom|whose|(?:which|what) (?:person|people)"),
    ("why", r"why|how come"),
    ("how", r"how"),
    ("whether", r"(?:(?<=[.?!,;:] )|^)(?:is|are|do|does|did|was|were|will|would|has|have|(?=(?:can|must)\b))"),
)
_KIND = re.compile("|".join(rf"(?P<k{place}>\b(?:{words})\b)" for place, (_, words) in enumerate(_KINDS)))
_EVERYDAY = frozenset(
    """a an the this that these those there here it its of in on at as and so if is are am be being do
    does what which i me my mine we us our ours have has get gets some any one will would""".split()
)
# A word that is everyday by chance: the department IT, grade A, Senate I.
_LABEL = re.compile(
    r"\b(?:[A-Z]{2,}|(?<=\w )A)\b|"
    r"(?<=\b(?:part|type|tier|band|form|ward|wing|zone|plan) )[aiAI]\b|"
    r"(?<=\b(?:class|grade|group|level|block|stage) )[aiAI]\b|"
    r"\b[aAI](?=\W*$)"
)
_LOOSE = frozenset({"off", "out", "down", "up", "away", "back", "can", "must"})
_OF = re.compile("([^\\W_]+) of (?:(?:the|a|an|my|our|this) )?(\ue000.*?\ue001|[^\\W_]+)")
_WORD = re.compile("\ue000.*?\ue001|[^\\W_]+[+#]*")


@dataclass(frozen=True, slots=True)
class QuestionSignature:
    """What a question asks for, its numbers, and its words in their order, but for those that move about: "turn the
    water off", "is he allowed to". A unit stands as its id, whatever it is called."""

    kinds: frozenset[str]
    numbers: frozenset[float]
    words: tuple[str, ...]
    loose: tuple[str, ...]


def signature(question: str, mentions: Sequence[Mention] = ()) -> QuestionSignature:
    """The signature of a question, in which `mentions` are the units that it names.

    >>> safe = signature("How do I open the safe?")
    >>> safe == signature("how can I open a safe") != signature("How do I close the safe?")
    True
    """
    text, units = question, [mention.units for mention in mentions]
    for place, mention in reversed(tuple(enumerate(mentions))):
        text = f"{text[: mention.start]}\ue000{place}\ue001{text[mention.end :]}"
    shouted = text.isupper()
    text = _LABEL.sub(lambda label: label[0] if shouted or label[0].lower() not in _EVERYDAY else f"{label[0]}+", text)
    plain = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    for pattern, instead in _WORDINGS:
        plain = " ".join(pattern.sub(instead, plain).split())
    kinds = frozenset(_KINDS[int(each.lastgroup[1:])][0] for each in _KIND.finditer(plain) if each.lastgroup)
    found = [
        "/".join(sorted(units[int(word[1:-1])])) if word[0] == "\ue000" else _singular(word)
        for word in _WORD.findall(_OF.sub(r"\2 \1", _KIND.sub(" ", plain)))
        if word not in _EVERYDAY and (word[0] == "\ue000" or not numbers(word))
    ]
    return QuestionSignature(
        kinds,
        numbers(re.sub("\ue000.*?\ue001", " ", plain)),
        tuple(word for word in found if word not in _LOOSE),
        tuple(sorted(word for word in found if word in _LOOSE)),
    )


def _singular(word: str) -> str:
    """A word without the s of a plural, or of a verb."""
    if len(word) > 3 and word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


@dataclass(frozen=True, slots=True)
class Given:
    """What of an approved answer stands in the record of the answer that is given."""

    text: str
    approval: Approval
    sources: tuple[Source, ...]
    statements: tuple[StatementUsed, ...]
    checks: Checks


class Pins:
    """The signatures of the pinned questions, read anew where others are pinned, or the chart is another."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._finder: EntityFinder | None = None
        self._signatures: dict[str, QuestionSignature] = {}

    def alike(self, question: str, pinned: Sequence[Approved], finder: EntityFinder | None) -> tuple[Approved, ...]:
        """Those `pinned` whose questions have the signature of `question`, in which `finder` finds the units."""

        def read(text: str) -> QuestionSignature:
            return signature(text, finder.find(text) if finder else ())

        meant = read(question)
        with self._lock:
            known = self._signatures if self._finder is finder else {}
            self._signatures = {each.question: known.get(each.question) or read(each.question) for each in pinned}
            self._finder = finder
            return tuple(each for each in pinned if self._signatures[each.question] == meant)


def answer(
    question: str,
    records: Records,
    pins: Pins,
    *,
    readers: Collection[str] | None,
    finder: EntityFinder | None,
    embed: Callable[[Sequence[str]], np.ndarray],
) -> Given | None:
    """The approved answer to `question`, None where none fits whose every document is one that `readers` open (the
    keys of whoever asks, None for who may read everything). The others as in `fitting`."""

    def is_open(name: str) -> bool:
        document = records.library.document(name)
        return document is not None and (readers is None or not document.audience.isdisjoint(readers))

    for each in fitting(question, records, pins, finder=finder, embed=embed):
        if all(is_open(ground.document) for ground in each.sources):
            stored = records.answer(each.answer) if each.answer else None
            reviewer = records.people.find(each.by)
            record = AnswerRecord.from_json(stored.record_json) if stored else None
            return given(each, reviewer.shown if reviewer else each.by, record, told_places(each, records))
    return None


def find(records: Records, question: str, kind: Kind = "answer") -> Approved | None:
    """What is pinned of a kind to a question, in any spelling of it, and stands on nothing that has changed."""
    found = records.approved.pinned_to(normalized(question), kind)
    return found if found and not changed(found, records.approved.present(documents_of(found))) else None


def holds(records: Records, id: str) -> bool:
    """Whether an approved answer is pinned and stands on nothing that has changed."""
    found = records.approved.get(id)
    return bool(found and found.state == "pinned" and not changed(found, records.approved.present(documents_of(found))))


def changed(approved: Approved, now: Present) -> str:
    """What is no longer as it was when an answer was pinned, "" for nothing."""
    for source in approved.sources:
        if source.document not in now.documents:
            return f"{source.document} is gone"
        if now.documents[source.document] != source.sha256:
            return f"{source.document} was replaced"
    if approved.chart and approved.chart != now.chart:
        return "another chart is in use"
    return "other procedures are in use" if approved.procedures and approved.procedures != now.procedures else ""


def normalized(question: str) -> str:
    """A question without what makes no difference: capitals, compatibility forms, spaces, quotation marks, and
    punctuation around it."""
    text = unicodedata.normalize("NFKC", storable(question)).casefold()
    text = " ".join("".join(c for c in text if c not in _QUOTATION).split())
    return text.strip(_AROUND) or text


def documents_of(approved: Approved) -> list[str]:
    """The names of the documents that an approved answer stands on."""
    return [source.document for source in approved.sources]


def fitting(
    question: str,
    records: Records,
    pins: Pins,
    *,
    finder: EntityFinder | None,
    embed: Callable[[Sequence[str]], np.ndarray],
) -> Iterator[Approved]:
    """The approved answers to `question`: the one pinned to it in any spelling, then those whose questions ask the
    same, the nearest first.

    `finder` is that of the chart in use; `embed` gives vectors (n, d) of unit length, and is asked only where a
    signature is the same. Raises StoreError for a failing database.
    """
    exact = find(records, question)
    if exact:
        yield exact
    pinned = [
        each
        for each in records.approved.all("pinned")
        if each.kind == "answer" and (exact is None or each.id != exact.id)
    ]
    if not (alike := pins.alike(question, pinned, finder)):
        return
    asked, *others = embed([question, *(each.question for each in alike)])
    near = ((float(other @ asked), each) for other, each in zip(others, alike, strict=True))
    for cosine, each in sorted(near, key=lambda one: -one[0]):
        if cosine >= NEAR and holds(records, each.id):
            yield each


def told_places(approved: Approved, records: Records) -> tuple[Source, ...]:
    """The first passage of each section in which a reviewer says that an approved answer stands."""
    found = []
    for ground in approved.sources:
        passages = records.library.passages(ground.document) if ground.section else ()
        found += [one for one in passages if one.kind == "section" and one.section == ground.section][:1]
    return tuple(Source(one.id, one.kind, one.document, one.section, one.page, one.text, 1.0) for one in found)


def given(approved: Approved, by: str, record: AnswerRecord | None, told: tuple[Source, ...] = ()) -> Given:
    """What is given for an approved answer; `by` is how its reviewer is called, `record` the answer that was pinned,
    None where it is gone; `told` are the passages where the reviewer says that it stands.

    Of the sources that answer had, those that the approved one stands on are kept, unless the reviewer told others of
    the same documents; a document that none is kept of stands by itself. Of its checks the support of what the reviewer
    left word for word.
    """
    documents = {ground.document for ground in approved.sources}
    elsewhere = documents - {source.document for source in told}
    kept = told + tuple(
        source
        for source in (record.sources if record else ())
        if (bool(approved.chart) if source.kind == "chart" else source.document in elsewhere)
    )
    bare = tuple(
        Source(f"approved-{place}", "approved", name, "", None, "", 1.0)
        for place, name in enumerate(sorted(documents - {source.document for source in kept}), 1)
    )
    ids = {source.id for source in kept}
    sentences = tuple(
        sentence
        for sentence in (record.checks.sentences if record else ())
        if sentence.supported and sentence.source in ids and sentence.text in approved.reply
    )
    return Given(
        approved.reply,
        Approval(by, approved.at.date().isoformat(), approved.question),
        kept + bare,
        record.statements if record and approved.chart else (),
        Checks(sentences, chart=approved.chart),
    )
