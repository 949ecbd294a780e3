"""python -m bench.memory: memory of the app and its processes over 500 different questions, one after another, then as
many with 30 at once.

A scripted model behind an address takes the reader's place, so that many are asked in little time; finding, embedding
and ranking are real. `--reader N` asks N questions of the reader itself, one after another: `--reader 200` on an idle
machine says whether the bar is held, at most 10% more after 200 than after 20. Prints a table in MiB in which shared
pages count once (PSS), the app, the process of the model and what else it runs told apart; docs/RESULTS.md keeps the
ones worth keeping.
"""

import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from queue import SimpleQueue

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import httpx2 as httpx
import psutil

from bench.__main__ import ROOT, fill
from store.person import Newcomer
from store.records import Records
from tests.model_server import NAME
from tests.model_server import serving as scripted
from tests.serving import app_of_its_own
from trag.home import open_home
from trag.settings import Settings

QUESTIONS, AT_ONCE = 500, 30
LOOKS = (1, 5, 10, 20, 50, 100, 200, 300, 400)
"""After how many questions memory is looked at, and in the end."""
PARTS = ("app", "model", "sandbox")


def questions(most: int) -> list[str]:
    """Different ones in everyday words, about the documents and charts of many organizations."""
    files = sorted((ROOT / "examples" / "training").glob("*/questions.jsonl"))
    rows = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    asked = list(dict.fromkeys(row["question"] for row in rows))
    return asked[:: len(asked) // most][:most]


def taken(pid: int) -> Counter[str]:
    """Bytes that a process takes ("app"), its model ("model") and its other children ("sandbox")."""
    app, found = psutil.Process(pid), Counter[str]()
    for one in (app, *app.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            part = "app" if one.pid == pid else "model" if "trag.llm.worker" in one.cmdline() else "sandbox"
            found[part] += one.memory_full_info().pss
    return found


def people(records: Records) -> list[str]:
    """The tokens of as many as ask at once: nobody may ask more than a few questions at the same time."""
    found = [records.people.add(Newcomer(f"person-{number}", state="active"), by="bench") for number in range(AT_ONCE)]
    return [records.tokens.make(one.id, "bench", timedelta(days=1), by="bench")[0] for one in found]


def growth(
    home: Path, tokens: Sequence[str], asked: Sequence[str], at_once: int, environment: Mapping[str, str]
) -> dict[int, Counter[str]]:
    """Bytes taken, by what takes them, after so many questions, of which that many are asked at the same time."""
    found, free = dict[int, Counter[str]](), SimpleQueue[str]()
    for token in tokens:
        free.put(token)
    with (
        app_of_its_own(home, home.with_name("log"), TRAG_WAITING=str(AT_ONCE), **environment) as (address, app),
        httpx.Client(base_url=address, timeout=1_800) as client,
        ThreadPoolExecutor(at_once) as askers,
    ):

        def ask(question: str) -> None:
            token = free.get()
            headers = {"Authorization": f"Bearer {token}"}
            client.post("/api/ask", json={"question": question}, headers=headers).raise_for_status()
            free.put(token)

        before = 0
        for number in (*(look for look in LOOKS if look < len(asked)), len(asked)):
            list(askers.map(ask, asked[before:number]))
            before, found[number] = number, taken(app.pid)
            print(f"\r{number}/{len(asked)}: {found[number].total() / 2**20:,.0f} MiB\x1b[K", end="", file=sys.stderr)
    print(file=sys.stderr)
    return found


def main() -> None:
    """Fill a home, ask, print."""
    parser = argparse.ArgumentParser(prog="python -m bench.memory")
    parser.add_argument("--reader", type=int, metavar="N", help="ask N questions of the reader, one after another")
    only = parser.parse_args().reader
    with tempfile.TemporaryDirectory() as name, scripted({}, {}) as address:
        home = Path(name) / "home"
        with open_home(Settings(home=home)) as opened:
            fill(opened, Path(name))
            tokens = people(opened.records)
        if only:
            rows = {"the reader": growth(home, tokens, questions(only), 1, {})}
        else:
            remote = {"TRAG_MODEL_URL": address, "TRAG_MODEL_NAME": NAME}
            rows = {
                f"{at_once} at once": growth(home, tokens, questions(QUESTIONS), at_once, remote)
                for at_once in (1, AT_ONCE)
            }
    looks = list(next(iter(rows.values())))
    print(f"| questions | {' | '.join(map(str, looks))} |\n|{'---|' * (len(looks) + 1)}")
    for row, found in rows.items():
        for part in PARTS:
            print(f"| {row}: {part} | {' | '.join(f'{found[look][part] / 2**20:,.0f}' for look in looks)} |")
        print(f"| {row} | {' | '.join(f'{found[look].total() / 2**20:,.0f}' for look in looks)} |")
    for row, found in rows.items():
        if 20 in found:
            print(f"{row}: {found[looks[-1]].total() / found[20].total() - 1:+.1%} from 20 questions to {looks[-1]}")


if __name__ == "__main__":
    main()
