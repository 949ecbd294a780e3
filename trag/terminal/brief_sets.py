"""python -m trag evaluate briefs: texts about units and topics of this home by the product and by the paper's ways,
judged; held against checklists; laid in pairs before a reader; and what briefings let out of closed documents.

home -> names -> texts -> verdicts -> tables
"""

from __future__ import annotations

import argparse
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from trag.settings import Settings
from trag.terminal.console import Wrong, add_systems, at_least_one, bar, refuse_beside, show_all

if TYPE_CHECKING:
    from trag.evaluate.briefs.tables import Judged

_NUMBER = 30


def add(acts: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The words of this act."""
    act = acts.add_parser("briefs", help="have systems write about units and topics of this home (see bench/briefs)")
    act.add_argument(
        "sets", nargs="?", type=Path, metavar="CHECKLISTS|FOLDER", help="what is held against facts; or is planted"
    )
    add_systems(act, "trag.evaluate.briefs.systems")
    act.add_argument("--number", type=at_least_one, help=f"names that texts are written about (default: {_NUMBER})")
    act.add_argument("--seed", type=int, help="another seed draws other names (default: 1)")
    act.add_argument("--runs", type=at_least_one, metavar="N", help="texts of each name by the paper's ways (1)")
    how = act.add_mutually_exclusive_group()
    how.add_argument("--judge", type=Path, metavar="FOLDER", help="a CrossEncoder that learned language inference")
    how.add_argument(
        "--pairs", type=Path, metavar="FILE", help="where two systems' texts are laid before a reader, side by side"
    )
    act.set_defaults(job=partial(_briefs, act.error))


def _briefs(wrong: Wrong, settings: Settings, options: argparse.Namespace) -> None:
    if options.sets and options.sets.is_dir():
        refuse_beside(wrong, options, str(options.sets), "system", "number", "seed", "runs", "judge", "pairs")
        _planted(settings, options)
        return
    if options.sets:
        refuse_beside(wrong, options, str(options.sets), "number", "seed", "pairs")
    if options.pairs and len(options.system or ()) != 2:
        wrong("give --pairs two systems")
    if not (options.pairs or options.judge):
        wrong("give briefs a --judge")
    if options.pairs and options.pairs.exists():
        from trag.evaluate.briefs import pairs

        one, other = options.system
        show_all([pairs.count(options.pairs, (one, other))], markdown=options.markdown)
    else:
        _written(settings, options)


def _written(settings: Settings, options: argparse.Namespace) -> None:
    """Has the systems write about units and topics drawn from the home, without the adapter, and shows what the judge
    says of them."""
    from trag.evaluate.briefs import checklists, names, pairs, running, tables
    from trag.evaluate.briefs.judge import Judge
    from trag.evaluate.briefs.systems import TRAG
    from trag.home import open_home

    chosen = options.system or [TRAG]
    lists = checklists.read(options.sets) if options.sets else ()
    with open_home(settings) as home, closing(home.model_with("base")) as model, bar() as progress:
        drawn = [one.name for one in lists] or names.draw(
            home.organization, home.records.library.passages(), number=options.number or _NUMBER, seed=options.seed or 1
        )
        assistant = replace(home.assistant, model=model)
        texts = running.run(home.folder / "results" / "briefs", assistant, drawn, chosen, options.runs or 1, progress)
        if options.pairs:
            one, other = chosen
            number = pairs.lay(options.pairs, texts[one], texts[other], (one, other))
            print(f"{number} pairs: fill in a, b or none in {options.pairs}, and give the same command again.")
            return
        judge = Judge(options.judge)
        if lists:
            show_all([checklists.coverage(texts, lists, judge)], markdown=options.markdown)
            return
        found: dict[str, list[Judged]] = {}
        for system, written in texts.items():
            progress(f"judging {system}", 0, 0)
            found[system] = tables.judged(written, judge)
    show_all(tables.report(found), markdown=options.markdown)


def _planted(settings: Settings, options: argparse.Namespace) -> None:
    """Has this home's model write about an organization whose documents were written for it, in a home that is thrown
    away, and shows what is let out, what is refused, and what of contradictions is shown."""
    from trag.evaluate.briefs import planted
    from trag.home import open_home

    found = planted.read(options.sets)
    with (
        open_home(settings) as home,
        closing(home.model_with("base")) as model,
        TemporaryDirectory() as folder,
        open_home(replace(settings, home=Path(folder), database_url="", chroma_url="")) as other,
    ):
        planted.furnish(other, found)
        tables = planted.report(other, found, model)
    show_all(tables, markdown=options.markdown)
