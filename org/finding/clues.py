"""What speaks for and against a reading: how it is typed, how plain its words are, and what stands around it.

(Sentence, Reading) -> clues, each a short text that has a weight (see weighing.py).  Knows nothing about weights.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from org.finding import names, speech
from org.finding.index import Index, Rank
from org.finding.readings import Reading
from org.finding.sentence import Plainness, Sentence, plainness

_OWNING = ("'s", "’s", "s'", "s’")
_OWNS = re.compile(r"['’]s?\b")
_LIST_MARKS = " \t\"'“‘(-*•"
_ENDINGS = ("ed", "ing", "ly", "s")
_OBJECTS = frozenset("a all an any her his it me my our the their this us you your".split())
_ARTICLES = ("the", "our")
_SHORT = 3  # letters
_NEAR = 5  # words between two units that are spoken of together
_LONGEST = 12  # words of a name
_STRONG = (Rank.GIVEN, Rank.DERIVED, Rank.KIND, Rank.SITE, Rank.SOME)


def clues(sentence: Sentence, reading: Reading, anchors: Sequence[Reading], index: Index) -> Iterator[str]:
    """The clues of one reading. `anchors` are readings that are sure by themselves, for what is said beside them."""
    words = sentence.words[reading.first : reading.last]
    start, end = words[0].start, words[-1].end
    size = "1" if len(words) == 1 else "2" if len(words) == 2 else "3"
    kind = "acronym" if names.is_acronym(reading.written) else reading.rank.name.lower()
    plain = _plainness(sentence, reading, index)
    yield from _typed(sentence, reading, kind, size, plain)
    yield from _named(sentence, reading, kind, size, plain, index)
    is_weak = size == "1" or reading.rank == Rank.BARE
    yield from _around(sentence, start, end, f"{kind} {size}", plain, is_weak=is_weak)
    spot = f"{size}{'b' if reading.rank == Rank.BARE else 'f'}"
    yield from _said(sentence, start, end, spot, plain)
    yield from _linked(sentence, reading, anchors, spot)


def anchors(sentence: Sentence, found: Sequence[Reading], index: Index) -> tuple[Reading, ...]:
    """The readings that hardly need a clue, in their order: names of several words, acronyms in capitals, words of no
    language."""

    def is_anchor(reading: Reading) -> bool:
        if reading.rank not in _STRONG:
            return False
        if reading.last - reading.first > 1:
            return True
        word = sentence.words[reading.first]
        if names.is_acronym(reading.written) and sentence.text[word.start : word.end].isupper():
            return not sentence.shouting
        return plainness(word.text, index.kinds, foreign=sentence.foreign) == Plainness.UNUSUAL

    return tuple(sorted(filter(is_anchor, found), key=_first))


def _typed(sentence: Sentence, reading: Reading, kind: str, size: str, plain: str) -> Iterator[str]:
    """How the words are typed, and how many others there are."""
    words = sentence.words[reading.first : reading.last]
    form = _form(sentence, reading)
    yield f"is {kind} {size} {plain}"
    yield f"is {kind} {size}"
    yield f"plain {plain}"
    yield f"typed {form}"
    yield f"typed {form} {kind}"
    yield f"typed {form} {size}"
    yield f"typed {form} plain {plain}"
    yield f"typed {form} {'a' if kind == 'acronym' else 'n'}{size} {plain}"
    if words[-1].end - words[0].start <= _SHORT:
        yield f"short {plain}"
    for word in words:
        typed = sentence.text[word.start : word.end]
        if names.key(typed) != word.text:
            yield f"put right {kind} {size}"
            yield f"put right {'together' if ' ' in typed else 'alone'} {kind} {size}"
    others = *sentence.words[: reading.first], *sentence.words[reading.last :]
    if not others:
        yield f"all {plain} {size}"
    elif all(word.text in speech.COMMON for word in others):
        yield f"rest common {kind} {size}"  # "and what about payroll?"
        yield f"rest common {plain}"


def _named(sentence: Sentence, reading: Reading, kind: str, size: str, plain: str, index: Index) -> Iterator[str]:
    """What is named, and how the chart writes it."""
    words = sentence.words[reading.first : reading.last]
    before = sentence.before(words[0].start, 1)
    one = before if speech.is_one(before) else ""
    if one:
        yield f"one {kind} {size}"
        yield f"one {one} {kind}"
    if len(reading.units) > 1:
        yield f"shared {kind}"
        yield f"shared {kind} {one}"
    if index.root in reading.units:
        yield f"root {kind} {size}"
    if reading.is_nickname:
        yield f"nickname {plain}"
    if reading.is_part:
        yield f"part {size}"
    if reading.written.islower():
        yield f"lower {plain}"
    last = words[-1]
    same = [word for word in names.words(reading.written) if word.text == last.text]
    if same and all(word.plural != last.plural for word in same):
        yield f"number {kind} {size}"
        yield f"number {plain}"
        if last.plural and last.text in index.kinds:
            yield f"category {size}"  # "which audit committees", where there is one


def _plainness(sentence: Sentence, reading: Reading, index: Index) -> str:
    """How plain the words are: of a single word, its plainness; of several, whether all, some or none are plain."""
    words = sentence.words[reading.first : reading.last]
    typed = sentence.text[words[0].start : words[-1].end]
    if typed.lower() == typed.upper():
        return "no letters"
    found = [plainness(word.text, index.kinds, foreign=sentence.foreign) for word in words]
    if len(found) == 1:
        return found[0]
    if all(one in (Plainness.EVERYDAY, Plainness.KIND) for one in found):
        return "all everyday"
    unusual = found.count(Plainness.UNUSUAL)
    return "all plain" if not unusual else "some plain" if unusual < len(found) else "unusual"


def _form(sentence: Sentence, reading: Reading) -> str:
    """How the words are typed: in capitals, with capitals; and whether they begin the text."""
    first, last = sentence.words[reading.first], sentence.words[reading.last - 1]
    typed = sentence.text[first.start : last.end]
    parts = [part for part in re.findall(r"[^\W\d_]+", typed) if len(part) > 3]
    if sentence.shouting:
        form = "shouted"
    elif typed.isupper():
        form = "capitals"
    elif typed.islower():
        form = "lower"
    elif parts and all(part[0].isupper() for part in parts):
        form = "title"
    else:
        form = "mixed"
    return form if sentence.text[: first.start].strip(_LIST_MARKS) else f"{form} at start"


def _around(sentence: Sentence, start: int, end: int, sort: str, plain: str, *, is_weak: bool) -> Iterator[str]:
    """The words before and after, and how they are formed. `sort` is the rank of the reading and its size."""
    weak = "weak" if is_weak else "strong"
    text = sentence.text
    before, skipped = sentence.before(start, 1), 0
    if before in _ARTICLES:
        yield f"article {sort}"
        yield f"article {plain}"
        skipped = 1
    before = sentence.before(start, 1 + skipped)
    owns = bool(_OWNS.match(text, end)) or text[start:end].endswith(_OWNING)
    skipped = int(owns and sentence.after(end, 1) == "s")
    after, second = sentence.after(end, 1 + skipped), sentence.after(end, 2 + skipped)
    if owns:
        yield f"owns {sort}"
    for side, word in (("before", before), ("after", after)):
        yield f"{side} {word}"
        yield f"{side} {word} {weak}"
        if word.isalpha():
            common = "common" if word in speech.COMMON else "other"
            yield f"{side} {common} {weak}"
            yield f"{side} {common} {sort}"
    for ending in _ENDINGS:
        if len(after) > 3 and after.endswith(ending) and not after.endswith("ss"):
            yield f"after -{ending} {weak}"
    if after.isalpha() and second in _OBJECTS:
        yield f"object {weak}"
        yield f"object {second} {weak}"
    yield f"length {min(len(sentence.words), 8) // 2} {weak}"


def _said(sentence: Sentence, start: int, end: int, spot: str, plain: str) -> Iterator[str]:
    """What the sentence does with the words."""
    text = sentence.text
    open_before, open_after = speech.ends(text, start, end)
    openness = f"open {int(open_before)}{int(open_after)} {spot}"
    yield openness
    yield f"{openness} {plain}"
    yield f"{openness} placing {int(sentence.placing)}"
    said = {
        "placing": sentence.placing,
        "foreign": sentence.foreign,
        "someone": speech.is_someone(text, start, end),
        "somewhere": speech.is_somewhere(text, start, end),
        "matter": speech.is_matter(text, start, end),
        "one": speech.is_one(speech.neighbours(text, start, end)[0]),
    }
    for what, is_so in said.items():
        if is_so:
            yield what
            yield f"{what} {spot}"
            yield f"{what} {plain}"


def _linked(sentence: Sentence, reading: Reading, anchors: Sequence[Reading], spot: str) -> Iterator[str]:
    """Whether surer readings stand in the sentence, and what is said between the near ones and this one."""
    words = sentence.words
    near = slice(
        bisect_left(anchors, reading.first - _NEAR - _LONGEST, key=_first),
        bisect_right(anchors, reading.last + _NEAR, key=_first),
    )
    others = [other for other in anchors[near] if other.last <= reading.first or other.first >= reading.last]
    if others or len(anchors) > near.stop - near.start:
        yield f"beside {spot}"
    for other in others:
        if 0 <= reading.first - other.last <= _NEAR:
            link = speech.link(sentence.text[words[other.last - 1].end : words[reading.first].start])
            if link:
                yield f"linked before {link} {spot}"
        if 0 <= other.first - reading.last <= _NEAR:
            link = speech.link(sentence.text[words[reading.last - 1].end : words[other.first].start])
            if link:
                yield f"linked after {link} {spot}"


def _first(reading: Reading) -> int:
    return reading.first
