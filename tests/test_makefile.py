"""What `make` would do, without doing it."""

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_an_update_of_the_packages_puts_no_sample_over_what_is_in_the_home(tmp_path: Path) -> None:
    for name in ("Makefile", "requirements.txt"):
        shutil.copy(ROOT / name, tmp_path / name)
    done = [tmp_path / name for name in (".venv/bin/python", ".venv/runtime.stamp", "var/sample.stamp")]
    for age, path in enumerate(reversed(done)):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        os.utime(path, (1e9 - age, 1e9 - age))
    planned = subprocess.run(
        ["make", "--dry-run", "run"],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "install" in planned  # requirements.txt is newer than what was installed
    assert "app.py" in planned
    assert "chart activate" not in planned
    assert "ingest" not in planned
