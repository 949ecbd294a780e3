"""Which module is weak, in words, with the figures (GRAMMAR, 4.3 and 5.2).

Every wrong answer is owed to one module; the one that owes most is weak. Knows nothing about answers or databases.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from trag.evaluate.comparing import mcnemar
from trag.evaluate.grammar import accuracy
from trag.evaluate.grammar.contexts import MODULES, Module, at_fault
from trag.evaluate.grammar.groups import TAGS, Group, Tag

SURE = 0.05
"""Below this probability of a difference as large by chance, the first module is named without reserve."""
_MEANS = {
    "retrieval database": "No text of those meanings was answered rightly, and nothing that tells the truth was found.",
    "retrieval": "What they ask can be found, but what was brought for those words did not tell it.",
    "language model": "It was given what tells the truth, and did not answer from it.",
}
_DO = {
    "retrieval database": "Add documents that hold it.",
    "retrieval": "Look at how passages and units are found for these questions.",
    "language model": "Use an abler model, or fine-tune this one.",
}


@dataclass(frozen=True, slots=True)
class Fault:
    """How many wrong answers a module owes."""

    module: Module
    wrong: int


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The weak module, None when every answer is right; the wrong answers each module owes; how many meanings are
    tagged what; and all of it in words."""

    weak: Module | None
    faults: tuple[Fault, ...]
    tags: tuple[tuple[Tag, int], ...]
    asked: int
    right: int
    words: str


def diagnose(groups: Sequence[Group], covered: Collection[str] = ()) -> Diagnosis:
    """The diagnosis of all answers. `covered` are the groups whose truth is known to be in the documents or the
    chart."""
    owed: Counter[Module] = Counter(
        at_fault(outcome, group, covered) for group in groups for outcome in group.outcomes if not outcome.right
    )
    faults = tuple(Fault(module, owed[module]) for module in MODULES)
    tagged = Counter(group.tag for group in groups)
    asked = sum(len(group.outcomes) for group in groups)
    weak = max(faults, key=lambda fault: fault.wrong).module if owed else None
    return Diagnosis(
        weak=weak,
        faults=faults,
        tags=tuple((tag, tagged[tag]) for tag in TAGS),
        asked=asked,
        right=asked - owed.total(),
        words=f"{_told(weak, faults)} {_figures(groups)}" if asked else "Nothing was asked.",
    )


def _told(weak: Module | None, faults: Sequence[Fault]) -> str:
    if weak is None:
        return "No module is weak: every answer is right."
    first, second, _ = sorted(faults, key=lambda fault: -fault.wrong)
    sure = mcnemar(first.wrong, second.wrong) < SURE
    total = sum(fault.wrong for fault in faults)
    doubt = "" if sure else f" That is not much more than the {second.module}'s {second.wrong}, so take it as a hint."
    others = ", ".join(f"{fault.wrong} by the {fault.module}" for fault in faults if fault.module != weak)
    return (
        f"The weak module is the {weak}: of {total:,} wrong answers {first.wrong:,} are owed to it ({others}). "
        f"{_MEANS[weak]} {_DO[weak]}{doubt}"
    )


def _figures(groups: Sequence[Group]) -> str:
    forms = dict.fromkeys(outcome.form for group in groups for outcome in group.outcomes)
    by_form = ", ".join(f"{form} texts {_percent(accuracy.gaps_removed(groups, form))}" for form in forms)
    return (
        f"Right are {_percent(accuracy.baseline(groups))} of all; the retrieval database stands at "
        f"{_percent(accuracy.of_database(groups))}; with gap groups left out {_percent(accuracy.gaps_removed(groups))} "
        f"are right ({by_form})."
    )


def _percent(share: float | None) -> str:
    return "none asked" if share is None else f"{share:.0%}"
