"""The image and the service: what they name is there, and how they are told to run is how the program may be run."""

import json
import re
import shutil
import subprocess
import sys
import threading
from dataclasses import fields
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from tests.deploy.dockerfile import ROOT, stages
from tests.test_packaging import PROJECT
from trag.settings import Settings, load
from trag.terminal.main import _parser
from trag.web.start_checks import problems

UNIT = ROOT / "deploy/trag.service"
IGNORED = ROOT / "deploy/Dockerfile.dockerignore"
*BUILT, IMAGE = stages()


def unit() -> dict[str, list[str]]:
    """Each setting of the service with its values."""
    found: dict[str, list[str]] = {}
    for line in UNIT.read_text(encoding="utf-8").splitlines():
        if line and line[0] not in "#[":
            name, value = line.split("=", 1)
            found.setdefault(name, []).append(value)
    return found


def of_service() -> dict[str, str]:
    return dict(value.split("=", 1) for value in unit()["Environment"])


def test_what_the_image_copies_is_in_the_repository_and_goes_to_the_builder() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    sent = [line[1:] for line in IGNORED.read_text().splitlines() if line.startswith("!")]
    names = [stage.name for stage in BUILT]
    copied = []
    for stage in (*BUILT, IMAGE):
        for one in stage.all("COPY"):
            *sources, _ = one.values
            if sources[0].startswith("--from="):
                assert sources[0].removeprefix("--from=") in names[: [*names, IMAGE.name].index(stage.name)]
            else:
                copied += sources
    assert sorted(set(copied)) == sorted(sent)
    assert [name for name in sent if not re.search(rf"^{re.escape(name)}(/|$)", listed, re.MULTILINE)] == []


def test_the_image_has_every_file_that_the_wheel_is_made_of() -> None:
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    rooms = re.search(r"^include = \[(.+)\]", project, re.MULTILINE)
    assert rooms
    needed = {name.strip(' "*') for name in rooms[1].split(",")}
    needed |= {PROJECT["readme"], *PROJECT["license-files"], *re.findall(r'file = "([^"]+)"', project)}
    copied = {name for one in BUILT[-1].all("COPY") for name in one.values[:-1] if not name.startswith("-")}
    assert needed - copied == set()


def test_the_pins_are_cut_into_llama_cpp_torch_and_all_others(tmp_path: Path) -> None:
    for name in ("requirements.txt", "requirements.lock"):
        shutil.copy(ROOT / name, tmp_path)
    for one in BUILT[0].all("RUN"):
        subprocess.run(["sh", "-ec", one.rest], cwd=tmp_path, check=True)
    llama, others, torch = ((tmp_path / f"{name}.txt").read_text() for name in ("llama", "others", "torch"))
    assert re.findall(r"^([\w-]+)==", llama, re.MULTILINE) == ["llama-cpp-python"]
    assert "--config-settings" in llama
    assert "--hash=sha256:" in llama
    assert sorted((llama + others).splitlines()) == sorted((ROOT / "requirements.lock").read_text().splitlines())
    assert re.fullmatch(r"torch==[\d.]+\n", torch)


@pytest.mark.parametrize("environment", [IMAGE.environment, of_service()], ids=["image", "service"])
def test_it_runs_with_settings_that_are_known_and_listens_to_this_machine_alone(environment: dict[str, str]) -> None:
    settings = load(environment)
    assert list(problems(settings)) == []
    assert settings.host == "127.0.0.1"
    assert settings.home.is_absolute()


def test_the_image_and_the_service_run_a_command_of_the_wheel_as_an_account_without_rights() -> None:
    command = [*IMAGE.all("ENTRYPOINT")[0].values, *IMAGE.all("CMD")[0].values]
    assert PROJECT["scripts"][command[0]] == "trag.terminal.main:main"
    _parser().parse_args(command[1:])
    (started,) = unit()["ExecStart"]
    assert started.split() == [f"/opt/trag/bin/{command[0]}", *command[1:]]
    (account,) = (one.rest for one in IMAGE.all("USER"))
    assert f"useradd --uid {account} " in IMAGE.all("RUN")[0].rest
    assert unit()["User"] == ["trag"]
    assert unit()["NoNewPrivileges"] == ["yes"]
    assert unit()["CapabilityBoundingSet"] == [""]


def test_what_is_written_lies_in_the_volume_and_in_what_the_service_may_write() -> None:
    (volume,) = (one.rest for one in IMAGE.all("VOLUME"))
    assert unit()["ProtectSystem"] == ["strict"]
    assert [f"/var/lib/{name}" for name in unit()["StateDirectory"]] == [volume]
    for environment in (IMAGE.environment, of_service()):
        assert Path(environment["TRAG_HOME"]).parent == Path(volume)
    # Of the account's own folder is the cache that models are kept in.
    assert IMAGE.environment["HOME"] == volume
    assert f"--home-dir {volume} " in IMAGE.all("RUN")[0].rest


def test_the_port_that_is_told_is_the_one_by_default() -> None:
    (exposed,) = (one.rest for one in IMAGE.all("EXPOSE"))
    assert int(exposed) == next(field.default for field in fields(Settings) if field.name == "port")


class _App(BaseHTTPRequestHandler):
    """Answers as the gate does: what is asked under another name is refused."""

    def do_GET(self) -> None:
        known = self.path == "/health" and self.headers["Host"] == "localhost"
        self.send_response(self.server.answer if known else 421)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.slow
@pytest.mark.parametrize(("status", "well"), [(200, True), (500, False), (None, False)])
def test_the_health_check_says_whether_the_assistant_answers(status: int | None, well: bool, tmp_path: Path) -> None:
    (told,) = IMAGE.all("HEALTHCHECK")
    _, *command = json.loads(told.rest.split(" CMD ")[1])
    with HTTPServer(("127.0.0.1", 0), _App) as server:
        (tmp_path / "trag.toml").write_text(f"port = {server.server_port}\n")
        if status is None:
            server.server_close()
        else:
            server.answer = status
            threading.Thread(target=server.handle_request, daemon=True).start()
        asked = subprocess.run([sys.executable, *command], cwd=ROOT, env={"TRAG_HOME": str(tmp_path)}, check=False)
    assert (asked.returncode == 0) is well
