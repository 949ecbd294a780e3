import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from shutil import rmtree

import psutil
import pytest
from pypdf import PdfWriter
from pypdf.generic import NameObject, StreamObject

from tests.trag.ingest.made import saved
from trag import sandbox
from trag.errors import TragError
from trag.ingest.reading import Block, Reading, read, read_file
from trag.sandbox import Limits, shown

LIMITS = Limits()
GREEDY = b"<table>" + b"<tr><td colspan=100 rowspan=1000>cell</td></tr>" * 3_000 + b"</table>"
"""A small page that asks for 300,000 cells a row."""


def test_a_document_is_read_in_a_child_and_comes_back_whole(manual: bytes) -> None:
    reading = read(manual, "Manual.PDF", LIMITS)
    assert (reading.format, reading.pages) == ("PDF", 3)
    assert Block("heading", "4 Finance", 11, 1) in reading.blocks
    assert Reading.from_json(reading.to_json()) == reading


@pytest.fixture
def _own_servers() -> Iterator[None]:
    """Servers of other programs than Python, for one test."""
    sandbox.end_servers()
    yield
    sandbox.end_servers()


@pytest.mark.usefixtures("_own_servers")
def test_the_child_sees_nothing_of_the_parents_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TRAG_MODEL_KEY", "secret")
    spy, seen = tmp_path / "spy", tmp_path / "seen"
    spy.write_text(f"#!/bin/sh\nenv > {seen}\nexit 9\n")
    spy.chmod(0o755)
    monkeypatch.setattr(sandbox.sys, "executable", str(spy))
    with pytest.raises(TragError, match=r"a\.txt could not be read"):
        read(b"text", "a.txt", LIMITS)
    assert "PYTHONUTF8=1" in seen.read_text()
    assert "secret" not in seen.read_text()


@pytest.mark.usefixtures("_own_servers")
def test_a_document_is_read_where_the_machine_allows_less_than_the_limits(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    python = tmp_path / "python"
    without = "setpriv --bounding-set=-sys_resource --inh-caps=-sys_resource" if os.geteuid() == 0 else ""
    python.write_text(f'#!/bin/sh\nulimit -c 0\nulimit -n 60\nexec {without} {sys.executable} "$@"\n')
    python.chmod(0o755)
    monkeypatch.setattr(sandbox.sys, "executable", str(python))
    assert read(b"Leave\n\nThirty days.", "a.txt", LIMITS).blocks


def test_a_child_that_nobody_waits_for_any_more_is_ended_at_once() -> None:
    read(b"text", "t.html", LIMITS)
    others, children = set(psutil.Process().children(recursive=True)), []

    def watch() -> None:
        children.extend(set(psutil.Process().children(recursive=True)) - others)
        if len(children) >= 6:
            reader = next(
                child for child in children if child.pid == os.getpgid(child.pid) and "parse" in str(child.cmdline())
            )
            assert reader.rlimit(psutil.RLIMIT_NOFILE) == (64, 65)
            assert reader.rlimit(psutil.RLIMIT_CORE) == (0, 1)
            raise KeyboardInterrupt

    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        read(GREEDY, "t.html", LIMITS, watch)
    assert time.monotonic() - began < 5
    assert len(set(children)) == 2  # who reads, and who waits for it
    _, running = psutil.wait_procs(set(children), timeout=5)
    assert not running


def test_a_server_that_is_gone_is_started_again_and_reads_each_file_apart() -> None:
    read(b"text", "t.md", LIMITS)
    server = sandbox._servers["trag.ingest.parse"].process
    with pytest.raises(TragError, match="needs more than 60 MiB"):
        read(b"word " * 4_000_000, "t.txt", Limits(memory_bytes=60 << 20))
    assert read(b"text", "t.md", LIMITS).blocks
    assert sandbox._servers["trag.ingest.parse"].process is server
    server.kill()
    server.wait()
    assert read(b"text", "t.md", LIMITS).blocks
    with ThreadPoolExecutor(8) as pool:
        texts = [f"text {number}" for number in range(40)]
        found = pool.map(lambda text: read(text.encode(), "t.md", LIMITS).blocks[0].text, texts)
        assert list(found) == texts


def test_a_server_ends_with_its_parent() -> None:
    code = """
import os
from trag import sandbox
from trag.ingest.reading import Limits, read
read(b"text", "t.md", Limits())
print(sandbox._servers["trag.ingest.parse"].process.pid, flush=True)
os._exit(0)
"""
    parent = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    server = int(parent.stdout)
    for _ in range(50):
        if not psutil.pid_exists(server):
            break
        time.sleep(0.1)
    assert not psutil.pid_exists(server)


@pytest.mark.parametrize(
    ("content", "name", "limits", "said"),
    [
        pytest.param(GREEDY, "t.html", Limits(seconds=1), "could not be read in 1 second", id="time"),
        pytest.param(GREEDY, "t.html", Limits(processor_seconds=1), "takes more than 1 second", id="computing"),
        pytest.param(
            b"word " * 4_000_000, "t.txt", Limits(memory_bytes=120 << 20), "needs more than 120 MiB", id="memory"
        ),
        pytest.param(b"word " * 400_000, "t.txt", Limits(output_bytes=1_000_000), "holds more than 1 MB", id="output"),
    ],
)
@pytest.mark.slow
def test_a_child_over_its_limits_is_ended_and_the_file_named(
    content: bytes, name: str, limits: Limits, said: str
) -> None:
    read(b"text", name, LIMITS)
    others, began = set(psutil.Process().children(recursive=True)), time.monotonic()
    with pytest.raises(TragError) as caught:
        read(content, name, limits)
    assert caught.value.message.startswith(f"{name} {said}"), caught.value.message
    assert caught.value.hint
    assert time.monotonic() - began < 20
    left = set(psutil.Process().children(recursive=True)) - others
    _, running = psutil.wait_procs(left, timeout=5)
    assert not running


@pytest.mark.slow
def test_a_flate_bomb_in_a_pdf_costs_no_more_than_its_limits() -> None:
    writer, stream = PdfWriter(), StreamObject()
    page = writer.add_blank_page(200, 200)
    stream.set_data(b"BT /F1 12 Tf (x) Tj ET\n" * 4_000_000)
    page[NameObject("/Contents")] = writer._add_object(stream.flate_encode())
    content = saved(writer.write)
    assert len(content) < 2_000_000
    with pytest.raises(TragError) as caught:
        read(content, "bomb.pdf", Limits(processor_seconds=5))
    assert caught.value.message.startswith("bomb.pdf ")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["-evil\n\u202e$(id).md", "a/b/c\0" + "x" * 300 + ".md"])
def test_a_name_is_never_trusted(name: str) -> None:
    with pytest.raises(TragError) as caught:
        read(b"", name, LIMITS)
    assert caught.value.message == f"{shown(name)} is empty."
    assert caught.value.message.isprintable()
    assert len(caught.value.message) < 220


def test_what_the_child_refuses_comes_back_with_the_name_and_the_hint() -> None:
    with pytest.raises(TragError) as caught:
        read(b"GIF89a", "scan.pdf", LIMITS)
    assert caught.value.message == "scan.pdf is named .pdf but looks like a GIF picture."
    assert "Save it as one of" in caught.value.hint


@pytest.mark.slow
def test_a_bug_in_a_parser_costs_one_file_and_says_what_it_was() -> None:
    with pytest.raises(TragError) as caught:
        read(b"<div>" * 5_000, "deep.html", LIMITS)
    assert "deep.html could not be read, it may be damaged: RecursionError" in caught.value.message


def test_a_file_is_refused_by_its_size_before_it_is_read(tmp_path: Path) -> None:
    large = tmp_path / "large.pdf"
    with large.open("wb") as file:
        file.truncate(500_000_000)
    with pytest.raises(TragError) as caught:
        read_file(large, "large.pdf", LIMITS)
    assert caught.value.message == "large.pdf has 500 MB; a document may have 200 MB."


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_named(tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.touch(0o000)
    with pytest.raises(TragError, match=r"secret\.md cannot be read: Permission denied"):
        read_file(secret, "secret.md", LIMITS)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(TragError, match=r"gone\.md cannot be read: No such file"):
        read_file(tmp_path / "gone.md", "gone.md", LIMITS)


def test_a_link_put_in_the_way_of_a_file_meanwhile_is_not_followed(tmp_path: Path) -> None:
    for name in ("in/deep", "out"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "a.md").write_text(name)
    inside = tmp_path / "in" / "deep" / "a.md"
    assert read_file(inside, "a.md", LIMITS) == b"in/deep"
    inside.unlink()
    inside.symlink_to(tmp_path / "out" / "a.md")
    with pytest.raises(TragError, match=r"a\.md cannot be read"):
        read_file(inside, "a.md", LIMITS)
    rmtree(inside.parent)
    inside.parent.symlink_to(tmp_path / "out")
    with pytest.raises(TragError, match="replaced while it was looked at"):
        read_file(inside, "a.md", LIMITS)
