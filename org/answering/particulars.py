"""What a chart says of a unit beside its place: who heads it, its email, its code, and its other columns.

Question, mentions, chart -> the cells that are asked for.  Knows nothing about placements.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from org.answering import signs, subjects
from org.answering.replies import MOST_SHARING, opening, others
from org.answering.sentences import label, sentence
from org.chart import Chart, Unit
from org.entities import Mention
from org.finding import names


@dataclass(frozen=True, slots=True)
class Particular:
    """One cell about a unit: `header` names it, "head", "email" and "code" among others."""

    unit: str
    header: str
    cell: str


_HEAD, _EMAIL, _CODE = "head", "email", "code"
_LEADS = (
    r"(?:heads?|heading|headed|leads?|leading|led|runs?|running|manages?|managing|directs|directing|chairs?|chairing"
    r"|leader|boss|chief|director|manager|chairs?(?:wo|per)?(?:man|son)?|supervisor|in charge|responsible"
    r"|(?:person|one) (?:in charge|responsible))"
)
_FIELDS = (
    (
        _HEAD,
        re.compile(
            rf"\bwho(?:m|se|s)?\b(?!.*\bdo(?:es)?\b).*\b{_LEADS}\b|@0(?:'s)? (?:head|leader|boss|manager)\b"
            rf"|\b(?:head|leader|boss|manager|name of the {_LEADS}) (?:of|for)\b"
        ),
    ),
    (_EMAIL, re.compile(r"\be-?mails?\b|\bcontact\b|\breach\b|\b(?:get|be) in touch\b|\bwrite to\b")),
    (_CODE, re.compile(r"\bcodes?\b")),
)
_WORDS = {
    _HEAD: "head heads heading headed lead leads leading led run runs running manage manages managing direct directs "
    "directing chair chairs chairing leader boss chief director manager chairman chairwoman chairperson supervisor "
    "charge responsible person",
    _EMAIL: "email e-mail emails contact reach touch write",
    _CODE: "code codes",
}
# Words that may stand in such a question beside what is asked for. Any other makes it a question for the documents.
_FILLERS = frozenset(
    """a address an and are at by can charge could current currently do does find for from get give has have how i
    in is it know let like me my name need number of on one our person please s tell that the there this to touch
    unit us use uses want we what whats when where which who whom whose whos will with would write you your ok hello hi
    thanks thank there's look up could someone anyone current exact exactly""".split()
)
_HOW_MANY = frozenset(("many", "much", "people", "big", "located", "based", "situated", "find", "found", "sit", "sits"))
_PLACE = frozenset(
    ("location", "place", "site", "city", "town", "building", "room", "floor", "office", "address", "seat", "country")
)
_WHERE = re.compile(r"\bwhere\b")
_ASKS = re.compile(r"\b(?:who|whom|whose|what|which|where|when|why|how)\b")
_NEXT = re.compile(rf"{signs.JOIN.pattern}|[.?!;:\n]\s*(?={_ASKS.pattern})")
_LEAD = re.compile(rf"\b{_LEADS}(?: (?:in charge|responsible))?\b")
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")


def asked(question: str, mentions: Sequence[Mention], chart: Chart) -> tuple[Particular, ...]:
    """The cells that a question asks for and the chart has: of one unit, or of each unit of a shared name.

    Empty when it asks for anything else, or for more, or when the chart lacks the cell of any of the units.
    """
    mentions = subjects.whole(question, mentions, chart)
    if len({mention.units for mention in mentions}) != 1:
        return ()
    masked = question.lower()
    for mention in reversed(mentions):
        masked = f"{masked[: mention.start]} @0 {masked[mention.end :]}"
    if any(_ASKS.search(masked, 0, join.start()) for join in _NEXT.finditer(masked)):
        return ()
    units = [chart.unit(unit) for unit in mentions[0].units]
    found = [_cell(masked.replace(" @0 's", " @0's").replace("’", "'"), unit) for unit in units]
    return tuple(one for one in found if one) if all(found) else ()


def reply(particulars: Sequence[Particular], chart: Chart) -> str:
    """The cells in sentences; of many units that share a name, those of some, and how many they are."""
    group = tuple(chart.unit(one.unit) for one in particulars)
    told = [_told(unit, one.header, one.cell, chart) for unit, one in zip(group, particulars, strict=True)]
    if len(group) <= MOST_SHARING:
        return " ".join(told)
    return " ".join([opening(group), *told[:MOST_SHARING], others(group, MOST_SHARING)])


def described(unit: Unit, chart: Chart) -> tuple[str, ...]:
    """All that the chart says of a unit beside its place, a sentence a cell."""
    return tuple(_told(unit, header, cell, chart) for header, cell in _cells(unit))


def _cells(unit: Unit) -> Iterator[tuple[str, str]]:
    own = ((_HEAD, unit.head), (_EMAIL, unit.email), (_CODE, unit.code))
    yield from ((header, cell) for header, cell in (*own, *unit.attributes) if cell)


def _told(unit: Unit, header: str, cell: str, chart: Chart) -> str:
    return sentence(f"the {header if header.isupper() else header.lower()} of {label(unit, chart)} is {cell}")


def _cell(masked: str, unit: Unit) -> Particular | None:
    """The cell of the unit that is asked for: of the header that says most of the question's words."""
    cells = sorted(_cells(unit), key=lambda cell: -len(cell[0]))
    own = dict(_cells(unit))
    for header, cell in cells:
        if header not in (_HEAD, _EMAIL, _CODE) and _asks_for(masked, header):
            return Particular(unit.id, header, cell)
    for header, pattern in _FIELDS:
        if header in own and pattern.search(masked) and _only(masked, frozenset(_WORDS[header].split())):
            is_of_another = header == _HEAD and len(_LEAD.findall(masked)) > 1  # "the manager of the head of X"
            return None if is_of_another else Particular(unit.id, header, own[header])
    return None


def _asks_for(masked: str, header: str) -> bool:
    """Whether the question is for the cell under a header: "where is X located", with a column Location."""
    wanted = set(names.key(header).split())
    words = {word: names.key(word) for word in _WORD.findall(masked)}
    said = {word for word, key in words.items() if key in wanted or any(_akin(key, one) for one in wanted)}
    if wanted & _PLACE and _WHERE.search(masked):
        return _only(masked, said | {"located", "based", "situated", "found"}) and (
            bool(said) or bool({"located", "based", "situated"} & set(words))
        )
    covered = {key for word, key in words.items() if word in said}
    every = all(any(key == one or _akin(key, one) for key in covered) for one in wanted)
    return bool(said) and every and _only(masked, said | _HOW_MANY)


def _akin(one: str, other: str) -> bool:
    """Whether two words share their beginning: "located" and "location"."""
    return len(one) > 5 and len(other) > 5 and one[:5] == other[:5]


def _only(masked: str, said: set[str] | frozenset[str]) -> bool:
    """Whether the question has no words but these and fillers."""
    words = _WORD.findall(masked.replace("@0", " ").replace("'s", " "))
    return all(word in said or word in _FILLERS or signs.is_idle_adverb(word) for word in words)
