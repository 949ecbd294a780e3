"""From answers to the weak module (GRAMMAR, 4.3): semantic groups, the context comparison, accuracies, diagnosis."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from trag.evaluate.comparing import mcnemar
from trag.evaluate.grammar.questions import Meaning, holds

if TYPE_CHECKING:
    from trag.record import AnswerRecord

Tag = Literal["gap", "robust", "non-robust"]
TAGS: tuple[Tag, ...] = ("gap", "non-robust", "robust")
Module = Literal["retrieval database", "retrieval", "language model"]
MODULES: tuple[Module, ...] = ("retrieval database", "retrieval", "language model")
SURE = 0.05
"""Below this probability of a difference as large by chance, the first module is named without reserve."""
_ADVICE = {
    "retrieval database": "No text of those meanings was answered rightly, and nothing that tells the truth was found. "
    "Add documents that hold it.",
    "retrieval": "What they ask can be found, but what was brought for those words did not tell it. Look at how "
    "passages and units are found for these questions.",
    "language model": "It was given what tells the truth, and did not answer from it. Use an abler model, or fine-tune "
    "this one.",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one text: its meaning, its form, whether the answer is right, the evidence that entered the prompt,
    and that part of the evidence that holds the truth."""

    group: str
    form: str
    right: bool
    context: frozenset[str] = frozenset()
    holding: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Group:
    """All outcomes of one meaning."""

    id: str
    outcomes: tuple[Outcome, ...]

    @property
    def tag(self) -> Tag:
        """Gap where no text was answered rightly, robust where all were, else non-robust."""
        right = sum(outcome.right for outcome in self.outcomes)
        return "gap" if not right else "robust" if right == len(self.outcomes) else "non-robust"


def grouped(outcomes: Sequence[Outcome]) -> tuple[Group, ...]:
    """The groups, in the order of their first outcomes."""
    found: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        found.setdefault(outcome.group, []).append(outcome)
    return tuple(Group(id, tuple(some)) for id, some in found.items())


def outcome_of(meaning: Meaning, form: str, record: AnswerRecord, *, right: bool) -> Outcome:
    """What came of one text of a meaning, by the sources that entered its prompt."""
    context, holding = set(), set()
    for source in record.sources:
        # Those of the chart are numbered anew for each question.
        name = f"chart {source.section}" if source.kind == "chart" else source.id
        context.add(name)
        if tells(f"{source.section} {source.question} {source.text}", meaning):
            holding.add(name)
    return Outcome(meaning.id, form, right, frozenset(context), frozenset(holding))


def covered_meanings(meanings: Sequence[Meaning], texts: Iterable[str]) -> frozenset[str]:
    """The ids of the meanings whose truth one of the texts holds. One text is in memory at a time."""
    found: set[str] = set()
    for text in texts:
        plain = " ".join(text.casefold().split())
        for one in meanings:
            likely = one.id not in found and any(form.casefold() in plain for form in one.gold[0])
            if likely and tells(plain, one):
                found.add(one.id)
    return frozenset(found)


def tells(text: str, meaning: Meaning) -> bool:
    """Whether a text holds all of the answer, and something of what it is the answer to: a bare "5" stands in many."""
    return all(any(holds(text, form) for form in item) for item in meaning.gold) and any(
        holds(text, value) for value in meaning.values
    )


def sufficient(outcome: Outcome, group: Group) -> bool:
    """Whether a wrong answer in a non-robust group had a context from which its meaning can be answered rightly."""
    right = [one for one in group.outcomes if one.right]
    if outcome.holding or any(one.holding for one in right):
        return bool(outcome.holding)
    return bool(outcome.context & frozenset[str]().union(*(one.context for one in right)))


def at_fault(outcome: Outcome, group: Group, covered: Collection[str] = ()) -> Module:
    """The module that a wrong answer is owed to. `covered` are the groups whose truth is known to be in the documents
    or the chart.

    In a non-robust group the contexts decide. In a gap group no right answer is there to compare with, and the paper
    owes all of it to the retrieval database; where the truth is seen to have entered the prompt the model was at
    fault, where it is known to be in the database but did not enter, retrieval was.
    """
    if group.tag == "non-robust":
        return "language model" if sufficient(outcome, group) else "retrieval"
    if outcome.holding:
        return "language model"
    return "retrieval" if group.id in covered else "retrieval database"


def database_accuracy(groups: Sequence[Group]) -> float | None:
    """1 - gap examples / all examples (equation 1)."""
    gaps = sum(len(group.outcomes) for group in groups if group.tag == "gap")
    share = _share(gaps, sum(len(group.outcomes) for group in groups))
    return None if share is None else 1 - share


def baseline(groups: Sequence[Group], form: str = "", *, compared: bool = False) -> float | None:
    """Right of all; of one form where it is named."""
    counted = [_counted(group, form, compared) for group in groups]
    return _share(sum(right for right, _ in counted), sum(asked for _, asked in counted))


def gaps_removed(groups: Sequence[Group], form: str = "", *, compared: bool = False) -> float | None:
    """Right of all that are no gap examples (equation 2); the baseline is this times 1 - the share of gap examples
    (equation 3)."""
    return baseline([group for group in groups if group.tag != "gap"], form, compared=compared)


def balanced(groups: Sequence[Group], form: str = "", *, compared: bool = False) -> float | None:
    """The mean over meanings, so that each weighs the same however many texts it has.

    The paper makes equally many texts of every meaning; this is what that gives on average. Only meanings that have
    texts in every form are counted, so that the share of gap groups is the same in all forms.
    """
    forms = {outcome.form for group in groups for outcome in group.outcomes}
    whole = [group for group in groups if {outcome.form for outcome in group.outcomes} == forms]
    shares = [right / asked for right, asked in (_counted(group, form, compared) for group in whole) if asked]
    return _share(sum(shares), len(shares))


def _counted(group: Group, form: str, compared: bool) -> tuple[int, int]:
    """How many count as right, and how many there are."""
    asked = [outcome for outcome in group.outcomes if form in ("", outcome.form)]
    forgiven = compared and group.tag == "non-robust"
    return sum(outcome.right or (forgiven and sufficient(outcome, group)) for outcome in asked), len(asked)


def _share(part: float, whole: int) -> float | None:
    return part / whole if whole else None


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
    forms = dict.fromkeys(outcome.form for group in groups for outcome in group.outcomes)
    by_form = ", ".join(f"{form} texts {_percent(gaps_removed(groups, form))}" for form in forms)
    words = (
        f"{_verdict(weak, faults)} Right are {_percent(baseline(groups))} of all; the retrieval database stands at "
        f"{_percent(database_accuracy(groups))}; with gap groups left out {_percent(gaps_removed(groups))} "
        f"are right ({by_form})."
    )
    tags = tuple((tag, tagged[tag]) for tag in TAGS)
    return Diagnosis(weak, faults, tags, asked, asked - owed.total(), words if asked else "Nothing was asked.")


def _verdict(weak: Module | None, faults: Sequence[Fault]) -> str:
    if weak is None:
        return "No module is weak: every answer is right."
    first, second, _ = sorted(faults, key=lambda fault: -fault.wrong)
    sure = mcnemar(first.wrong, second.wrong) < SURE
    total = sum(fault.wrong for fault in faults)
    doubt = "" if sure else f" That is not much more than the {second.module}'s {second.wrong}, so take it as a hint."
    others = ", ".join(f"{fault.wrong} by the {fault.module}" for fault in faults if fault.module != weak)
    return (
        f"The weak module is the {weak}: of {total:,} wrong answers {first.wrong:,} are owed to it ({others}). "
        f"{_ADVICE[weak]}{doubt}"
    )


def _percent(share: float | None) -> str:
    return "none asked" if share is None else f"{share:.0%}"
