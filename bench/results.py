"""python -m bench.results [BLOCK ...]: rewrites the tables of docs/RESULTS.md from real runs on this machine.

A block stands between two HTML comments and is rewritten whole, with the date, the commit and the command; everything
else in the file stays. Each block of `BLOCKS` takes the answers that it needs, and what this very program has answered
already is not asked again: a stopped command goes on where it was. Only the block of the self-audit, whose answers take
no model, keeps none of them and begins anew. Model and adapter are those of TRAG_MODEL and TRAG_ADAPTER; with an
adapter each system is also run without it.

With --questions or --organization, to try it, the tables are printed and nothing is rewritten.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from tqdm import tqdm

from bench.peers import comparing, lineup
from bench.peers import tables as peer_tables
from bench.score import chart_of
from org.reading.charts import load as load_chart
from store.files import write_atomic
from trag.evaluate import cases as case_files
from trag.evaluate import chart_cases, multiple_choice, needle, running, runs, tables
from trag.evaluate.cases import Case
from trag.evaluate.runs import Result, Run
from trag.evaluate.tables import Table
from trag.evaluate.workflows import running as workflows
from trag.evaluate.workflows.cases import read as read_requests
from trag.evaluate.workflows.systems import TRAG
from trag.evaluate.workflows.tables import report
from trag.finetune.gate import spread
from trag.home import Home, open_home
from trag.llm.model import Scoring
from trag.progress import Progress, silent
from trag.settings import Settings, load
from trag.terminal.console import progress_of
from trag.workflow.suggesting import STEPS

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "docs" / "RESULTS.md"
HOMES = ROOT / "var" / "bench"
WORKFLOWS = ROOT / "bench" / "workflows"
SYSTEMS = ("rag", "finetuned", "finetuned-tree", "trag-no-tree", "trag-unrepaired", "trag")
MADE, SEED = 60, 1
"""Questions made from each chart."""
BESIDE_PEERS = 50
"""Questions of each organization's own that are put to the peers too: all four answer in turns, half a minute each."""

Sets = Mapping[str, Sequence[Result]]
"""The answers to each set of questions, by the name of the set."""


@dataclass(frozen=True, slots=True)
class Organization:
    """A chart, documents, perhaps pairs, and questions about them."""

    name: str
    chart: Path
    documents: Path
    questions: Path
    pairs: Path | None = None


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is run: these organizations, and of each set of questions `questions` spread over it, 0 for all."""

    organizations: Sequence[Organization]
    questions: int = 0


@dataclass(frozen=True, slots=True)
class Told:
    """What a block says: its tables, when their last figure was made, and by what: commit, model, how many answers."""

    tables: Sequence[Table]
    made: datetime
    source: str


_LARKMOOR, _ASIDE = ROOT / "examples" / "larkmoor", ROOT / "bench" / "aside" / "sundell-mutual"
ORGANIZATIONS = (
    Organization(
        "larkmoor",
        _LARKMOOR / "chart.csv",
        _LARKMOOR / "documents",
        _LARKMOOR / "development.jsonl",
        _LARKMOOR / "pairs.jsonl",
    ),
    Organization("sundell-mutual", _ASIDE / "chart.csv", _ASIDE / "documents", _ASIDE / "questions.jsonl"),
)
"""No model learned from these, and nothing was tuned on the second."""


def main() -> None:
    """Make the blocks that are named, all when none is."""
    parser = argparse.ArgumentParser(prog="python -m bench.results", description=__doc__)
    parser.add_argument("blocks", nargs="*", metavar="BLOCK", help=f"default: {', '.join(BLOCKS)}")
    parser.add_argument("--questions", type=int, default=0, metavar="N", help="only N of each set, and only print")
    names = [one.name for one in ORGANIZATIONS]
    parser.add_argument("--organization", choices=names, help="only this one, and only print")
    options = parser.parse_args()
    if unknown := [name for name in options.blocks if name not in BLOCKS]:
        parser.error(f"no block {', '.join(unknown)}; the blocks are {', '.join(BLOCKS)}")
    organizations = [one for one in ORGANIZATIONS if options.organization in (None, one.name)]
    for name in options.blocks or BLOCKS:
        text = block(name, BLOCKS[name](Wanted(organizations, options.questions)))
        if options.questions or options.organization:
            print(text)
        else:
            # Read again for each: hours may lie between two blocks.
            write_atomic(RESULTS, rewritten(RESULTS.read_text(encoding="utf-8"), name, text).encode())


def own(of: Callable[[Sets], Sequence[Table]]) -> Callable[[Wanted], Told]:
    """A block of tables about each organization's own questions, put to every system."""

    def told(wanted: Wanted) -> Told:
        return _told(of, wanted, "own questions", lambda home, one: case_files.read(*_content(one.questions)))

    return told


def made(of: Callable[[Sets], Sequence[Table]]) -> Callable[[Wanted], Told]:
    """A block of tables about questions made from each organization's chart, put to every system."""

    def told(wanted: Wanted) -> Told:
        return _told(of, wanted, f"questions made from the chart, seed {SEED}", lambda home, _: _from_chart(home))

    return told


def audited(wanted: Wanted) -> Told:
    """The block of the self-audit, put to the test on benchmarks of its own: the organizations play no part in it.

    Its answers are not kept: each time begins anew.
    """
    from bench.grammar.tables import report
    from bench.grammar.validation import validate

    validated = list(validate())
    asked = sum(one.balanced.diagnosis.asked for one in validated)
    source = f"commit {runs.commit()}, a reader in place of the model, {asked:,} answers"
    return Told(report(validated), datetime.now(UTC), source)


def each(of: Callable[[Sequence[Result]], Table]) -> Callable[[Sets], Sequence[Table]]:
    """One table a set, and one of all of them; without those that nothing is in."""

    def tables_of(sets: Sets) -> Sequence[Table]:
        every = [_apart(name, result) for name, results in sets.items() for result in results]
        named = {**sets, "all": every} if len(sets) > 1 else sets
        found = (replace(of(results), title=f"{of(results).title}, {name}") for name, results in named.items())
        return [table for table in found if table.rows]

    return tables_of


def _apart(name: str, result: Result) -> Result:
    """A result whose group of paraphrases is not mistaken for one of another set that is called the same."""
    group = result.case.group
    return replace(result, case=replace(result.case, group=f"{name} {group}")) if group else result


def beside_peers(wanted: Wanted) -> Told:
    """The product and its peers: some questions of each organization, put to all of them in turns (bench.peers)."""
    folder = ROOT / "var" / "peers"
    setup, model = lineup.alike(load({**os.environ, "TRAG_HOME": str(folder / "home")}))
    contenders = lineup.contenders()
    found = {}
    for one in wanted.organizations:
        cases = spread(case_files.read(*_content(one.questions)), wanted.questions or BESIDE_PEERS)
        asked = comparing.Asked(one.name, chart_of(one.chart), one.chart, one.documents, cases)
        found[one.name] = comparing.compare(asked, contenders, setup, model, folder)
    figures = (table for name, compared in found.items() for table in peer_tables.side_by_side(compared, name))
    told = [lineup.given(setup, [contender.name for contender in contenders]), *figures]
    return _told_of(told, [compared.run for compared in found.values()])


def needled(wanted: Wanted) -> Told:
    """A block about where the right context stands in the prompt: each organization's own questions."""
    found, runs = {}, []
    for organization in wanted.organizations:
        name = organization.name
        with open_home(prepared(organization)) as home, _bar(name) as progress:
            every, _ = needle.needles(home, case_files.read(*_content(organization.questions)))
            sides = ([one for one in every if one.side == side] for side in needle.SIDES)
            some = [one for of in sides for one in spread(of, wanted.questions or len(of))]
            run = needle.measure(home, some, name, progress=progress)
            found[name] = needle.results_of(home).results(run.id)
            runs.append(run)
    return _told_of(each(needle.table)(found), runs)


def chosen(wanted: Wanted) -> Told:
    """A block about multiple-choice questions on what models know before fine-tuning; no organization plays a part."""
    files = sorted(multiple_choice.GENERAL.glob("*.csv"))
    cases = multiple_choice.read([(file.name, file.read_bytes()) for file in files])
    cases = spread(cases, wanted.questions or len(cases))
    found, runs = [], []
    with open_home(load({**os.environ, "TRAG_HOME": str(HOMES / "choice")})) as home:
        for by_words in (False, True)[: 2 if isinstance(home.model, Scoring) else 1]:
            with _bar("choice") as progress:
                run = multiple_choice.measure(
                    home, cases, "general knowledge", by_words=by_words, shown={}, progress=progress
                )
            found.append(multiple_choice.accuracy(multiple_choice.results_of(home).results(run.id)))
            runs.append(run)
    return _told_of(found, runs)


def drafted(wanted: Wanted) -> Told:
    """A block about workflows that the product drafts for requests of people who know no names; no organization plays a
    part."""
    human = read_requests(WORKFLOWS / "human.jsonl")
    human = replace(human, cases=tuple(spread(human.cases, wanted.questions or len(human.cases))))
    shown = read_requests(WORKFLOWS / "train.jsonl")
    with open_home(load({**os.environ, "TRAG_HOME": str(HOMES / "workflows")})) as home, _bar("workflows") as progress:
        written = workflows.measure(home, [human], shown, [TRAG], "lines", STEPS, progress)
        model = home.model.identity
    commits = ", ".join(dict.fromkeys(f"commit {one.commit}" for one in written[human.name]))
    name = f"{model.name} with {model.adapter}" if model.adapter else model.name
    found = [table for table in report(written, [human]) if table.rows]
    return Told(found, datetime.now(UTC), f"{commits}, {name}, {len(human.cases):,} workflows")


BLOCKS: Mapping[str, Callable[[Wanted], Told]] = {
    "overall": own(lambda sets: [tables.overall_by_set(sets)]),
    "units": own(each(tables.simple_and_complex)),
    "kinds": own(each(tables.by_kind)),
    "refusals": own(each(tables.refusals)),
    "lists": own(each(tables.lists)),
    "paraphrases": own(each(tables.groups)),
    "seconds": own(each(tables.seconds)),
    "chart-overall": made(lambda sets: [tables.overall_by_set(sets)]),
    "chart-units": made(each(tables.simple_and_complex)),
    "chart-kinds": made(each(tables.by_kind)),
    "chart-lists": made(each(tables.lists)),
    "peers": beside_peers,
    "grammar": audited,
    "needle": needled,
    "choice": chosen,
    "workflows": drafted,
}
"""What stands between the marks of each block; the blocks of one kind share their runs. A new block is a function here
and two marks in docs/RESULTS.md."""


def block(name: str, told: Told) -> str:
    """The text between the marks: where the figures come from, and the tables."""
    source = f"`python -m bench.results {name}`, {told.made:%Y-%m-%d}, {told.source}."
    return "\n".join([source, "", *map(tables.markdown, told.tables)])


def rewritten(text: str, name: str, content: str) -> str:
    """`text` with the block of that name replaced. Raises SystemExit when its marks are not there once."""
    begin, end = f"<!-- results: {name} -->", f"<!-- end of results: {name} -->"
    if (text.count(begin), text.count(end)) != (1, 1) or text.index(begin) > text.index(end):
        raise SystemExit(f"docs/RESULTS.md must hold these two lines once, in this order:\n{begin}\n{end}")
    before, _, rest = text.partition(begin)
    after = rest.partition(end)[2]
    return f"{before}{begin}\n{content}\n{end}{after}"


def _told(
    of: Callable[[Sets], Sequence[Table]],
    wanted: Wanted,
    name: str,
    cases_of: Callable[[Home, Organization], Sequence[Case]],
) -> Told:
    answered = {one.name: _answered(one, wanted.questions, name, cases_of) for one in wanted.organizations}
    told = of({name: results for name, (_, results) in answered.items()})
    return _told_of(told, [run for run, _ in answered.values()])


def _told_of(told: Sequence[Table], runs: Sequence[Run]) -> Told:
    source = ", ".join(dict.fromkeys(f"commit {run.commit}, {tables.model_of(run)}" for run in runs))
    return Told(
        tables=told,
        made=max(run.finished for run in runs if run.finished),
        source=f"{source}, {sum(run.total for run in runs):,} answers",
    )


def _answered(
    organization: Organization, number: int, name: str, cases_of: Callable[[Home, Organization], Sequence[Case]]
) -> tuple[Run, Sequence[Result]]:
    """The answers of every system, from an earlier run of the same program where there is one."""
    with open_home(prepared(organization)) as home:
        cases = cases_of(home, organization)
        cases = spread(cases, number or len(cases))
        base = [f"{system}{running.BASE}" for system in SYSTEMS] if home.model.identity.adapter else []
        systems = [*SYSTEMS, *base]
        earlier = running.earlier(home, cases, systems)
        run = next((run for run in earlier if run.finished), None)
        if run is None:
            unfinished = next((run.id for run in earlier), "")
            cases_name = f"{organization.name}, {name}"
            with _bar(cases_name) as progress:
                run = running.evaluate(home, cases, cases_name, systems, resume=unfinished, progress=progress)
        return run, running.results_of(home).results(run.id)


def prepared(organization: Organization) -> Settings:
    """The settings of the organization's home, filled anew when the program or the organization is another than it was
    filled with; its results stay."""
    home = HOMES / organization.name
    settings = load({**os.environ, "TRAG_HOME": str(home)})
    sources = [organization.documents, *([organization.pairs] if organization.pairs else [])]
    files = sorted(file for source in (organization.chart, *sources) for file in (source, *source.rglob("*")))
    contents = "".join(hashlib.sha256(file.read_bytes()).hexdigest() for file in files if file.is_file())
    stamp, filled = home / "filled-with", f"{runs.commit()} {settings.embedder} {contents}"
    if not stamp.exists() or stamp.read_text() != filled:
        for place in (stamp, *(home.iterdir() if home.exists() else ())):
            if place.is_dir() and place.name not in ("models", "results"):
                shutil.rmtree(place)
            elif place.is_file():
                place.unlink()
        print(f"filling the home of {organization.name}", file=sys.stderr)
        with open_home(settings) as opened:
            content, name = _content(organization.chart)
            opened.charts.activate(load_chart(content, name), [(name, content)], by="bench.results")
            ingested = opened.ingest(sources, replace=False, progress=silent, by="bench.results")
        if failed := [result for result in ingested if result.failed]:
            raise SystemExit("\n".join(map(str, failed)))
        stamp.write_text(filled)
    return settings


def _from_chart(home: Home) -> Sequence[Case]:
    assert home.organization.chart
    return chart_cases.make(home.organization.chart, seed=SEED, number=MADE)


def _content(file: Path) -> tuple[bytes, str]:
    return file.read_bytes(), file.name


@contextmanager
def _bar(name: str) -> Iterator[Progress]:
    """Shows the answers that are there, of the questions called so."""
    with tqdm(unit="answer", file=sys.stderr) as bar:
        progress = progress_of(bar)
        yield lambda system, done, total: progress(f"{name}, {system}", done, total)


if __name__ == "__main__":
    main()
