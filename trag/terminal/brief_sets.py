"""python -m trag evaluate briefs: texts about units and topics of this home by the product and by the paper's ways,
judged.

home -> names -> texts -> verdicts -> tables
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

from trag.settings import Settings
from trag.terminal.console import bar, show

if TYPE_CHECKING:
    from trag.evaluate.briefs.tables import Judged

NUMBER = 30


def systems() -> Sequence[str]:
    """What can be measured."""
    from trag.evaluate.briefs.systems import SYSTEMS

    return SYSTEMS


def briefs(settings: Settings, options: argparse.Namespace) -> None:
    """Has the systems write about units and topics drawn from the home, without the adapter, and shows what the judge
    says of them."""
    from trag.evaluate.briefs import names, running, tables
    from trag.evaluate.briefs.judge import Judge
    from trag.evaluate.briefs.systems import TRAG
    from trag.evaluate.tables import markdown
    from trag.home import open_home

    chosen = options.system or [TRAG]
    with open_home(settings) as home, closing(home.model_with("base")) as model, bar() as progress:
        drawn = names.draw(
            home.organization, home.records.library.passages(), number=options.number or NUMBER, seed=options.seed or 1
        )
        assistant = replace(home.assistant, model=model)
        texts = running.run(home.folder / "results" / "briefs", assistant, drawn, chosen, options.runs or 1, progress)
        judge = Judge()
        found: dict[str, list[Judged]] = {}
        for system, written in texts.items():
            progress(f"judging {system}", 0, 0)
            found[system] = tables.judged(written, judge)
    for table in tables.report(found):
        if options.markdown:
            print(markdown(table))
        elif table.rows:
            show(table)
