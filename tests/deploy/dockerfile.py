"""A Dockerfile as far as ours goes, read; and built without an engine or a registry, to see that its lines do.

    unshare --mount python -m tests.deploy.dockerfile BASE WORK     as root

BASE is the root of a Linux with a `python` and pip that stands in for the image of FROM, such as debootstrap makes:
`debootstrap --variant=minbase --include=python3,python3-venv,python3-pip bookworm BASE`. Each stage is a copy of it in
WORK, in which its RUN lines are run in order. Build arguments come from the environment, as does what pip is told.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
FILE = ROOT / "deploy/Dockerfile"


@dataclass(frozen=True, slots=True)
class Instruction:
    word: str
    rest: str

    @property
    def values(self) -> list[str]:
        """What it is given, by either way of writing it."""
        return json.loads(self.rest) if self.rest.startswith("[") else shlex.split(self.rest)


@dataclass(frozen=True, slots=True)
class Stage:
    """`name` is the number of a stage that has none."""

    name: str
    image: str
    instructions: tuple[Instruction, ...]

    def all(self, word: str) -> list[Instruction]:
        return [one for one in self.instructions if one.word == word]

    @property
    def environment(self) -> dict[str, str]:
        return dict(pair.split("=", 1) for one in self.all("ENV") for pair in one.values)


def stages(file: Path = FILE) -> list[Stage]:
    lines = [line for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    found: list[Stage] = []
    for line in re.sub(r"\\\n\s*", "", "\n".join(lines)).splitlines():
        word, _, rest = line.partition(" ")
        if word == "FROM":
            image, _, name = rest.partition(" AS ")
            found.append(Stage(name or str(len(found)), image, ()))
        elif word:
            last = found.pop()
            found.append(Stage(last.name, last.image, (*last.instructions, Instruction(word, rest.strip()))))
    return found


def build(base: Path, work: Path) -> Path:
    """The root of the last stage. A stage that is in `work` is taken as it is."""
    for stage in stages():
        root = work / stage.name
        if root.exists():
            continue
        half = work / f"{stage.name}.half"
        subprocess.run(["rm", "-rf", "--one-file-system", half], check=True)
        subprocess.run(["cp", "-a", "--reflink=auto", base, half], check=True)
        mounted = [half / "proc", half / "dev"]
        subprocess.run(["mount", "-t", "proc", "proc", mounted[0]], check=True)
        subprocess.run(["mount", "-t", "devtmpfs", "dev", mounted[1]], check=True)
        try:
            _fill(stage, half, work)
        finally:
            subprocess.run(["umount", *mounted], check=True)
        half.rename(root)
    return root


def _fill(stage: Stage, root: Path, work: Path) -> None:
    shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
    given = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    environment = {"PATH": "/usr/local/bin:/usr/bin:/usr/sbin:/bin:/sbin", "HOME": "/root"} | given
    folder = "/"
    for one in stage.instructions:
        match one.word:
            case "ARG":
                environment |= {one.rest: os.environ[one.rest]} if one.rest in os.environ else {}
            case "WORKDIR":
                folder = one.rest
                (root / folder[1:]).mkdir(parents=True, exist_ok=True)
            case "COPY":
                _copy(one.values, root, folder, work)
            case "RUN":
                script = f"cd {shlex.quote(folder)} && {one.rest}"
                subprocess.run(["chroot", root, "/bin/sh", "-xc", script], env=environment, check=True)


def _copy(values: list[str], root: Path, folder: str, work: Path) -> None:
    start = ROOT
    if values[0].startswith("--from="):
        start, values = work / values[0].removeprefix("--from="), values[1:]
    *sources, name = values
    target = root / folder[1:] / name if not name.startswith("/") else root / name[1:]
    for source in (start / one.lstrip("/") for one in sources):
        if source.is_dir():
            shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True)
        else:
            into = target / source.name if name.endswith("/") else target
            into.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, into)


if __name__ == "__main__":
    sys.stdout.write(f"{build(Path(sys.argv[1]), Path(sys.argv[2]))}\n")
