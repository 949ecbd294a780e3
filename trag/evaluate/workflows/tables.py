"""The paper's tables 4 to 7 of what was written, its own figures to stand beside them, and what it lacks: whole
workflows, rules, logic, whether they run, and what could be chance.

workflows as they were written, sets with their gold -> read, scored -> tables
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from trag.evaluate.comparing import mcnemar
from trag.evaluate.tables import Table
from trag.evaluate.workflows.cases import Cases
from trag.evaluate.workflows.scores import Reading, Score, read, score
from trag.evaluate.workflows.systems import Written

MEAN = "all, weighted"
_OWN = "Data and models are not the paper's."
_PAPER_MODELS = (
    # model, without suggestions, with them: Trigger EM, Bag of Steps, HS, HT
    ("StarCoderBase-1B", (0.580, 0.645, 0.157, 0.192), (0.591, 0.619, 0.072, 0.044)),
    ("StarCoderBase-3B", (0.551, 0.648, 0.140, 0.214), (0.615, 0.641, 0.017, 0.030)),
    ("StarCoderBase-7B", (0.547, 0.669, 0.137, 0.206), (0.664, 0.672, 0.019, 0.042)),
    ("StarCoderBase-15.5B", (0.632, 0.662, 0.160, 0.194), (0.667, 0.667, 0.040, 0.016)),
    ("CodeLlama-7B", (), (0.623, 0.617, 0.039, 0.108)),
    ("Mistral-7B-v0.1", (), (0.596, 0.617, 0.049, 0.045)),
)
"""Table 4, Human Eval."""
_PAPER_SETS = (
    ("OOD1", (0.662, 0.619, 0.063, 0.051)),
    ("OOD2", (0.645, 0.612, 0.020, 0.151)),
    ("OOD3", (0.562, 0.743, 0.014, 0.033)),
    ("OOD4", (0.400, 0.671, 0.011, 0.154)),
    ("OOD5", (0.774, 0.770, 0.005, 0.063)),
    (MEAN, (0.647, 0.714, 0.018, 0.066)),
    (f"{MEAN}, without suggestions", (0.544, 0.629, 0.020, 0.428)),
)
"""Table 5, StarCoderBase-7B with suggestions."""
_PAPER_NAMES = (
    # set, names and % invented without suggestions and with them: of steps (table 6), of tables (table 7)
    ("OOD1", (52, 40), (100, 13), (40, 70), (22, 14)),
    ("OOD2", (38, 34), (96, 13), (31, 71), (19, 21)),
    ("OOD3", (122, 37), (269, 9), (61, 64), (44, 9)),
    ("OOD4", (20, 5), (32, 9), (11, 54), (9, 22)),
    ("OOD5", (88, 17), (151, 3), (38, 68), (29, 17)),
)
_MEASURES = ("Trigger EM", "Bag of Steps", "HS", "HT")
_NOTE = (
    "Trigger EM: trigger and table as the gold has them, no trigger being one too. Bag of Steps: 2|G & P| / (|G| + |P|)"
    " of multisets, logic steps counted. HS: invented of the steps of a workflow, mean over those that have some; HT: "
    f"invented tables, of the workflows that write one. Means over sets are weighted by their workflows. {_OWN}"
)


@dataclass(frozen=True, slots=True)
class Scored:
    """One workflow, read, with its score."""

    written: Written
    reading: Reading
    score: Score


Rows = Mapping[tuple[str, str, str], Sequence[Scored]]
"""By system, form and set."""
Column = Callable[[Sequence[Scored]], str]
_Value = Callable[[Score], float | bool | None]


def report(written: Mapping[str, Sequence[Written]], sets: Sequence[Cases]) -> tuple[Table, ...]:
    """What the workflows come to, the paper's own figures each after ours."""
    of = scored(written, sets)
    return (
        _table("Workflows", of, _MAIN, _NOTE),
        _paper_models(),
        _paper_sets(),
        _names(of, sets),
        _paper_names(),
        _table("Whole workflows", of, _WHOLE, _WHOLE_NOTE),
        _table("What they would do", of, _RUNNING, _RUNNING_NOTE),
        _beside(of),
    )


def scored(written: Mapping[str, Sequence[Written]], sets: Sequence[Cases]) -> Rows:
    """Each workflow held against the gold of its case."""
    found: dict[tuple[str, str, str], list[Scored]] = {}
    for each in sets:
        golds = {case.id: case.gold for case in each.cases}
        for one in written[each.name]:
            reading = read(one.text, one.form)
            suggested = None if one.steps is None or one.tables is None else (one.steps, one.tables)
            made = score(reading, golds[one.case], each.book, suggested=suggested, whole=one.whole)
            found.setdefault((one.system, one.form, each.name), []).append(Scored(one, reading, made))
    return found


def _mean(value: _Value) -> Column:
    """Over those that have one."""

    def column(of: Sequence[Scored]) -> str:
        found = [float(one) for each in of if (one := value(each.score)) is not None]
        return f"{fmean(found):.3f}" if found else "-"

    return column


def _share(some: _Value, all_: _Value) -> Column:
    def column(of: Sequence[Scored]) -> str:
        total = sum(all_(each.score) or 0 for each in of)
        return f"{sum(some(each.score) or 0 for each in of) / total:.3f}" if total else "-"

    return column


_MAIN: Mapping[str, Column] = {
    "Trigger EM": _mean(lambda one: one.trigger),
    "Bag of Steps": _mean(lambda one: one.bag),
    "HS": _mean(lambda one: one.invented_steps),
    "HT": _mean(lambda one: one.invented_table),
    "EM with a trigger": _mean(lambda one: one.trigger if one.with_trigger else None),
    "Jaccard": _mean(lambda one: one.jaccard),
    "Without logic": _mean(lambda one: one.bag_of_actions),
    "HT of all": _mean(lambda one: bool(one.invented_table)),
    "Triggers invented": _mean(lambda one: one.invented_trigger),
    "Steps suggested": _mean(lambda one: one.recall_steps),
    "all of them": _mean(lambda one: None if one.recall_steps is None else one.recall_steps == 1),
    "Table suggested": _mean(lambda one: one.recall_tables),
    "Seconds": lambda of: f"{fmean(each.written.seconds for each in of):.1f}",
}
_WHOLE: Mapping[str, Column] = {
    "Read": _mean(lambda one: one.parsed),
    "Keep the rules": _mean(lambda one: one.rules),
    "Exact": _mean(lambda one: one.exact),
    "FlowSim": _mean(lambda one: one.similarity),
    "Right logic": _mean(lambda one: one.logic),
    "of": lambda of: str(sum(each.score.logic is not None for each in of)),
    "False logic": _mean(lambda one: one.false_logic),
    "Empty": _mean(lambda one: one.empty),
}
_WHOLE_NOTE = (
    "Read: the whole text has the form. Keep the rules: the product's checker finds nothing against the structure, "
    "whatever the names. Exact: trigger, table, and each step at its place. FlowSim: 1 - tree edit distance / nodes of "
    "the larger tree. Right logic: of the requests whose gold has logic steps, those with just these; false logic: of "
    "the others, those with any."
)
_RUNNING: Mapping[str, Column] = {
    "Dry runs to the end": _mean(lambda one: one.dry),
    "Inputs": lambda of: str(sum(each.score.inputs for each in of)),
    "open": _share(lambda one: one.open, lambda one: one.inputs),
    "References": lambda of: str(sum(each.score.references for each in of)),
    "lead nowhere": _share(lambda one: one.unresolved, lambda one: one.references),
}
_RUNNING_NOTE = (
    "A workflow runs dry to its end where the checker finds no error in it. Inputs, conditions among them, that its "
    "steps must have, and references, are those of the product's workflows alone: other systems write names."
)


def _table(title: str, of: Rows, columns: Mapping[str, Column], note: str) -> Table:
    """A row for each system, form and set, and one for several sets of a system together."""
    rows = []
    for system, form in dict.fromkeys((system, form) for system, form, _ in of):
        own = {name: one for (*key, name), one in of.items() if key == [system, form]}
        cells = {name: [column(one) for column in columns.values()] for name, one in own.items()}
        rows += [(system, form, name, str(len(own[name])), *made) for name, made in cells.items()]
        if len(own) > 1:
            weights = [len(one) for one in own.values()]
            together = (_weighted(column, weights) for column in zip(*cells.values(), strict=True))
            rows.append((system, form, MEAN, str(sum(weights)), *together))
    return Table(title, ("System", "Form", "Set", "Workflows", *columns), tuple(rows), note)


def _weighted(cells: Sequence[str], weights: Sequence[int]) -> str:
    """The mean of a column's shares, as the paper weights them; counts are added up."""
    if all(cell.isdecimal() for cell in cells):
        return str(sum(map(int, cells)))
    known = [(float(cell), weight) for cell, weight in zip(cells, weights, strict=True) if cell != "-"]
    return f"{sum(cell * weight for cell, weight in known) / sum(weight for _, weight in known):.3f}" if known else "-"


def _names(of: Rows, sets: Sequence[Cases]) -> Table:
    """How many different names were written, and which share of them there is not: tables 6 and 7."""
    books = {each.name: each.book for each in sets}
    rows = []
    for (system, form, name), found in of.items():
        steps = {step for each in found for step in each.reading.actions}
        tables = {each.reading.table for each in found} - {""}
        cells = (*_unique(steps, books[name].actions), *_unique(tables, books[name].tables))
        rows.append((system, form, name, *cells))
    note = f"Logic steps are not counted. {_OWN}"
    return Table("Different names", ("System", "Form", "Set", *_NAMES), tuple(rows), note)


_NAMES = ("Steps", "invented %", "Tables", "invented %")


def _unique(names: Iterable[str], known: Mapping[str, object]) -> tuple[str, str]:
    found = {*names}
    return str(len(found)), f"{100 * len(found - {*known}) / len(found):.0f}" if found else "-"


def _beside(of: Rows) -> Table:
    """Each system beside the first one, on the workflows that both wrote: by Bag of Steps, how many are better and
    worse, and how likely chance alone parts them so far."""
    rows = []
    (first, form, _), *_ = of
    bags = {
        (system, its): {
            (name, each.written.case): each.score.bag
            for (s, f, name), one in of.items()
            if (s, f) == (system, its)
            for each in one
        }
        for system, its, _ in of
    }
    base = bags.pop((first, form))
    for (system, its), own in bags.items():
        both = base.keys() & own.keys()
        better, worse = sum(own[key] > base[key] for key in both), sum(own[key] < base[key] for key in both)
        difference = fmean(own[key] - base[key] for key in both) if both else 0.0
        rows.append(
            (
                system,
                its,
                str(len(both)),
                f"{difference:+.3f}",
                str(better),
                str(worse),
                f"{mcnemar(better, worse):.4f}",
            )
        )
    header = ("System", "Form", "Workflows", "Bag of Steps", "better", "worse", "p")
    return Table(f"Beside {first}, {form}", header, tuple(rows), "p: exact sign test, two-sided.")


# The paper's


def _paper_models() -> Table:
    rows = []
    for model, without, with_ in _PAPER_MODELS:
        cells = [f"{figure:.3f}" for figure in without] or ["-"] * len(_MEASURES)
        rows.append((model, *cells, *(f"{figure:.3f}" for figure in with_)))
    header = ("Model", *(f"{each}, {how}" for how in ("without", "with") for each in _MEASURES))
    return Table("The paper's, table 4", header, tuple(rows), "Human Eval, fine-tuned, without and with suggestions.")


def _paper_sets() -> Table:
    rows = tuple((name, *(f"{figure:.3f}" for figure in figures)) for name, figures in _PAPER_SETS)
    return Table("The paper's, table 5", ("Set", *_MEASURES), rows, "StarCoderBase-7B, fine-tuned, with suggestions.")


def _paper_names() -> Table:
    rows = tuple((name, *(str(figure) for pair in pairs for figure in pair)) for name, *pairs in _PAPER_NAMES)
    header = (
        "Set",
        *(f"{each}, {how}" for kind in (_NAMES[:2], _NAMES[2:]) for how in ("without", "with") for each in kind),
    )
    note = "Different names and the share of them that is invented, without and with suggestions."
    return Table("The paper's, tables 6 and 7", header, rows, note)
