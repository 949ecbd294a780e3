"""python -m trag evaluate briefs: texts about units and topics of this home by the product and by the paper's ways,
judged; held against checklists; laid in pairs before a reader; and what briefings let out of closed documents.

home -> names -> texts -> verdicts -> tables
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from trag.settings import Settings
from trag.terminal.console import bar, show

if TYPE_CHECKING:
    from trag.evaluate.briefs.tables import Judged
    from trag.evaluate.tables import Table

NUMBER = 30


def systems() -> Sequence[str]:
    """What can be measured."""
    from trag.evaluate.briefs.systems import SYSTEMS

    return SYSTEMS


def briefs(settings: Settings, options: argparse.Namespace) -> None:
    """Has the systems write about units and topics drawn from the home, without the adapter, and shows what the judge
    says of them."""
    from trag.evaluate.briefs import checklists, names, pairs, running, tables
    from trag.evaluate.briefs.judge import Judge
    from trag.evaluate.briefs.systems import TRAG
    from trag.home import open_home

    chosen = options.system or [TRAG]
    lists = checklists.read(Path(options.words[1])) if len(options.words) > 1 else ()
    with open_home(settings) as home, closing(home.model_with("base")) as model, bar() as progress:
        drawn = [one.name for one in lists] or names.draw(
            home.organization, home.records.library.passages(), number=options.number or NUMBER, seed=options.seed or 1
        )
        assistant = replace(home.assistant, model=model)
        texts = running.run(home.folder / "results" / "briefs", assistant, drawn, chosen, options.runs or 1, progress)
        if options.pairs:
            one, other = chosen
            number = pairs.lay(Path(options.pairs), texts[one], texts[other], (one, other))
            print(f"{number} pairs: fill in a, b or none in {options.pairs}, and give the same command again.")
            return
        judge = Judge(Path(options.judge))
        if lists:
            _show([checklists.coverage(texts, lists, judge)], options)
            return
        found: dict[str, list[Judged]] = {}
        for system, written in texts.items():
            progress(f"judging {system}", 0, 0)
            found[system] = tables.judged(written, judge)
    _show(tables.report(found), options)


def counted(settings: Settings, options: argparse.Namespace) -> None:
    """Shows what somebody filled in in a file of pairs."""
    from trag.evaluate.briefs import pairs

    one, other = options.system
    _show([pairs.count(Path(options.pairs), (one, other))], options)


def planted(settings: Settings, options: argparse.Namespace) -> None:
    """Has this home's model write about an organization whose documents were written for it, in a home that is thrown
    away, and shows what is let out, what is refused, and what of contradictions is shown."""
    from trag.evaluate.briefs import planted
    from trag.home import open_home

    found = planted.read(Path(options.words[1]))
    with (
        open_home(settings) as home,
        closing(home.model_with("base")) as model,
        TemporaryDirectory() as folder,
        open_home(replace(settings, home=Path(folder), database_url="", chroma_url="")) as other,
    ):
        planted.furnish(other, found)
        tables = planted.report(other, found, model)
    _show(tables, options)


def _show(tables: Sequence[Table], options: argparse.Namespace) -> None:
    from trag.evaluate.tables import markdown

    for table in tables:
        if options.markdown:
            print(markdown(table))
        elif table.rows:
            show(table)
