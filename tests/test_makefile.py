"""What `make` would do, without doing it, and with a Python that only writes down what it was asked."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(autouse=True)
def python(tmp_path: Path) -> Path:
    """A copy of what `make` reads, and where its Python goes."""
    for name in ("Makefile", "requirements.txt", "requirements.lock"):
        shutil.copy(ROOT / name, tmp_path / name)
    python = tmp_path / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.touch(mode=0o755)
    return python


def make(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"]}
    return subprocess.run(["make", *words], cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_an_update_of_the_packages_puts_no_sample_over_what_is_in_the_home(tmp_path: Path) -> None:
    done = [tmp_path / name for name in (".venv/bin/python", ".venv/runtime.stamp", "var/sample.stamp")]
    for age, path in enumerate(reversed(done)):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        os.utime(path, (1e9 - age, 1e9 - age))
    planned = make(tmp_path, "--dry-run", "run").stdout
    assert "install" in planned  # requirements.txt is newer than what was installed
    assert "app.py" in planned
    assert "chart activate" not in planned
    assert "ingest" not in planned


@pytest.mark.parametrize("clang", ["", "clang++-16"], ids=["without AMX", "for AMX"])
@pytest.mark.parametrize(
    ("tries", "mended"), [(0, True), (1, True), (2, False)], ids=["runs", "compiled anew", "never"]
)
def test_a_llama_cpp_that_does_not_run_here_is_compiled_once_more(
    clang: str, tries: int, mended: bool, tmp_path: Path, python: Path
) -> None:
    python.write_text(
        f"""#!/bin/bash
echo "$@" >> asked
[[ "$*" != *"-r /dev/stdin"* ]] || echo "$CC $CXX $(cat)" >> compiled
[[ "$*" != "-m trag models try" ]] || [ $(grep -c "models try" asked) -gt {tries} ]
"""
    )
    done = make(tmp_path, "setup", f"CLANG={clang}")
    asked = (tmp_path / "asked").read_text()
    assert asked.count("models try") == min(tries + 1, 2)
    assert asked.count("--no-cache-dir") == min(tries, 1) + bool(clang)
    compiled = (tmp_path / "compiled").read_text().splitlines() if tries or clang else []
    told = next(
        one for one in (ROOT / "requirements.txt").read_text().splitlines() if one.startswith("llama-cpp-python==")
    )
    with_amx = [f"clang-16 clang++-16 {told.split()[0]}"] if clang else []
    assert compiled == [*with_amx, *([f"  {told}"] if tries else [])]
    assert (done.returncode == 0) is mended
    assert (tmp_path / ".venv/runtime.stamp").exists() is mended


def test_the_model_is_looked_for_at_each_set_up_and_tried_once_it_is_there(tmp_path: Path, python: Path) -> None:
    python.write_text('#!/bin/bash\necho "$@" >> asked\n[[ "$*" != "-m trag models get" ]] || [ -f model ]\n')

    def asked() -> tuple[bool, list[str]]:
        (tmp_path / "asked").write_text("")
        done = make(tmp_path, "setup")
        lines = (tmp_path / "asked").read_text().splitlines()
        return done.returncode == 0, [line.split()[-1] for line in lines if line.startswith("-m trag models")]

    assert asked() == (False, ["get"])
    (tmp_path / "model").touch()
    assert asked() == (True, ["get", "try", "get"])
    assert asked() == (True, ["get"])
