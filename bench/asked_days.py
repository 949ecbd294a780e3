"""How rightly the days are read that questions ask for: python -m bench.asked_days

Written by hand for this, in twelve languages (bench/asked_days.jsonl): half of the questions ask what applied then, the
others ask what applies now, or have dates of something else in them.
"""

from __future__ import annotations

import json
import threading
from contextlib import closing
from datetime import date
from pathlib import Path
from statistics import median
from time import monotonic

from trag import asked_days
from trag.llm.opening import open_model
from trag.settings import load

QUESTIONS = Path(__file__).with_suffix(".jsonl")
TODAY = date(2026, 11, 27)


def main() -> None:
    """Ask each question, and print what was read wrongly and how many rightly."""
    rows = [json.loads(line) for line in QUESTIONS.read_text("utf-8").splitlines()]
    right = {True: 0, False: 0}
    seconds = []
    with closing(open_model(load())) as model:
        for row in rows:
            began = monotonic()
            read = asked_days.ask(row["question"], model, stop=threading.Event(), today=TODAY)
            seconds.append(monotonic() - began)
            wanted = asked_days.period(row["days"], TODAY)
            right[wanted is not None] += read == wanted
            if read != wanted:
                print(f"{row['days']:12} {read} {row['question']}", flush=True)
    dated = sum(row["days"] != asked_days.NONE for row in rows)
    print(f"of {dated} that ask for days {right[True]} right, of {len(rows) - dated} others {right[False]} right")
    print(f"{median(seconds):.2f} s in the median")


if __name__ == "__main__":
    main()
