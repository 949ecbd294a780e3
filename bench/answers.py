"""Answers to questions about a chart, right and wrong, as a model would word them.

Chart, wordings (bench/wordings) -> Cases: each wording several times, about units drawn by chance, with names in full,
shortened or as aliases; then with one planted error: a unit under another one, one that does not exist, one left out
or added, a count off, a yes for a no.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from org.answering.sentences import listing, plural
from org.chart import Chart, Unit

EACH = 8  # answers of a wording on a chart
WORDS = "no one two three four five six seven eight nine ten eleven twelve".split()
QUESTIONS = {
    "parent": ("Who does {unit} report to?", "What is the parent of {unit}?", "which unit is {unit} directly under"),
    "path": ("Where is {unit} in the organization?", "where does {unit} sit", "What is above {unit}?"),
    "children": ("Which units are directly under {unit}?", "what is under {unit}", "List the units of {unit}."),
    "count": ("How many units are directly under {unit}?", "how many units does {unit} have directly under it"),
    "count-all": ("How many units are under {unit} in all?", "how many units in total are in {unit}"),
    "count-type": ("How many {types} are under {unit}?", "how many {types} does {unit} have"),
    "siblings": ("What are the siblings of {unit}?", "which units are next to {unit}"),
    "common": ("What is the common parent of {first} and {second}?", "Which unit is above both {first} and {second}?"),
    "yes": ("Is {unit} under {above}?", "does {unit} belong to {above}"),
    "no": ("Is {unit} under {other}?", "is {unit} part of {other}"),
    "passing-place": ("Who keeps the register of gifts?",),
    "passing-count": ("How long does a decision take?",),
    "passing-invented": ("Who approves a claim?",),
    "plain": ("Who has to be told about a change?",),
}
SHORTENED = ("Office", "Division", "Committee", "Department", "Team", "Unit", "Desk")
INVENTED = ("Ocean Futures", "Digital Affairs", "Horse Racing", "Youth & Space", "Volcano Watch", "Quantum Strategy")


@dataclass(frozen=True, slots=True)
class Case:
    """A question, an answer, and what is wrong with the answer ("" for nothing)."""

    kind: str
    wording: str
    question: str
    answer: str
    error: str


def read(path: Path) -> dict[str, list[str]]:
    """The wordings of a file by kind."""
    found: dict[str, list[str]] = {}
    kind = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if heading := re.fullmatch(r"\[([\w-]+)\]", line):
            kind = heading[1]
        elif line and not line.startswith("#"):
            found.setdefault(kind, []).append(line.replace("\\n", "\n"))
    return found


def sentences_of(folder: Path) -> Iterator[Case]:
    """Every sentence of the organization's own documents, as an answer with nothing wrong."""
    for path in sorted(folder.iterdir()) if folder.exists() else ():
        for line in dict.fromkeys(re.split(r"(?<=[.!?])\s+|\n", path.read_text(encoding="utf-8"))):
            if len(line.split()) > 4 and not line.startswith(("|", "#")):
                yield Case("documents", line, "What do the rules say?", line, "")


def cases(chart: Chart, wordings: dict[str, list[str]]) -> Iterator[Case]:
    """Right and wrong answers on a chart, each wording several times."""
    for kind, texts in wordings.items():
        for text in texts:
            chance = random.Random(f"{kind} {text}")
            for _ in range(EACH):
                yield from planted(kind, text, chart, chance)


def planted(kind: str, text: str, chart: Chart, chance: random.Random) -> Iterator[Case]:
    """A right answer about a unit drawn by chance, and the same with each error that the wording can hold."""
    fitting = [one for one in chart.units.values() if fits(kind, one, chart)]
    if not fitting:
        return  # a flat chart has no paths to ask for
    unit = chance.choice(fitting)
    facts = Facts(unit, chart, chance, kind)
    question = chance.choice(QUESTIONS[kind]).replace("{types}", plural(facts.noun))

    def case(values: dict[str, str], error: str, wording: str = text) -> Case:
        return Case(kind, wording, fill(question, values), fill(wording, values | facts.wrong.get(error, {})), error)

    values = facts.values
    if kind == "passing-invented":
        yield case(values, "unit invented")
        return
    yield case(values, "")
    for error, changed in facts.wrong.items():
        names = set(re.findall(r"{(\w+)}", text))
        if names & set(changed):
            yield case(values, error)
    if kind in ("yes", "no"):
        flipped = chance.choice(FLIPPED[kind])
        yield Case(kind, flipped, fill(question, values), fill(flipped, values), "yes or no flipped")


FLIPPED = {
    "yes": (
        "No, {unit} is not under {above}.",
        "No.",
        "{unit} is not part of {above}.",
        "It is not; {above} does not include {unit}.",
    ),
    "no": (
        "Yes.",
        "Yes, {unit} is under {other}.",
        "{unit} is part of {other}.",
        "That's right, {unit} reports to {other}.",
    ),
}


def fits(kind: str, unit: Unit, chart: Chart) -> bool:
    """Whether a unit can be the matter of a question of this kind."""
    children, depth = len(chart.children(unit.id)), chart.depth(unit.id)
    if len(chart.named(unit.name)) > 1 or not depth or chart.total(unit.id) > len(chart) / 3:
        return False
    match kind:
        case "children":
            return 2 <= children <= 8
        case "count" | "passing-count":
            return children >= 2
        case "count-all" | "count-type":
            return children > 1 and chart.total(unit.id) > children
        case "siblings":
            return depth > 0 and 2 <= len(chart.siblings(unit.id)) <= 8
        case "path" | "common":
            return depth > 2
        case _:
            return depth > 1


class Facts:
    """What fills the places of a wording: `values` when it is right, `wrong` what changes with each error."""

    def __init__(self, unit: Unit, chart: Chart, chance: random.Random, kind: str) -> None:
        self.chart, self.chance = chart, chance
        path = chart.path(unit.id)
        apart = [one for one in chart.units.values() if self.is_apart(one, unit)]
        other, stranger = chance.sample(apart, 2)
        parent = path[-2] if len(path) > 1 else chart.root
        below = chart.descendants(unit.id)
        types = [one.type for one in below if one.type and one.type.lower() != "unit"]
        noun = chance.choice(sorted(set(types))) if types else "unit"
        self.noun = noun
        number = {
            "count-all": len(below),
            "count-type": types.count(noun),
        }.get(kind, len(chart.children(unit.id)))
        listed = chart.siblings(unit.id) if kind == "siblings" else chart.children(unit.id)
        first, second = unit, unit
        if kind == "common":
            first, second = self.pair(apart)
            parent = chart.common(first.id, second.id)
            stranger = self.chance.choice(
                [
                    one
                    for one in chart.units.values()
                    if not chart.is_under(first.id, one.id) and one not in (first, second)
                ]
            )
        self.values = {
            "unit": self.name(unit),
            "parent": self.name(parent),
            "grand": self.name(path[-3]) if len(path) > 2 else "",
            "top": self.name(chart.root),
            "above": self.name(chance.choice(path[1:-1] or path[:1])),
            "other": self.name(other),
            "first": self.name(first),
            "second": self.name(second),
            "fake": self.fake(),
            **self.listed(listed),
            **({} if kind == "children" else self.number(number, kind)),
        }
        self.wrong: dict[str, dict[str, str]] = {"parent swapped": {"parent": self.name(stranger)}}
        if kind == "path":
            self.wrong["grandparent swapped"] = {"grand": self.name(stranger)}
        if kind == "common":
            self.wrong = {"common parent": {"parent": self.name(stranger)}}
        if kind in ("yes", "no", "plain"):
            self.wrong = {}
        if kind in ("children", "siblings"):
            position = chance.randrange(len(listed))
            short = [*listed[:position], *listed[position + 1 :]]
            name = "sibling" if kind == "siblings" else "unit"
            if kind == "siblings":
                self.wrong = {"other sibling": self.listed([*short, stranger])}
            else:
                self.wrong = {"unit added": self.listed([*listed, stranger])}
            self.wrong[f"{name} left out"] = self.listed(short)
            if kind == "children":
                fake = self.fake()
                self.wrong["unit invented"] = self.listed([*listed[:position], *listed[position + 1 :]], fake)
        if kind.startswith(("count", "passing-count")):
            direct = sum(one.type == noun for one in chart.children(unit.id))
            taken = {number, len(chart.children(unit.id)), len(below), types.count(noun), direct}
            self.wrong = {"count off": self.number(self.near(number, taken), kind)}

    def is_apart(self, one: Unit, unit: Unit) -> bool:
        """Whether neither is above the other, nor directly beside it, nor called the same as anything near it."""
        chart = self.chart
        near = {other.name for other in (*chart.path(unit.id), *chart.descendants(unit.id), *chart.siblings(unit.id))}
        return one.name not in near and one.id != chart.root.id

    def pair(self, units: Sequence[Unit]) -> tuple[Unit, Unit]:
        """Two units of which neither is above the other, with a common unit below the root where there is one."""
        chart, best = self.chart, None
        unique = [one for one in units if len(chart.named(one.name)) == 1]
        for _ in range(60):
            first, second = self.chance.sample(unique, 2)
            if chart.is_under(first.id, second.id) or chart.is_under(second.id, first.id):
                continue
            best = best or (first, second)
            if chart.common(first.id, second.id) != chart.root:
                return first, second
        assert best
        return best

    def name(self, unit: Unit) -> str:
        """The unit as a model would call it: mostly by its name, at times by an alias or without its kind."""
        article = "the " if " " in unit.name and self.chance.random() < 0.8 and unit.name.isascii() else ""
        article = "" if unit.name.startswith("The ") else article
        form = self.chance.random()
        aliases = [
            alias
            for alias in unit.aliases
            if not alias.endswith("'s") and re.fullmatch(r"[A-Z]{3,5}|[A-Z]\w+(?: \w+){1,3}", alias)
        ]
        if form < 0.15 and aliases:
            return f"the {self.chance.choice(aliases)}"
        bare, _, kind = unit.name.rpartition(" ")
        if form > 0.9 and " " in bare and kind in SHORTENED:
            others = [one for one in self.chart.units.values() if bare.lower() in one.name.lower()]
            if len(others) == 1 and not re.search(r"(?:\b(?:of|for|and)|&|'s)$", bare):
                return bare
        return article + unit.name

    def number(self, value: int, kind: str) -> dict[str, str]:
        """A number in figures and, when it is small, as a word."""
        types = self.noun if value == 1 else plural(self.noun)
        return {"n": str(value), "word": WORDS[value] if value < len(WORDS) else str(value), "types": types}

    def near(self, number: int, taken: set[int]) -> int:
        """A number beside the right one that is not right in any sense."""
        return self.chance.choice([one for one in range(max(1, number - 4), number + 6) if one not in taken])

    def listed(self, units: Sequence[Unit], fake: str = "") -> dict[str, str]:
        """A list of units in each of its forms, the invented one among them."""
        names = [self.name(unit) for unit in units]
        if fake:
            names.insert(self.chance.randrange(len(names) + 1), fake)
        return {
            "list": listing(names) if names else "",
            "bullets": "\n".join(f"- {name}" for name in names),
            "numbers": "\n".join(f"{place}. {name}" for place, name in enumerate(names, 1)),
            "n": str(len(names)),
            "word": WORDS[len(names)] if len(names) < len(WORDS) else str(len(names)),
        }

    def fake(self) -> str:
        """The name of a unit that no chart has."""
        kind = self.chance.choice(("Office", "Division", "Committee", "Unit", "Team", "Department"))
        return f"the {self.chance.choice(INVENTED)} {kind}"


def fill(text: str, values: dict[str, str]) -> str:
    """A wording with its places filled; a sentence begins with a capital."""
    filled = re.sub(r"{(\w+)}", lambda match: values[match[1]], text)
    return re.sub(r"(?:(?<=[.!?]\s)|^)the\b", "The", filled)
