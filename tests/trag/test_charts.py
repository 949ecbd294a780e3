"""Chart files: anyone's read in a child that ends in a report whatever they do, activated ones kept."""

from __future__ import annotations

import io
import random
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import psutil
import pytest

from org.chart import Chart, Unit
from org.export import Format, write
from org.reading.charts import Report, load
from org.reading.charts import check as check_here
from org.reading.table import MAX_BYTES, MAX_ROWS
from org.reading.workbook import MAX_RATIO, MAX_UNPACKED
from trag import charts, sandbox
from trag.charts import LIMITS, check, remember
from trag.errors import TragError

CHART = load(
    "name,parent,type,aliases,head,email,Phone\nTop,,trust,T|TT,Ann,t@example.org,1\nÉcole,Top,school,,Bo,,\n"
    '"A, B",Top,unit,=x,,,+49\nInner,École,team,,,,\nالمكتب,Top,,,,,\n'.encode(),
    "chart.csv",
)
FORMATS: tuple[Format, ...] = ("csv", "json", "tree", "xlsx")
FILES = {format: write(CHART, format) for format in FORMATS}


def name(format: str) -> str:
    return f"chart.{'json' if format == 'tree' else format}"


def explained(report: Report) -> bool:
    """Whether the report has a chart, or else a reason."""
    errors = [problem for problem in report.problems if problem.severity == "error"]
    whole = all(problem.message and problem.hint and problem.row >= 0 for problem in report.problems)
    return whole and (report.chart is None) == bool(errors)


@pytest.mark.parametrize("format", FORMATS)
def test_a_chart_is_read_in_a_child_as_it_is_here(format: Format) -> None:
    report = check(FILES[format], name(format))
    assert report.chart is not None, report.problems
    assert report.chart.version == CHART.version
    assert replace(report, chart=None) == replace(check_here(FILES[format], name(format)), chart=None)


def test_columns_that_were_chosen_are_read_that_way_in_the_next_file_with_the_same_ones(tmp_path: Path) -> None:
    first, next_one = (f"Wer,Über,Wo,Was\nA{end},,B{end},x\nB{end},A{end},A{end},y\n".encode() for end in "12")
    chosen = {"name": "Was", "parent": "Über", "type": "", "id": "Wer"}
    report = check(first, "chart.csv", columns=chosen, folder=tmp_path)
    remember(report.header, chosen, tmp_path)
    again = check(next_one, "chart.csv", folder=tmp_path)
    assert again.chart is not None, again.problems
    assert [unit.name for unit in again.chart.units.values()] == ["x", "y"]
    assert any("as they were chosen for the last file" in problem.message for problem in again.problems)
    assert check(next_one, "chart.csv", columns={"name": "Wer"}, folder=tmp_path).columns != again.columns
    assert check(next_one.replace(b"Wo", b"Wann"), "chart.csv", folder=tmp_path).chart is None
    (tmp_path / "chart-columns.json").write_text("{")
    assert check(next_one, "chart.csv", folder=tmp_path).chart is None


def test_a_sheet_and_columns_are_chosen() -> None:
    content = FILES["xlsx"]
    report = check(content, "Chart.XLSX", sheet="Units", columns={"type": "head", "head": ""})
    assert report.chart is not None, report.problems
    assert (report.sheet, report.chart.root.type) == ("Units", "Ann")
    assert "no sheet" in check(content, "chart.xlsx", sheet="--help").problems[0].message
    assert "no encoding 'idna'" in check(FILES["csv"], "chart.csv", encoding="idna").problems[0].message


def test_what_the_child_tells_is_not_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(charts, "run", lambda *_: '["no table"]')
    report = check(b"name,parent\nTop,\n", "a.csv")
    assert [problem.message for problem in report.problems] == ["The file was read to something that is no table."]


def test_the_child_only_parses_and_sees_no_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TRAG_SECRET", "secret")
    spy, seen = tmp_path / "spy", tmp_path / "seen"
    spy.write_text(f"#!/bin/sh\nenv > {seen}\nexit 9\n")
    spy.chmod(0o755)
    monkeypatch.setattr(sandbox.sys, "executable", str(spy))
    sandbox.end_servers()
    with suppress(TragError):
        check(b"name,parent\nTop,\n", "a.csv")
    sandbox.end_servers()
    assert "PYTHONUTF8=1" in seen.read_text()
    assert "secret" not in seen.read_text()


def test_a_file_that_is_too_large_never_reaches_the_child(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandbox, "_run", None)
    started = time.monotonic()
    report = check(bytes(MAX_BYTES * 2), "a.csv")
    assert "too large: 200 MB" in report.problems[0].message
    assert time.monotonic() - started < 1


GREEDY = b'[{"name": "A", "parent": "", "x": [' + b"[]," * 3_000_000 + b"[]]}]"


@pytest.mark.parametrize(
    ("content", "file", "limits", "message"),
    [
        (GREEDY, "a.json", replace(LIMITS, memory_bytes=150 << 20), "a.json needs more than 150 MiB of memory"),
        (b"\xe9," * 8_000_000, "a.csv", replace(LIMITS, processor_seconds=1), "a.csv takes more than 1 seconds"),
        (b"\xe9," * 8_000_000, "a.csv", replace(LIMITS, seconds=0), "a.csv could not be read in 0 seconds"),
        (b"name,parent\n" * 20_000, "\n.csv", replace(LIMITS, output_bytes=100_000), "\ufffd.csv holds more than 0 MB"),
    ],
    ids=["memory", "computing", "time", "output"],
)
@pytest.mark.slow
def test_what_a_limit_stops_is_a_problem(content: bytes, file: str, limits: sandbox.Limits, message: str) -> None:
    check(b"name,parent\nTop,\n", "a.csv")
    others = set(psutil.Process().children(recursive=True))
    report = check(content, file, limits=limits)
    assert explained(report)
    assert [problem.row for problem in report.problems] == [0]
    assert report.problems[0].message.startswith(message), report.problems[0].message
    left = set(psutil.Process().children(recursive=True)) - others
    _, running = psutil.wait_procs(left, timeout=5)
    assert not running


@pytest.mark.parametrize(
    "content",
    [b"", b"\0", b"PK\x03\x04", random.Random(1).randbytes(5_000), b"\xff" * 5_000],
    ids=["empty", "zero", "zip", "random", "high"],
)
@pytest.mark.parametrize("file", ["a.csv", "a.json", "a.xlsx", "a", "../../etc/passwd", "a.csv\0.json", "--sheet.csv"])
def test_no_bytes_under_no_name_raise(content: bytes, file: str) -> None:
    assert explained(check_here(content, file))


def mutated(content: bytes, chance: random.Random) -> bytes:
    """A file with a few things wrong: bytes changed, cut out, doubled, or swapped for telling ones."""
    telling = [*(bytes([byte]) for byte in b'",\n\0{[]\\\xe9<>&=|'), b"\xff\xfe", b"''"]
    data = bytearray(content)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(data) + 1)
        to = min(len(data), at + chance.choice((0, 1, 1, 4, 40, 400)))
        kind = chance.randrange(4)
        if kind == 0:
            data[at:to] = b""
        elif kind == 1:
            data[at:to] = chance.randbytes(to - at)
        elif kind == 2:
            data[at:at] = data[at:to] * chance.choice((1, 2, 50))
        else:
            data[at:to] = chance.choice(telling)
    return bytes(data)


def mutated_inside(content: bytes, chance: random.Random) -> bytes:
    """A workbook with a few things wrong in one of its parts, the archive itself whole."""
    packed = io.BytesIO()
    with ZipFile(io.BytesIO(content)) as old, ZipFile(packed, "w", ZIP_DEFLATED) as new:
        wrong = chance.choice(
            [one for one in old.namelist() if one.startswith(("xl/work", "xl/st", "_rels", "xl/_rels"))]
        )
        for one in old.namelist():
            new.writestr(one, mutated(old.read(one), chance) if one == wrong else old.read(one))
    return packed.getvalue()


@pytest.mark.slow
def test_many_damaged_files_always_end_in_a_report_with_a_reason() -> None:
    for seed in range(1_000):
        chance, format = random.Random(seed), FORMATS[seed % 4]
        inside = format == "xlsx" and seed % 8 == 7
        content = (mutated_inside if inside else mutated)(FILES[format], chance)
        started = time.process_time()
        report = check_here(content, name(format))
        assert explained(report), (seed, report.problems)
        assert time.process_time() - started < 5, seed


@pytest.mark.slow
@pytest.mark.parametrize("format", FORMATS)
def test_damaged_files_do_the_same_in_the_child(format: Format) -> None:
    assert explained(check(mutated(FILES[format], random.Random(1)), name(format)))


def large(count: int) -> Chart:
    return Chart(
        Unit(
            f"u{place}",
            f"Division of Things number {place}",
            "division",
            f"u{(place - 1) // 8}" if place else None,
            (f"DT{place}", f"Things {place}"),
            "Looks after the things of that number, and of no other.",
            f"Ann {place}",
            f"t{place}@example.org",
            f"C-{place}",
            (("Phone", f"+49 30 {place}"),),
        )
        for place in range(count)
    )


@pytest.mark.slow
def test_the_largest_charts_fit_within_the_limits() -> None:
    """A twentieth of one fits within a twentieth of them: what it takes grows with its units, and not faster."""
    chart, cpu = large(MAX_ROWS // 20), LIMITS.processor_seconds // 20
    memory = LIMITS.memory_bytes // 10  # half of it for the program itself
    limits = replace(LIMITS, memory_bytes=memory, output_bytes=LIMITS.output_bytes // 20, processor_seconds=cpu)
    for format in ("json", "xlsx"):  # the largest files, and the slowest to read
        content = write(chart, format)
        assert len(content) < MAX_BYTES // 20
        report = check(content, name(format), limits=limits)
        assert report.chart is not None, report.problems
        assert report.chart.version == chart.version
    with ZipFile(io.BytesIO(content)) as packed:
        parts = packed.infolist()
    assert sum(part.file_size for part in parts) < MAX_UNPACKED // 20
    assert all(part.file_size < MAX_RATIO * part.compress_size for part in parts)


@pytest.mark.parametrize("format", FORMATS)
def test_one_more_unit_than_the_most_is_refused(format: Format, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("org.reading.table.MAX_ROWS", len(CHART))
    assert check_here(FILES[format], name(format)).chart is not None
    monkeypatch.setattr("org.reading.table.MAX_ROWS", len(CHART) - 1)
    report = check_here(FILES[format], name(format))
    assert (report.chart, report.problems[0].severity) == (None, "error")
    assert report.problems[0].message == f"The chart has more than {len(CHART) - 1} units."
