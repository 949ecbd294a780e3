"""A fact put into words as an employee would type it: phrasings.txt, units as people call them, and much around it.

Fact -> question, "" when there are no words for it that ask just that.  Knows nothing about where facts come from.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from random import Random

from org.chart import Unit
from trag.evaluate.chart_cases.calling import call
from trag.evaluate.chart_cases.facts import Fact
from trag.evaluate.chart_cases.names import EVERYDAY, Names, holds, plural, words

_TRIES = 6
_POLITE, _RAMBLING = 0.16, 0.14  # of the questions
_LONGEST_NAME = 3  # words of a phrasing looked at together
_SLOT = re.compile(r"\{(\w+)\}")
_HEADING = re.compile(r"\[(\w[^\]]*)\]")
_NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split()


@cache
def phrasings() -> Mapping[str, tuple[str, ...]]:
    """The lines of phrasings.txt under each heading."""
    found: dict[str, list[str]] = {}
    form = ""
    for line in Path(__file__).with_name("phrasings.txt").read_text(encoding="utf-8").splitlines():
        if heading := _HEADING.fullmatch(line):
            form = heading[1]
        elif line and not line.startswith("#"):
            found.setdefault(form, []).append(line)
    return {form: tuple(lines) for form, lines in found.items()}


class Phrasings:
    """The phrasings that mean the same in one chart: none of their own words names a unit of it, a type or a column."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._used = Counter[str]()
        self._usable = {form: [line for line in lines if self._is_usable(line)] for form, lines in phrasings().items()}

    def _is_usable(self, line: str) -> bool:
        found = words(_SLOT.sub(" . ", line))
        for length in range(1, _LONGEST_NAME + 1):
            for start in range(len(found) - length + 1):
                phrase = " ".join(found[start : start + length])
                known = self._names.is_known(phrase) or self._names.is_column(phrase)
                if self._names.is_type(phrase) or (known and phrase not in EVERYDAY):
                    return False
        return True

    def has(self, form: str) -> bool:
        """Whether there is any phrasing left for a form."""
        return bool(self._usable[form])

    def ask(self, fact: Fact, chance: Random) -> str:
        """One question for the fact; "" when none was found that names its units for sure and does not give the
        answer away."""
        if not self.has(fact.form) or _is_in_names(fact):
            return ""
        for _ in range(_TRIES):
            line = self._least_used(fact.form, chance)
            around = self._around(chance)
            is_hurried = line[0].islower() or (line[0] == "{" and chance.random() < 0.7)
            unit = self._called(fact.unit, chance, is_hurried)
            other = self._called(fact.other, chance, is_hurried)
            if unit is None or other is None or _is_muddled(line + around, unit, other):
                continue
            question = _fill(around, {"question": _joined(_fill(line, _slots(fact, unit, other, is_hurried)), around)})
            if not any(holds(question, form) for item in fact.case.gold for form in item):
                return question
        return ""

    def _around(self, chance: Random) -> str:
        share = chance.random()
        if share < _POLITE:
            return self._pick("around: polite", chance)
        return self._pick("around: rambling", chance) if share < _POLITE + _RAMBLING else "{question}"

    def _pick(self, form: str, chance: Random) -> str:
        return self._least_used(form, chance) if self.has(form) else "{question}"

    def _least_used(self, form: str, chance: Random) -> str:
        """A phrasing of the form, of those that came least often so far."""
        least = min(self._used[line] for line in self._usable[form])
        line = chance.choice([line for line in self._usable[form] if self._used[line] == least])
        self._used[line] += 1
        return line

    def _called(self, unit: Unit | None, chance: Random, is_hurried: bool) -> str | None:
        """What the unit is called, "" when there is none to call, None when nothing means it alone."""
        return "" if unit is None else call(unit, self._names, chance, hurried=is_hurried) or None


def _slots(fact: Fact, unit: str, other: str, is_hurried: bool) -> dict[str, str]:
    is_name = fact.unit is None and fact.case.refuse
    noun = fact.noun if is_name and not is_hurried else _small(fact.noun)
    number = _NUMBERS[fact.number] if is_hurried or fact.number % 2 else str(fact.number)
    return {"unit": unit, "other": other, "type": noun, "types": _small(plural(fact.noun)), "number": number}


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


def _is_muddled(line: str, unit: str, other: str) -> bool:
    """Whether a unit is called by words that the phrasing has too, or two units alike."""
    literal = _SLOT.sub(" . ", line)
    return any(called and holds(literal, called) for called in (unit, other)) or (unit == other != "")


def _is_in_names(fact: Fact) -> bool:
    """Whether any answer that repeats the names of the units asked about holds a part of the gold."""
    named = [name for unit in (fact.unit, fact.other) if unit for name in (unit.name, *unit.aliases)]
    count = fact.case.count
    numbers = () if count is None else (str(count), *_NUMBERS[count : count + 1])
    gold = [*numbers, *(form for item in fact.case.gold for form in item)]
    return any(holds(name, form) for name in named for form in gold)
