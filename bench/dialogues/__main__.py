"""python -m bench.dialogues [NAME ...] [--show]: dialogues of three turns, each turn asked after those before it.

bench/dialogues/NAME.jsonl holds cases (trag/evaluate/cases) whose `group` is their dialogue, in its order; NAME is the
organization whose chart and documents they are about. A turn goes on from what was answered before, right or wrong, and
a dialogue is right where every turn of it is.
"""

from __future__ import annotations

import argparse
from itertools import groupby
from pathlib import Path

from bench.results import ORGANIZATIONS, ROOT, Organization, prepared
from trag.condense import Turn
from trag.evaluate import cases
from trag.evaluate.cases import Case
from trag.evaluate.comparing import is_right
from trag.evaluate.scoring import score
from trag.home import Home, open_home

FOLDER = Path(__file__).parent


def main() -> None:
    """Print a line an organization, and with --show each turn that is not right."""
    parser = argparse.ArgumentParser(prog="python -m bench.dialogues", description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", default=sorted(path.stem for path in FOLDER.glob("*.jsonl"))
    )
    parser.add_argument("--show", action="store_true", help="print each turn that is not right")
    options = parser.parse_args()
    for name in options.names:
        path = FOLDER / f"{name}.jsonl"
        asked = cases.read(path.read_bytes(), path.name)
        dialogues = [list(turns) for _, turns in groupby(asked, key=lambda case: case.group)]
        with open_home(prepared(organization(name))) as home:
            right = [turns_right(turns, home, show=options.show) for turns in dialogues]
        turns = [one for dialogue in right for one in dialogue]
        print(
            f"{name}: {sum(map(all, right))} of {len(right)} dialogues, {sum(turns)} of {len(turns)} turns", flush=True
        )


def organization(name: str) -> Organization:
    """One of those with which docs/RESULTS.md is made, or of bench/organizations."""
    if known := next((one for one in ORGANIZATIONS if one.name == name), None):
        return known
    folder = ROOT / "bench" / "organizations" / name
    return Organization(name, next(folder.glob("chart.*")), folder / "documents", folder / "questions.jsonl")


def turns_right(turns: list[Case], home: Home, *, show: bool) -> list[bool]:
    """Which turns of a dialogue are right."""
    history: list[Turn] = []
    right = []
    for case in turns:
        record = home.assistant.answer(case.question, history=history, readers=None)
        history.append(Turn(record.standalone, record.answer))
        found = score(case, record, home.organization.chart)
        right.append(is_right(found))
        if show and not right[-1]:
            print(f"{case.id} {case.question}\n  read as: {record.standalone}\n  gold: {case.answer}")
            print(f"  got: {record.answer}\n  {'; '.join(found.reasons)}", flush=True)
    return right


if __name__ == "__main__":
    main()
