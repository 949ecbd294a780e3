"""What an answer says about the chart: which unit is under which, which are side by side, how many there are.

Reading -> Claims, by the patterns of trag/verify/grammar.py.  Knows nothing about what is true.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from org.entities import Mention
from trag.verify.grammar import NOT_UNDER, PATH, PATTERNS
from trag.verify.reading import Reading

Units = tuple[str, ...]
"""The ids of the units that a name may mean, any of which may make a claim true."""


@dataclass(frozen=True, slots=True)
class Under:
    """`unit` is under `holder`: directly, or at any depth; `denied` when the answer says that it is not.

    `loosely` when the words have another sense as well: a body "has" members, and reports to whoever hears it. `led`
    when they say who leads the unit, which its own head does too.
    """

    unit: Units
    holder: Units
    directly: bool = False
    denied: bool = False
    loosely: bool = False
    led: bool = False


@dataclass(frozen=True, slots=True)
class Beside:
    """Both are directly under the same unit."""

    unit: Units
    other: Units


@dataclass(frozen=True, slots=True)
class Count:
    """So many units are under `holder`; of a type, unless `noun` is ""; counted directly, at all levels, or ""."""

    holder: Units
    number: int
    noun: str = ""
    scope: Literal["", "directly", "in all"] = ""


@dataclass(frozen=True, slots=True)
class Line:
    """Units in one line of the tree, each right next to the one before in the answer's words, up or down."""

    units: tuple[Units, ...]


Claim = Under | Beside | Count | Line


def read(reading: Reading, mentions: Sequence[Mention], subject: Units = ()) -> tuple[Claim, ...]:
    """All that a reading claims. `subject` are the units that "it" means at the beginning."""
    found: list[Claim] = []
    start = 0
    for part in _parts(reading.signs):
        row = _Row(part, reading.values[start : start + len(part)], mentions, subject)
        found += row.claims()
        subject = row.topic() or subject
        start += len(part)
    return tuple(dict.fromkeys(found))


def _parts(signs: str) -> list[str]:
    """The sentences of a row of signs. A list stays with the words that open it."""
    return re.findall(r"[^.]*(?:\.(?=\*)[^.]*)*(?:\.|$)", signs)


@dataclass(frozen=True, slots=True)
class _Row:
    """One sentence as signs, and the units that a pronoun in it may mean."""

    signs: str
    values: tuple[int | str | None, ...]
    mentions: Sequence[Mention]
    subject: Units

    def claims(self) -> Iterator[Claim]:
        for name, pattern in PATTERNS:
            position, before = 0, None
            while match := pattern.search(self.signs, position):
                yield from self.claim(name, match, before)
                before, position = match, match.start() + 1
        for match in PATH.finditer(self.signs):
            yield from self.path(match)
        yield from self.tree()
        yield from self.denied()

    def claim(self, name: str, match: re.Match[str], last: re.Match[str] | None) -> Iterator[Claim]:
        """The claims of one match of a pattern; it may begin with what the `last` one ended with."""
        parts = match.groupdict()
        before = parts.get("gap") or ""
        if "h" in before or "H" in re.split(r"[,.;:]", self.signs[: match.end()])[-1]:
            return  # no claim, or one about another time
        if name == "count":
            number = self.values[match.start("number")]
            noun = self.values[match.start("noun")]
            around = (parts.get("mid") or "") + (parts.get("after") or "") + match[0]
            scope = "in all" if "g" in around else "directly" if "d" in around else ""
            counted = self.signs[match.start("number") : match.start("noun")]
            if isinstance(number, int) and not ("x" in counted and not noun):  # "one field office" counts no offices
                yield Count(self.units(match, "holder"), number, str(noun or ""), scope)  # type: ignore[arg-type]
            return
        denied = "n" in before or "z" in before or "n" in self.signs[max(0, match.start() - 1) : match.start()]
        alone = name == "parent" and "P" not in match[0] and "," not in (parts.get("group") or "")
        directly = alone or "d" in before + (parts.get("rel") or "") + (parts.get("mid") or "")
        led = re.search("[lLV]", match[0]) is not None
        if led and self.signs.endswith("xf", 0, match.start()):
            return  # who leads the staff of A leads no unit
        loosely = led or name in ("over", "loosely") or "q" in (parts.get("rel") or "")
        if name == "beside":
            for unit in self.each(match, "list"):
                yield Beside(unit, self.units(match, "group"))
            return
        units = list(self.each(match, "list" if name == "over" else "group"))
        if name == "under" and (before + (parts.get("rel") or "")).startswith("("):
            units = units[-1:]  # of "A, B (under C)" only B is under C
        if last and match.start("group" if "group" in parts else "list") == last.end() - 1:
            if before.startswith("&"):  # "A is under B and in C"
                units[0] += tuple(one for unit in self.each(last, "group") for one in unit)
            elif len(units) > 1:
                units = units[1:]  # "A is under B, and C is under D"
        holder = self.units(match, "holder")
        if parts["holder"] == "w" and name == "under":  # "C, and B is below that"
            units, holder = units[-1:], self.subject_before(self.signs.rindex("M", 0, match.start("holder")))
        for unit in units:
            yield Under(unit, holder, directly, denied, loosely, led)

    def path(self, match: re.Match[str]) -> Iterator[Claim]:
        """A > B > C, whichever way it runs."""
        places = (place for place in range(match.start(), match.end()) if self.signs[place] == "M")
        yield Line(tuple(self.mentioned(place) for place in places))

    def tree(self) -> Iterator[Claim]:
        """Bullets under bullets: each is under the nearest before it that stands further out."""
        above: list[tuple[int, Units]] = []
        for match in re.finditer(r"\*(?=M)", self.signs):
            indent, unit = self.values[match.start()], self.mentioned(match.end())
            if isinstance(indent, int):
                above = [one for one in above if one[0] < indent]
                if above:
                    yield Under(unit, above[-1][1])
                above.append((indent, unit))

    def denied(self) -> Iterator[Claim]:
        """What is denied of a unit just placed: "under B, not under C"."""
        for match in NOT_UNDER.finditer(self.signs):
            yield Under(self.subject_before(match.start()), self.units(match, "holder"), denied=True)

    def subject_before(self, place: int) -> Units:
        """The unit that the words before a place are about."""
        found = [one for one in range(place) if self.signs[one] == "M"]
        return self.mentioned(found[-1]) if found else self.subject

    def units(self, match: re.Match[str], name: str) -> Units:
        """The units of one place of a pattern, a pronoun among them."""
        place = match.start(name)
        sign = self.signs[place]
        if sign == "M":
            return self.mentioned(place)
        return self.subject_before(place) if sign == "w" else self.pronoun(place)

    def pronoun(self, place: int) -> Units:
        """What "it" may mean: the first or last unit before it in the sentence, or what the one before was about."""
        first = re.search(r"[ijM]", self.signs[:place])
        if first is None or first[0] != "M":
            return self.subject
        last = self.signs.rindex("M", 0, place)
        return tuple(dict.fromkeys(self.mentioned(first.start()) + self.mentioned(last)))

    def each(self, match: re.Match[str], name: str) -> Iterator[Units]:
        """The units of a list, one by one."""
        start, text = match.start(name), match[name]
        if text in ("i", "w", "j"):
            yield self.units(match, name)
            return
        bullets = "*" in text
        depth = 0
        for offset, sign in enumerate(text):
            depth += (sign == "(") - (sign == ")")
            named = sign == "M" and depth == 0 and self.signs[start + offset - 1 : start + offset] != "z"
            if named and (not bullets or text[offset - 1] in "*&,"):
                yield self.mentioned(start + offset)

    def mentioned(self, place: int) -> Units:
        """The units of the mention at a place of the row."""
        value = self.values[place]
        return self.mentions[value].units if isinstance(value, int) else ()

    def topic(self) -> Units:
        """What a pronoun in the next sentence may mean: the first or the last unit of this one."""
        found = [place for place, sign in enumerate(self.signs) if sign == "M"]
        return tuple(dict.fromkeys(self.mentioned(found[0]) + self.mentioned(found[-1]))) if found else ()
