"""python -m bench.finder.speed [NAMES ...]: building the finder and asking it, beside pyahocorasick on the same names.

Each of the two is built in a process of its own, on charts made up here (10,000 and 100,000 names). pyahocorasick finds
exact lower-case names and nothing else: the floor that all the rest of the finder is paid on. Seconds are of the
processor, with those on the clock beside them; memory is what the process grew by.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from org.chart import Chart

SIZES = (10_000, 100_000)
QUESTIONS = 1_000
ROOT = Path(__file__).parent.parent.parent

_ONSETS = "b br c ch d dr f fl g gr h k l m n p pr r s st t th tr v w".split()
_VOWELS = "a e i o u ai ea ou".split()
_CODAS = "n r l s m nd rt ck x th".split()
_MATTERS = """accounts admissions agriculture analytics archives assets audit aviation benefits biology border budget
cargo chemistry climate coastal compliance construction contracts correspondence customs cyber data dairy defence
dialysis drainage ecology education elections energy engineering environment ethics events export facilities finance
fisheries fleet food forestry forms fraud geology grants harbours health heritage highways horticulture housing hygiene
identity imaging immigration infrastructure innovation inspection insurance integrity investment irrigation knowledge
laboratory land languages learning legal libraries licences lighting livestock logistics maintenance maritime markets
materials maternity media medicines minerals mobility museums networks nursing nutrition observatory oncology outreach
parks partnerships patents payroll pensions permits pharmacy planning ports postal poultry prevention printing privacy
procurement property protection publications quality radiology records recruitment recycling registry rehabilitation
relations remuneration research resilience resources revenue risk roads safety sanitation satellites scheduling schools
security sewage shipping signals skills social soil space sports standards statistics storage strategy surgery survey
sustainability taxation telecoms territory testing tourism trade traffic training translation transport travel treasury
valuation veterinary vocational volunteers warehouse waste water welfare wildlife youth""".split()
_SCOPES = "central coastal corporate digital external internal international joint marine mobile national".split()
_KINDS = "Department Division Office Section Unit Team Centre Directorate Service Committee Board Bureau Branch".split()


@dataclass(frozen=True, slots=True)
class Cost:
    """What building and asking took: seconds of the processor and on the clock, and bytes."""

    build: float
    build_clock: float
    question: float
    question_clock: float
    memory: int


def chart(names: int) -> Chart:
    """A chart with this many names in all, aliases among them; the same each time."""
    from org.chart import Chart, Unit

    dice = random.Random(f"finder {names}")
    units = [Unit("0", "The Great Administration", "", None, ("TGA",))]
    taken = {"The Great Administration", "TGA"}
    total = 2
    while total < names:
        name, alias = _name(dice)
        if name in taken or alias in taken:
            continue
        taken.update({name, alias} - {""})
        parent = str(dice.randrange(max(0, len(units) // 8 - 1), max(1, len(units) // 4)))
        units.append(Unit(str(len(units)), name, name.rpartition(" ")[2].lower(), parent, (alias,) if alias else ()))
        total += 1 + bool(alias)
    return Chart(units)


def _name(dice: random.Random) -> tuple[str, str]:
    """A name and an alias or ""; half of the names have a word that no dictionary has, as places and people do."""
    matters = [matter.title() for matter in dice.sample(_MATTERS, 2)]
    place = _made_up(dice)
    kind = dice.choice(_KINDS)
    scope = dice.choice(_SCOPES).title()
    name = dice.choice((
        f"{place} {matters[0]} {kind}",
        f"{matters[0]} and {matters[1]} {kind} {place}",
        f"{kind} of {scope} {matters[0]}, {place}",
        f"{scope} {matters[0]} & {matters[1]} {kind} {dice.randrange(1, 400)}",
        f"{matters[0]} {kind} for {place} and {_made_up(dice)}",
        f"{place} {kind} ({matters[0]})",
        f"{kind[:2].lower()}-{matters[0].lower()}-{place.lower()}",
    ))  # fmt: skip
    alias = dice.choice(("", "", "".join(word[0] for word in name.split() if word[0].isupper()), f"{place} {scope}"))
    return name, f"{alias}{dice.randrange(1, 9999)}" if alias.isupper() else alias


def _made_up(dice: random.Random) -> str:
    syllables = (dice.choice(_ONSETS) + dice.choice(_VOWELS) for _ in range(dice.choice((2, 2, 3))))
    return ("".join(syllables) + dice.choice(_CODAS)).title()


def questions(of: Chart) -> list[str]:
    """Questions as people type them: names in lower case, some with a slip, some with no name at all."""
    dice = random.Random("questions")
    units = list(of.units.values())
    texts: list[str] = []
    for place in range(QUESTIONS):
        first, second = (dice.choice(units).name.lower() for _ in range(2))
        if place % 3 == 0:
            first = _slip(first, dice)
        texts.append(
            dice.choice(
                (
                    f"where does the {first} sit",
                    f"who does {first} report to and what is under it",
                    f"is the {first} part of the {second}?",
                    f"how do i get a travel form signed by the {first} before the end of the month",
                    f"what has {first} in common with {second}",
                    "how many days of leave do i get in my first year, and may i carry some of them over",
                    "which departments are there and who heads the procuremnt of paper for our printers",
                )
            )
        )
    return texts


def _slip(name: str, dice: random.Random) -> str:
    """The name with two letters of one long word swapped."""
    place = dice.randrange(1, max(2, len(name) - 3))
    return name[:place] + name[place + 1 : place + 2] + name[place : place + 1] + name[place + 2 :]


def measure(build: Callable[[Chart], Callable[[str], object]], names: int) -> Cost:
    """The cost of what `build` makes of a chart: something to call with a question."""
    made = chart(names)
    asked = questions(made)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started, clock = time.process_time(), time.perf_counter()
    ask = build(made)
    built, built_clock = time.process_time() - started, time.perf_counter() - clock
    ask("warm up")
    started, clock = time.process_time(), time.perf_counter()
    for question in asked:
        ask(question)
    took, took_clock = time.process_time() - started, time.perf_counter() - clock
    memory = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
    return Cost(built, built_clock, took / len(asked), took_clock / len(asked), memory)


def finder(of: Chart) -> Callable[[str], object]:
    """Ours."""
    from org.linking.entities import EntityFinder

    return EntityFinder(of).find


def automaton(of: Chart) -> Callable[[str], object]:
    """pyahocorasick, with every name and alias in lower case."""
    import ahocorasick  # type: ignore[import-not-found, unused-ignore]

    found = ahocorasick.Automaton()
    for unit in of.units.values():
        for name in (unit.name, *unit.aliases):
            found.add_word(name.lower(), unit.id)
    found.make_automaton()
    return lambda question: list(found.iter(question.lower()))


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure both at each size, each in a process of its own, and print a table with the ratios."""
    parser = argparse.ArgumentParser(prog="python -m bench.finder.speed", description=__doc__)
    parser.add_argument("names", nargs="*", type=int, default=SIZES, metavar="NAMES")
    parser.add_argument("--only", choices=("finder", "automaton"), help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.only:
        cost = measure(finder if chosen.only == "finder" else automaton, chosen.names[0])
        print(json.dumps(asdict(cost)))
        return
    print(f"{'names':>7} {'':<14}{'build s (clock)':>18}{'question ms (clock)':>22}{'memory MiB':>12}")
    for names in chosen.names:
        ours, theirs = _apart("finder", names), _apart("automaton", names)
        for label, cost in (("the finder", ours), ("pyahocorasick", theirs)):
            build = f"{cost.build:.2f} ({cost.build_clock:.2f})"
            question = f"{cost.question * 1000:.3f} ({cost.question_clock * 1000:.3f})"
            print(f"{names:>7} {label:<14}{build:>18}{question:>22}{cost.memory / 2**20:>12.0f}")
        ratios = (ours.build / theirs.build, ours.question / theirs.question, ours.memory / max(theirs.memory, 1))
        print(f"{'':>7} {'ratio':<14}{ratios[0]:>18.1f}{ratios[1]:>22.1f}{ratios[2]:>12.1f}")


def _apart(which: str, names: int) -> Cost:
    """The cost measured in a fresh process."""
    command = [sys.executable, "-m", "bench.finder.speed", str(names), "--only", which]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return Cost(**json.loads(done.stdout))


if __name__ == "__main__":
    main()
