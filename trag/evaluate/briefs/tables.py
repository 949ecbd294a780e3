"""The paper's tables of what was written, with its own figures beside, and what it cannot measure.

texts by system, the judge -> verdicts -> AIS, ROUGE, lengths, repetition, sources -> tables
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from trag.evaluate.briefs.ais import KINDS, Ais, Verdict, ais
from trag.evaluate.briefs.judge import Judge
from trag.evaluate.briefs.measures import unique, words
from trag.evaluate.briefs.names import SETS
from trag.evaluate.briefs.rouge import Rouge, precision
from trag.evaluate.briefs.sentences import sentences
from trag.evaluate.briefs.systems import CALLED, Written
from trag.evaluate.tables import Table

NOTE = (
    "Strict: texts all of whose sentences the judge finds supported by a passage that entered the prompt; Macro: mean "
    "share of sentences a text; Micro: share of all sentences. ROUGE precision against the evidence. The paper's "
    "figures are from the web, another judge and far larger models; ours are from organizations' documents. How far "
    "the judge may be trusted: python -m bench.judge FOLDER."
)
_PAPER = (
    # Mistral-7B-Instruct-v0.3, Wiki-Ent (table 7): Strict, Macro, Micro, R1, R2, RL, words
    ("one", (11.7, 70.5, 71.1, 80.7, 47.8, 77.6, 168)),
    ("one2x", (20.3, 76.6, 76.6, 87.9, 57.3, 84.9, 170)),
    ("plan-a", (16.0, 73.5, 74.0, 91.9, 61.1, 89.6, 178)),
    ("plan-b", (25.0, 76.7, 77.1, 92.8, 64.2, 90.8, 162)),
)
_MEANS = (84.0, 94.9)
"""Strict and Macro of Plan-based A, means over the eight rows of tables 1 and 2."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One text with the verdicts on its sentences and its ROUGE precision."""

    written: Written
    verdicts: tuple[Verdict, ...]
    rouge: Rouge


def judged(texts: Sequence[Written], judge: Judge) -> list[Judged]:
    """The texts as the judge finds them; one that refuses has no sentences."""
    found = []
    for one in texts:
        verdicts = judge.verdicts(one.evidence, one.sentences, one.cited) if one.sentences else ()
        evidence = [sentence for passage in one.evidence for sentence in sentences(passage)]
        found.append(Judged(one, tuple(verdicts), precision(one.sentences, evidence)))
    return found


def report(by_system: Mapping[str, Sequence[Judged]]) -> tuple[Table, ...]:
    """Every table of what was written."""
    return (_all(by_system), _sets(by_system), _kinds(by_system), _rest(by_system))


def _all(by_system: Mapping[str, Sequence[Judged]]) -> Table:
    header = ("system", "texts", "refused", "Strict", "Macro", "Micro", "R1", "R2", "RL", "words")
    rows = [(CALLED[system], *_figures(texts)) for system, texts in by_system.items()]
    for system, figures in _PAPER:
        if system in by_system:
            shown = (f"{each:g}" for each in figures)
            rows.append((f"paper, Mistral-7B, Wiki-Ent: {CALLED[system]}", "81", "", *shown))
    rows.append(("paper, mean of Plan-based A", "", "", *(f"{each:g}" for each in _MEANS), *[""] * 5))
    return Table("Texts about units and topics (tables 1, 2 and 7)", header, tuple(rows), NOTE)


def _figures(texts: Sequence[Judged]) -> tuple[str, ...]:
    refused = sum(not one.verdicts for one in texts)
    if refused == len(texts):
        return (str(len(texts)), str(refused), *[""] * 7)
    said = [one for one in texts if one.verdicts]
    found = ais([one.verdicts for one in texts])
    rouges = (100 * fmean(getattr(one.rouge, name) for one in said) for name in ("r1", "r2", "rl"))
    length = fmean(words(" ".join(one.written.sentences)) for one in said)
    return (str(len(texts)), str(refused), *_shares(found), *(f"{each:.1f}" for each in rouges), f"{length:.0f}")


def _shares(found: Ais) -> tuple[str, ...]:
    shares = (found.strict, found.macro, found.micro)
    return tuple(f"{100 * each.value:.1f} ({100 * each.low:.0f}-{100 * each.high:.0f})" for each in shares)


def _sets(by_system: Mapping[str, Sequence[Judged]]) -> Table:
    header = ("system", *(f"{set} {name}" for set in SETS for name in ("Strict", "Macro")))
    rows = []
    for system, texts in by_system.items():
        row = [CALLED[system]]
        for set in SETS:
            some = [one.verdicts for one in texts if one.written.set == set and one.verdicts]
            found = ais(some) if some else None
            row += [f"{100 * each.value:.1f}" for each in (found.strict, found.macro)] if found else ["", ""]
        rows.append(tuple(row))
    return Table("By set: units in three sections or more, in one or two, headings", header, tuple(rows))


def _kinds(by_system: Mapping[str, Sequence[Judged]]) -> Table:
    rows = []
    for system, texts in by_system.items():
        found = ais([one.verdicts for one in texts]) if any(one.verdicts for one in texts) else None
        for name, shares in (("cited", found.cited), ("uncited", found.uncited)) if found else ():
            if shares:
                rows.append((CALLED[system], name, *(f"{100 * shares[kind]:.1f}" for kind in KINDS)))
    return Table("Sentences that cite and that do not, % of each", ("system", "sentences", *KINDS), tuple(rows))


def _rest(by_system: Mapping[str, Sequence[Judged]]) -> Table:
    header = ("system", "sources", "quotations %", "unique 3-grams %", "found again", "seconds")
    rows = []
    for system, texts in by_system.items():
        said = [one.written for one in texts if one.verdicts]
        if not said:
            continue
        sources = fmean(len({place for each in one.cited for place in each} or one.evidence) for one in said)
        quoted = sum(one.quotations for one in said) / sum(len(one.sentences) for one in said)
        rows.append(
            (
                CALLED[system],
                f"{sources:.1f}",
                f"{100 * quoted:.0f}",
                f"{100 * fmean(unique(' '.join(one.sentences), 3) for one in said):.1f}",
                f"{fmean(one.added for one in said):.1f}",
                f"{median(one.seconds for one in said):.0f}",
            )
        )
    note = "Sources: cited ones, else the passages shown. Found again: passages that only the second search has."
    return Table("Beside that", header, tuple(rows), note)
