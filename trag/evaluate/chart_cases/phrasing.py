"""A fact put into words as an employee would type it: phrasings.txt, and units as people call them."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from random import Random

from org.chart import Unit
from trag.evaluate.chart_cases.facts import Fact
from trag.evaluate.chart_cases.index import BODIES, EVERYDAY, Names, holds, initials, key, near, plural, words

_TRIES = 6
_POLITE, _RAMBLING = 0.16, 0.14  # of the questions
_LONGEST_NAME = 3  # words of a phrasing looked at together
_SLOT = re.compile(r"\{(\w+)\}")
_HEADING = re.compile(r"^\[(\w[^\]\n]*)\]$", re.MULTILINE)
_NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_SHORTEST = 5  # letters of a short form: "it" would be short for the IT Office
_LONG = 10  # letters of a name that people make slips in
_SLIPS = 7  # letters of the word with the slip
_OPEN = re.compile(r"(?:['’]s?|&| and| of| for)$", re.IGNORECASE)  # "Chief Executive's" would be somebody else's
_ACRONYM = re.compile(r"[A-Z]{2,6}")


@cache
def phrasings() -> Mapping[str, tuple[str, ...]]:
    """The lines of phrasings.txt under each heading."""
    _, *parts = _HEADING.split(Path(__file__).with_name("phrasings.txt").read_text(encoding="utf-8"))
    return {
        form: tuple(line for line in lines.splitlines() if line and not line.startswith("#"))
        for form, lines in zip(parts[::2], parts[1::2], strict=True)
    }


class Phrasings:
    """The phrasings that mean the same in one chart: none of their own words names a unit of it, a type or a column."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._used = Counter[str]()
        self._usable = {form: [line for line in lines if self._is_usable(line)] for form, lines in phrasings().items()}

    def _is_usable(self, line: str) -> bool:
        found, names = words(_SLOT.sub(" . ", line)), self._names
        phrases = (
            " ".join(found[start : start + length])
            for length in range(1, _LONGEST_NAME + 1)
            for start in range(len(found) - length + 1)
        )
        return not any(
            names.is_type(one) or (one not in EVERYDAY and (names.is_known(one) or names.is_column(one)))
            for one in phrases
        )

    def ask(self, fact: Fact, chance: Random) -> str:
        """One question for the fact; "" when none was found that names its units for sure and does not give the
        answer away."""
        if not self._usable[fact.form] or _is_in_names(fact):
            return ""
        for _ in range(_TRIES):
            line = self._least_used(fact.form, chance)
            share = chance.random()
            extra = "around: polite" if share < _POLITE else "around: rambling" if share < _POLITE + _RAMBLING else ""
            around = self._least_used(extra, chance) if extra and self._usable[extra] else "{question}"
            is_hurried = line[0].islower() or (line[0] == "{" and chance.random() < 0.7)
            unit, other = (
                one and call(one, self._names, chance, hurried=is_hurried) for one in (fact.unit, fact.other)
            )
            literal = _SLOT.sub(" . ", line + around)
            said_twice = unit == other or any(called and holds(literal, called) for called in (unit, other))
            if unit == "" or other == "" or (unit and said_twice):
                continue
            is_name = fact.unit is None and fact.case.refuse
            noun = fact.noun if is_name and not is_hurried else _small(fact.noun)
            number = _NUMBERS[fact.number] if is_hurried or fact.number % 2 else str(fact.number)
            slots = {"unit": unit or "", "other": other or "", "type": noun, "number": number}
            question = _fill(line, slots | {"types": _small(plural(fact.noun))})
            question = _fill(around, {"question": _joined(question, around)})
            if not any(holds(question, form) for item in fact.case.gold for form in item):
                return question
        return ""

    def _least_used(self, form: str, chance: Random) -> str:
        """A phrasing of the form, of those that came least often so far."""
        least = min(self._used[line] for line in self._usable[form])
        line = chance.choice([line for line in self._usable[form] if self._used[line] == least])
        self._used[line] += 1
        return line


def _small(noun: str) -> str:
    """A type of unit in the middle of a sentence; acronyms keep their capitals."""
    return " ".join(word if word.rstrip("s").isupper() else word.lower() for word in noun.split(" "))


def _fill(line: str, slots: Mapping[str, str]) -> str:
    return _SLOT.sub(lambda slot: slots[slot[1]], line)


def _joined(question: str, around: str) -> str:
    """The question as a part of the text around it: its first letter small in a sentence, its end a full stop before
    another one."""
    if re.search(r"\w[,:-] ?\{|- \{", around) and re.match(r"[A-Z][a-z]+ ", question):
        question = question[0].lower() + question[1:]
    return f"{question}." if re.search(r"\} [A-Z]", around) and question[-1].isalnum() else question


def _is_in_names(fact: Fact) -> bool:
    """Whether any answer that repeats the names of the units asked about holds a part of the gold."""
    named = [name for unit in (fact.unit, fact.other) if unit for name in (unit.name, *unit.aliases)]
    count = fact.case.count
    numbers = () if count is None else (str(count), *_NUMBERS[count : count + 1])
    gold = [*numbers, *(form for item in fact.case.gold for form in item)]
    return any(holds(name, form) for name in named for form in gold)


def call(unit: Unit, names: Names, chance: Random, *, hurried: bool) -> str:
    """What one employee calls the unit; "" when no words mean it alone. In a hurry case, accents and signs go."""
    called = _called(unit, names, chance)
    if key(called) in EVERYDAY and not _ACRONYM.fullmatch(called):
        return f'the one called "{called}"'
    article = "the " if called and _takes_article(called) and chance.random() < (0.4 if hurried else 0.9) else ""
    is_made_up = called.isupper() and called not in (unit.name, *unit.aliases)  # too far off in small letters
    return article + (_hurried(called, chance) if hurried and not is_made_up and chance.random() < 0.85 else called)


def _called(unit: Unit, names: Names, chance: Random) -> str:
    sure = names.sure(unit)
    ways: list[tuple[float, str]] = []
    if unit.name in sure[:1]:
        ways.append((5, unit.name))
        if (short := _short(unit.name)) and names.is_short_for(short, unit):
            ways.append((1, short))
        letters = initials(unit.name)
        if letters and names.are_initials(letters, unit):
            ways.append((1, letters))
        if slip := _slip(unit.name, names, chance):
            ways.append((1, slip))
    aliases = [name for name in sure if name != unit.name and key(name) not in EVERYDAY]
    ways += [(4 / len(aliases), alias) for alias in aliases]
    if ways:
        return chance.choices([called for _, called in ways], [weight for weight, _ in ways])[0]
    if not (parents := names.told_by_parent(unit)):
        return ""
    parent = chance.choice(parents)
    above = f"the {parent}" if _takes_article(parent) else parent
    return chance.choice((f"{unit.name} of {above}", f"{unit.name} ({parent})", f"{unit.name} in {above}"))


def _short(name: str) -> str:
    """A name without what it is: "Travel" for the Travel Desk, "Medicine" for the Department of Medicine."""
    tokens = name.split()
    if len(tokens) > 1 and tokens[-1].casefold() in BODIES:
        tokens = tokens[:-1]
    elif len(tokens) > 2 and tokens[0].casefold() in BODIES and tokens[1].casefold() in ("of", "for"):
        tokens = tokens[3 if tokens[2].casefold() == "the" else 2 :]
    else:
        return ""
    short = " ".join(tokens)
    return short if len("".join(words(short))) >= _SHORTEST and not _OPEN.search(short) else ""


def _slip(name: str, names: Names, chance: Random) -> str:
    """The name with one slip of the fingers in a long word, which makes no other word of the chart; "" when there is
    no such word."""
    long = [match for match in re.finditer(r"[A-Za-z]+", name) if len(match[0]) >= _SLIPS]
    if len(name) < _LONG or not long:
        return ""
    match = chance.choice(long)
    place = chance.randrange(1, len(match[0]) - 1)
    before, here, there, after = match[0][:place], match[0][place], match[0][place + 1], match[0][place + 2 :]
    slipped = chance.choice(
        (f"{before}{there}{here}{after}", f"{before}{there}{after}", f"{before}{here}{here}{there}{after}")
    )
    is_clear = slipped != match[0] and not any(
        other != match[0].casefold() and (names.has_word(other) or names.is_type(other))
        for other in near(slipped.casefold())
    )
    return name[: match.start()] + slipped + name[match.end() :] if is_clear else ""


def _takes_article(called: str) -> bool:
    """Whether English puts "the" before it."""
    if _ACRONYM.fullmatch(called):
        return True
    tokens = called.casefold().split()
    return len(tokens) > 1 and tokens[0] != "the" and (tokens[-1] in BODIES or tokens[0] in BODIES or " of " in called)


def _hurried(called: str, chance: Random) -> str:
    """In small letters, often without accents and signs, as long as nothing else is meant then."""
    text = " ".join(
        token if token.isupper() and token.casefold() in EVERYDAY else token.lower() for token in called.split(" ")
    )
    if chance.random() < 0.5:
        text = "".join(letter for letter in unicodedata.normalize("NFKD", text) if not "\u0300" <= letter <= "\u036f")
        text = unicodedata.normalize("NFC", text)
    if chance.random() < 0.3:
        text = text.replace(" & ", " and ").replace("’", "'")
    if chance.random() < 0.3 and " " not in text:
        text = text.replace("-", " ").replace("_", " ").strip() or text
    return text if words(text) == words(called) or key(text) == key(called) else called
