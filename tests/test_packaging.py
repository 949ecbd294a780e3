"""What is installed: the wheel with its command, the lock, and where README says that everything is."""

import os
import re
import shutil
import socket
import subprocess
import sys
import sysconfig
import tomllib
import venv
from pathlib import Path
from urllib.request import urlopen

import pytest
from packaging.requirements import Requirement

from tests import model_server

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def pinned(file: str) -> dict[str, str]:
    """Package -> version, of a file of requirements or a lock."""
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    found = (re.match(r"([\w.-]+)(?:\[[\w,]+\])?==([\w.]+)", line) for line in lines)
    return {match[1].lower().replace("_", "-").replace(".", "-"): match[2] for match in found if match}


def test_what_the_wheel_asks_for_is_what_is_pinned() -> None:
    asked = {one.name.lower().replace("_", "-"): one for one in map(Requirement, PROJECT["dependencies"])}
    pins = pinned("requirements.txt")
    assert asked.keys() == pins.keys()
    assert [name for name, version in pins.items() if not asked[name].specifier.contains(version)] == []


def test_the_lock_holds_every_pinned_package_but_torch_with_hashes() -> None:
    locked, pins = pinned("requirements.lock"), pinned("requirements.txt")
    assert pins.pop("torch")
    assert {name: locked.get(name) for name in pins} == pins
    entries = re.split(r"\n(?=\S)", (ROOT / "requirements.lock").read_text(encoding="utf-8").strip())[1:]
    assert [entry.split()[0] for entry in entries if "--hash=sha256:" not in entry] == []


@pytest.mark.slow
def test_the_wheel_installs_a_command_that_works(tmp_path: Path) -> None:
    """Built from what git has, installed beside the packages that are here, run outside of the checkout."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    rooms = ("trag/", "org/", "prompts/", "store/")
    for name in listed:
        if name.startswith(rooms) or name in ("pyproject.toml", "README.md", "LICENSE", "requirements-gpu.txt"):
            (tmp_path / "source" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tmp_path / "source" / name)
    (tmp_path / "source/tests").mkdir()
    shutil.copy(ROOT / "tests/requirements.txt", tmp_path / "source/tests")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    wheels, fresh = tmp_path / "wheels", tmp_path / "fresh"
    offline = ["--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*pip, "wheel", *offline, "-w", str(wheels), str(tmp_path / "source")], check=True)
    venv.create(fresh)
    (installed,) = fresh.glob("lib/python*/site-packages")
    (installed / "packages.pth").write_text(sysconfig.get_path("purelib"))
    into = ["--python", str(fresh / "bin/python"), "install", *offline]
    subprocess.run([*pip, *into, *map(str, wheels.iterdir())], check=True)
    shipped = {path.relative_to(installed).as_posix() for path in installed.rglob("*") if path.is_file()}
    wanted = {name for name in listed if name.startswith(rooms)}
    assert wanted - shipped == set()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {"TRAG_HOME": str(tmp_path / "home"), "TRAG_PORT": str(port), "PATH": os.environ["PATH"]}
    command = str(fresh / "bin/trag")

    def trag(*words: str) -> str:
        done = subprocess.run(
            [command, *words], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    # The server for the model is looked at and asked nothing by what follows, and no model is loaded.
    with model_server.serving({}, {}) as address_of_model:
        environment |= {"TRAG_MODEL_URL": address_of_model, "TRAG_MODEL_NAME": model_server.NAME}
        assert "serve" in trag("--help")
        assert "units" in trag("chart", "check", str(ROOT / "examples/larkmoor/chart.csv"))
        assert "FAIL" not in trag("doctor")
        with subprocess.Popen(
            [command, "serve"], cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True
        ) as app:
            assert app.stdout
            assert app.stdout.readline() == f"Open http://127.0.0.1:{port}\n"
            for address in ("/health", "/", "/documents"):
                with urlopen(f"http://127.0.0.1:{port}{address}", timeout=60) as page:
                    assert page.status == 200
            app.terminate()
        assert app.returncode == 0


def test_the_map_in_the_readme_names_what_is_there_and_every_room() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    lines = readme.split("## Where things are\n\n```\n")[1].split("\n```")[0].splitlines()
    top = ""
    named: set[Path] = set()
    for line in lines:
        if not line.startswith(" "):
            top = line.split("/")[0] if "/" in line.split()[0] else ""
        for name in re.findall(r"(?<![\w.])((?:\w+/)*\w+\.py|(?:\w+/)+)(?![\w])", line):
            paths = [
                path for path in (ROOT / name, ROOT / top / name, *(ROOT / top).glob(f"*/{name}")) if path.exists()
            ]
            assert paths, f"README's map: {name}"
            named.add(paths[0])
    rooms = [
        path
        for room in ("trag", "org")
        for path in (ROOT / room).iterdir()
        if path.name not in ("__init__.py", "__main__.py", "__pycache__") and (path.is_dir() or path.suffix == ".py")
    ]
    assert sorted(str(path.relative_to(ROOT)) for path in rooms if path not in named) == []
