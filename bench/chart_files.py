"""python -m bench.chart_files: reading and checking a chart of 100,000 rows, in each format, and what it costs; and
comparing two flat ones, the widest there can be, in which every name is another.

Beside it, in the same run, what one writes by hand after the T-RAG paper: csv.DictReader and one anytree node a row,
which checks nothing. Each runs in a process of its own; seconds and peak memory, the child that parses included.
"""

from __future__ import annotations

import csv
import io
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROWS = 100_000
FORMATS = ("csv", "xlsx", "json")


def rows() -> list[dict[str, str]]:
    """A deterministic chart: ten units under each one, every name of its own."""
    kinds = ("division", "department", "office", "section", "team")
    made = [{"name": "Organization", "parent": "", "type": "organization", "aliases": "", "description": ""}]
    for number in range(1, ROWS):
        kind = kinds[number % 5]
        above = made[(number - 1) // 10]["name"]
        made.append(
            {
                "name": f"{kind.title()} of Matters {number}",
                "parent": above,
                "type": kind,
                "aliases": f"M{number}|Matters {number}",
                "description": f"Looks after matters number {number} and what follows from them.",
            }
        )
    return made


def write(folder: Path) -> None:
    """The same chart in every format."""
    from org import export
    from org.reading.charts import load

    table = io.StringIO()
    writer = csv.DictWriter(table, list(rows()[0]))
    writer.writeheader()
    writer.writerows(rows())
    (folder / "chart.csv").write_text(table.getvalue(), encoding="utf-8")
    chart = load(table.getvalue().encode(), "chart.csv")
    for format in FORMATS[1:]:
        (folder / f"chart.{format}").write_bytes(export.write(chart, format))


def ours(file: Path) -> None:
    """Read and check it as an upload is."""
    from trag.charts import check

    report = check(file.read_bytes(), file.name)
    assert report.chart is not None, report.problems[:3]
    assert len(report.chart) == ROWS


def by_hand(file: Path) -> None:
    """The tree alone, as a script would make it."""
    from anytree import Node

    nodes: dict[str, Node] = {}
    with file.open(encoding="utf-8", newline="") as table:
        for row in csv.DictReader(table):
            nodes[row["name"]] = Node(row["name"], parent=nodes.get(row["parent"]))
    assert len(nodes) == ROWS


def compared() -> float:
    """Seconds of processor time to compare two charts of as many units under one, no name of which is in both."""
    from org.changes import compare
    from org.chart import Chart
    from org.reading.charts import load

    def flat(name: str) -> Chart:
        units = "".join(f"{name} {number},All,office\n" for number in range(ROWS))
        return load(f"name,parent,type\nAll,,all\n{units}".encode(), "chart.csv")

    before, after = flat("Old"), flat("New")
    started = time.process_time()
    changes = compare(before, after)
    seconds = time.process_time() - started
    assert len(changes.renamed) + len(changes.added) == ROWS
    return seconds


def measured(job: str, file: Path) -> dict[str, float]:
    """Seconds and MiB of one job in a new process."""
    command = [sys.executable, "-m", "bench.chart_files", job, str(file)]
    return dict(json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout))


def main() -> None:
    """Print a line a format."""
    if len(sys.argv) == 3:
        job = {"write": write, "ours": ours, "by_hand": by_hand}[sys.argv[1]]
        started = time.monotonic()
        job(Path(sys.argv[2]))
        seconds = time.monotonic() - started
        peak = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        print(json.dumps({"seconds": seconds, "mib": peak / 1024}))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        measured("write", folder)  # not here: a process begins with the peak of the one that starts it
        plain = measured("by_hand", folder / "chart.csv")
        print(f"{ROWS:,} rows by hand, unchecked, CSV: {plain['seconds']:.1f} s, {plain['mib']:.0f} MiB")
        for format in FORMATS:
            file = folder / f"chart.{format}"
            one = measured("ours", file)
            ratio = one["seconds"] / plain["seconds"]
            size = file.stat().st_size / 1e6
            print(
                f"{ROWS:,} rows read and checked, {format} ({size:.0f} MB): {one['seconds']:.1f} s ({ratio:.1f}x),"
                f" {one['mib']:.0f} MiB in the larger of the two processes"
            )
        print(f"two flat charts of {ROWS:,} units with every name another, compared: {compared():.1f} s")


if __name__ == "__main__":
    main()
