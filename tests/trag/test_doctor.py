"""The doctor on this machine, and on one that has a card which the build of llama.cpp cannot use."""

import errno
import os
import re
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from store import files
from trag import doctor
from trag.doctor import _server, examine, nvidia_cards
from trag.llm.local import build_command, gpu_support
from trag.llm.model import ModelDied
from trag.settings import Settings

ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.slow


def test_on_a_sound_machine_everything_is_well(tmp_path: Path) -> None:
    findings = {finding.what: finding for finding in examine(Settings(home=tmp_path / "home"))}
    assert [what for what, finding in findings.items() if not finding.well and what not in ("GPU", "disk")] == []
    said = r"SmolLM2-135M.*, 0\.1 GB in /.*, 0\.\d GB of memory, .*, writes [1-9]\d* tokens/s"
    assert re.search(said, findings["language model"].found)
    assert re.fullmatch(
        r"\d+\.\d GiB free; a day of questions takes about 1 GiB beside the model", findings["memory"].found
    )
    assert "MiniLM" in findings["encoder"].found
    assert "0 documents, no chart" in findings["home"].found


@pytest.fixture
def light(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing heavy is looked at, and all of it is well."""
    monkeypatch.setattr(doctor, "_gpu", lambda: "well")
    for heavy in ("_model", "_encoder"):
        monkeypatch.setattr(doctor, heavy, lambda _: "well")


@pytest.mark.usefixtures("light")
def test_a_home_that_the_assistant_is_using_is_no_fault(tmp_path: Path) -> None:
    with files.lock(tmp_path):
        (home,) = (finding for finding in examine(Settings(home=tmp_path)) if finding.what == "home")
    assert home.well
    assert "in use" in home.found


def put_driver(folder: Path, does: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program = folder / "nvidia-smi"
    program.write_text(f"#!/bin/sh\n{does}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def test_a_card_that_the_build_cannot_use_is_a_failure_with_the_command_that_mends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_driver(tmp_path, "echo 'NVIDIA Test Card'", monkeypatch)
    assert nvidia_cards() == ("NVIDIA Test Card",)
    gpu = next(finding for finding in examine(Settings(home=tmp_path / "home")) if finding.what == "GPU")
    assert gpu.well is gpu_support()
    if not gpu.well:
        assert "CMAKE_ARGS" in gpu.hint
        assert "llama-cpp-python" in gpu.hint


def _no_package(name: str) -> str:
    raise PackageNotFoundError(name)


@pytest.mark.usefixtures("light")
@pytest.mark.parametrize(
    ("broken", "by", "what", "said", "settings"),
    [
        ("importlib.metadata.version", _no_package, "packages", "llama-cpp-python is not installed", {}),
        ("pathlib.Path.mkdir", Mock(side_effect=OSError(errno.EROFS, "Read-only")), "disk", "Read-only", {}),
        ("trag.doctor._gpu", Mock(side_effect=ModelDied("killed by SIGILL")), "GPU", "SIGILL", {}),
        ("trag.doctor._model", Mock(side_effect=ImportError("no libllama.so")), "language model", "libllama", {}),
        ("trag.doctor._server", _server, "language model", "no web address", {"model_url": "localhost:8000"}),
        ("trag.doctor._server", _server, "language model", "NAME is not", {"model_url": "http://localhost:8000/v1"}),
        ("trag.doctor._encoder", Mock(side_effect=ImportError("No module named 'torch'")), "encoder", "torch", {}),
    ],
    ids=["package", "disk", "llama.cpp", "library", "server's address", "server's name", "encoder"],
)
def test_what_is_broken_is_a_failure_and_the_rest_is_looked_at_all_the_same(
    broken: str, by: Any, what: str, said: str, settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(broken, by)
    findings = {finding.what: finding for finding in examine(Settings(home=tmp_path / "home", **settings))}
    assert said in findings[what].found
    assert findings[what].hint or what == "GPU"
    assert not findings[what].well
    assert findings["home"].well or what == "disk"


def test_a_model_that_dies_of_how_llama_cpp_was_compiled_is_a_failure_with_the_command_that_mends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trag.llm.opening.trial", Mock(side_effect=ModelDied("killed by SIGSEGV")))
    monkeypatch.setattr(doctor, "_encoder", lambda _: "well")
    findings = {finding.what: finding for finding in examine(Settings(home=tmp_path / "home"))}
    model = findings["language model"]
    assert (model.well, model.found) == (False, "killed by SIGSEGV")
    pinned = re.search(r"^llama-cpp-python==\S+", (ROOT / "requirements.txt").read_text(encoding="utf-8"), re.M)
    assert pinned
    assert model.hint.endswith(f"--no-binary llama-cpp-python {pinned[0]}"), "the version that is pinned"
    assert "-DCMAKE_CXX_FLAGS=-U__AMX_INT8__" in model.hint, "and without what kills it"


def test_the_command_is_there_where_llama_cpp_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trag.llm.local.version", _no_package)
    assert build_command().endswith("--no-binary llama-cpp-python llama-cpp-python")


def test_a_driver_that_hangs_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put_driver(tmp_path, "exec sleep 60", monkeypatch)
    monkeypatch.setattr(doctor, "PATIENCE", 0.2)
    assert nvidia_cards() == ()


def test_a_file_that_is_no_model_is_named_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_encoder", lambda _: "well")
    file = tmp_path / "model.gguf"
    file.write_text("<html>not found</html>")
    findings = {finding.what: finding for finding in examine(Settings(home=tmp_path / "home", model=str(file)))}
    assert not findings["language model"].well
    assert "model.gguf" in findings["language model"].found
    assert findings["encoder"].well
