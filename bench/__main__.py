"""python -m bench: speed and memory of the assistant beside what it is built on, as ratios in one run on this machine.

Raw llama-cpp-python writes answers to the very prompts that the assistant sent, in the same order, in a process of
its own and in turns with it, so that whatever else the machine does slows both. Prints a table; docs/RESULTS.md
keeps the ones worth keeping.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Generator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import psutil

from org.reading.charts import load
from prompts import Message
from trag.events import Answer, Token
from trag.home import Home, open_home
from trag.llm import files
from trag.llm.model import LanguageModel, Usage
from trag.record import AnswerRecord
from trag.settings import Settings

ROOT = Path(__file__).parent.parent
SAMPLE = ROOT / "examples" / "larkmoor"
PAIRS = 1000
QUESTIONS = 12
STEPS = ("condense", "link", "retrieve")
PORT = 7955


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds until the first token and until the end."""

    first_token: float
    total: float


@dataclass(frozen=True, slots=True)
class Order:
    """What a model was asked to write; `is_answer` where people see it written."""

    messages: Sequence[Message]
    max_tokens: int
    grammar: str
    is_answer: bool


class Recorded:
    """A model that keeps what it was sent; everything else is the model's own."""

    def __init__(self, model: LanguageModel) -> None:
        self.model = model
        self.sent: list[Order] = []

    def __getattr__(self, name: str) -> object:
        return getattr(self.model, name)

    def stream(self, messages: Sequence[Message], **options: Any) -> Generator[str | Usage, None, None]:
        """What the model writes."""
        is_answer = options["task"] == "answer"
        self.sent.append(Order(messages, options["max_tokens"], options.get("grammar", ""), is_answer))
        yield from self.model.stream(messages, **options)


class Raw:
    """llama-cpp-python as its own guide says, in its own process: `bench/raw.py`."""

    def __init__(self, model: Path, context: int) -> None:
        command = [sys.executable, str(Path(__file__).with_name("raw.py")), str(model), str(context)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def write(self, orders: Sequence[Order]) -> Timing:
        """The times of one answer: until the first token that people see, which what was asked before it delays, and
        until the last one. What the chart answers is seen when the expression is whole."""
        assert self._process.stdin
        assert self._process.stdout
        first = total = 0.0
        for order in orders:
            messages = [asdict(message) for message in order.messages]
            told = {"messages": messages, "max_tokens": order.max_tokens, "grammar": order.grammar}
            self._process.stdin.write(json.dumps(told) + "\n")
            self._process.stdin.flush()
            took = Timing(**json.loads(self._process.stdout.readline()))
            if order.is_answer and not first:
                first = total + took.first_token
            total += took.total
        return Timing(first or total, total)

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()


def main() -> None:
    """Fill a home, measure, print."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(home=Path(folder), port=PORT)
        with open_home(settings) as home:
            fill(home, Path(folder))
            rows = speed(home)
        rows.append(("memory of the whole app, page open, models loaded", f"{memory(settings) / 2**20:,.0f} MiB", ""))
    rows.append(importing())
    print("| measure | here | bar |\n|---|---|---|")
    for row in rows:
        print(f"| {' | '.join(row)} |")


def fill(home: Home, folder: Path) -> None:
    """The sample organization, its pairs repeated under other words until there are `PAIRS`."""
    pairs = [json.loads(line) for line in (SAMPLE / "pairs.jsonl").read_text(encoding="utf-8").splitlines()]
    pairs = [pair for pair in pairs if pair["type"] in ("short_answer", "yes_no", "list", "summary", "fact_check")]
    more = [
        pairs[i % len(pairs)] | {"question": f"Case {i}: {pairs[i % len(pairs)]['question']}"}
        for i in range(PAIRS - len(pairs))
    ]
    file = folder / "pairs.jsonl"
    file.write_text("".join(json.dumps(pair) + "\n" for pair in pairs + more), encoding="utf-8")
    content = (SAMPLE / "chart.csv").read_bytes()
    home.charts.activate(load(content, "chart.csv"), [("chart.csv", content)], by="bench")

    def progress(step: str, done: int, total: int) -> None:
        print(f"\r{step} {done}/{total}\x1b[K", end="", file=sys.stderr)

    failed = [
        result
        for result in home.ingest([SAMPLE / "documents", file], replace=False, progress=progress)
        if result.failed
    ]
    assert not failed, failed
    print(f"\r{home.vectors.count('qa')} pairs, {home.vectors.count('section')} sections\x1b[K", file=sys.stderr)


def speed(home: Home) -> list[tuple[str, str, str]]:
    """The assistant against raw llama-cpp-python on the prompts that the assistant sends."""
    lines = (SAMPLE / "development.jsonl").read_text(encoding="utf-8").splitlines()
    questions = [row["question"] for row in map(json.loads, lines) if row["kind"] in ("document", "simple")]
    chosen = questions[:: len(questions) // (QUESTIONS + 2)][: QUESTIONS + 2]
    settings = home.settings
    raw = Raw(files.find(settings.model, "").model, settings.context)
    ours: list[Timing] = []
    theirs: list[Timing] = []
    records: list[AnswerRecord] = []
    for number, question in enumerate(chosen):
        model = Recorded(home.model)
        timing, record = timed(replace(home.assistant, model=model), question)
        written = raw.write(model.sent)
        print(f"\rquestion {number + 1}/{len(chosen)}\x1b[K", end="", file=sys.stderr)
        # The first two warm both up: processors, page cache, the encoder.
        if number >= 2 and model.sent:
            ours.append(timing)
            theirs.append(written)
            records.append(record)
    raw.close()
    print("\r\x1b[K", end="", file=sys.stderr)
    total = sum(one.total for one in ours) / sum(one.total for one in theirs)
    first = sum(one.first_token for one in ours) / sum(one.first_token for one in theirs)
    before = sum(getattr(record.seconds, step) for record in records for step in STEPS)
    share = before / sum(record.seconds.total for record in records)
    evaluated = sum(record.tokens.evaluated for record in records) / sum(record.tokens.prompt for record in records)
    each = ", ".join(
        f"{field.name} {1000 * sum(getattr(record.seconds, field.name) for record in records) / len(records):.0f} ms"
        for field in fields(records[0].seconds)
    )
    return [
        (f"total, assistant / raw llama-cpp-python, {len(ours)} questions", f"{total:.2f}x", "1.05x"),
        ("first token, assistant / raw llama-cpp-python", f"{first:.2f}x", "1.10x"),
        (
            f"all steps before the prompt, share of the total, at {home.vectors.count('qa')} pairs",
            f"{share:.1%}",
            "10%",
        ),
        ("tokens read anew, share of the prompt's", f"{evaluated:.0%}", ""),
        ("mean seconds of each step", each, ""),
    ]


def timed(assistant: object, question: str) -> tuple[Timing, AnswerRecord]:
    """One question, from the asker's side."""
    started = time.monotonic()
    first = 0.0
    for event in assistant.ask(question):  # type: ignore[attr-defined]
        if isinstance(event, Token) and not first:
            first = time.monotonic() - started
        if isinstance(event, Answer):
            record = event.record
    total = time.monotonic() - started
    return Timing(first or total, total), record


def memory(settings: Settings) -> int:
    """Bytes that the app and its model's process take together (shared pages counted once), once the page answers."""
    environment = os.environ | {"TRAG_HOME": str(settings.home), "TRAG_PORT": str(settings.port)}
    app = subprocess.Popen([sys.executable, str(ROOT / "app.py")], env=environment, cwd=ROOT, stdout=subprocess.DEVNULL)
    try:
        process = psutil.Process(app.pid)
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and not process.children():
            time.sleep(0.5)
        urllib.request.urlopen(f"http://127.0.0.1:{settings.port}/", timeout=60).read()
        time.sleep(5)
        return sum(one.memory_full_info().pss for one in (process, *process.children(recursive=True)))
    finally:
        app.terminate()
        app.wait(timeout=30)


def importing() -> tuple[str, str, str]:
    """How long `import trag.terminal.main` takes beside Python's own start."""

    def seconds(code: str) -> float:
        times = []
        for _ in range(5):
            started = time.monotonic()
            subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
            times.append(time.monotonic() - started)
        return min(times)

    plain, ours, model = seconds("pass"), seconds("import trag.terminal.main"), seconds("import llama_cpp")
    return (
        "import trag.terminal.main / import llama_cpp, over Python's own start",
        f"{(ours - plain) / (model - plain):.2f}x",
        "",
    )


if __name__ == "__main__":
    main()
