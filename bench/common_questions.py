"""What staff ask most, and what a second look around a line changes: python -m bench.common_questions HOME QUESTIONS

QUESTIONS are lines with a question and what its answer holds: "holds", any of which will do, or "gold", groups of which
each must be met; nothing of either where it is to be refused. Of bench/common_questions.jsonl those of one organization
are asked: add its name. The home is opened, and nothing in it is kept.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

from store.passage import Excerpt
from trag import retrieve
from trag.home import open_home
from trag.record import AnswerRecord
from trag.settings import load


def verdict(record: AnswerRecord, row: dict[str, Any]) -> str:
    """Whether it is "right", "refused" or "wrong"; a refusal is right where nothing holds the answer."""
    groups = row.get("gold") or [row.get("holds", [])]
    answerable = any(groups) and row.get("kind") != "unanswerable"
    if record.status == "cannot_answer":
        return "refused" if answerable else "right"
    said = record.answer.casefold()
    return "right" if answerable and all(any(one.casefold() in said for one in group) for group in groups) else "wrong"


def main(home: str, questions: str, organization: str = "") -> None:
    """Ask each, print what was answered and whether after a second look, and how many of each verdict."""
    rows = [json.loads(line) for line in Path(questions).read_text("utf-8").splitlines()]
    asked = [row for row in rows if row.get("organization", organization) == organization]
    found: Counter[tuple[str, bool]] = Counter()
    looks: list[str] = []
    around = retrieve.around

    def noted(excerpts: Sequence[Excerpt]) -> tuple[Excerpt, ...]:
        wider = around(excerpts)
        looks.append("") if wider != tuple(excerpts) else None
        return wider

    with patch.object(retrieve, "around", noted), open_home(load({"TRAG_HOME": home})) as opened:
        assistant = replace(opened.assistant, records=None)
        for row in asked:
            looks.clear()
            record = assistant.answer(row["question"], readers=None)
            judged = verdict(record, row)
            found[judged, bool(looks)] += 1
            print(f"{judged:8} {'again ' if looks else '      '}{row['question']} -> {record.answer}", flush=True)
    for (judged, again), number in sorted(found.items()):
        print(f"{number:4} {judged}{', read again around the line' if again else ''}")


if __name__ == "__main__":
    main(*sys.argv[1:])
