"""The environment of the peers, made once under var/ of what requirements-*.txt pin: none of it touches the product's.

Making it fetches packages; afterwards nothing is fetched.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import venv
from collections.abc import Mapping
from pathlib import Path

HERE = Path(__file__).parent
FOLDER = HERE.parent.parent / "var" / "peers" / "environment"
OFFLINE: Mapping[str, str] = {
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HAYSTACK_TELEMETRY_ENABLED": "False",
    "LANGSMITH_TRACING": "false",
    "ANONYMIZED_TELEMETRY": "False",
    "DO_NOT_TRACK": "1",
    "LLAMA_INDEX_CACHE_DIR": str(FOLDER.with_name("cache")),
}
"""What each library documents for working without a network, reporting nothing, and writing nowhere else."""


def python() -> Path:
    """The interpreter of the environment, made first where it is not what the files say (minutes, 1.8 GB)."""
    interpreter, stamp = FOLDER / "bin" / "python", FOLDER / "made-of"
    if not made():
        print(f"making {FOLDER} for the peers: some minutes, once", file=sys.stderr)
        venv.create(FOLDER, clear=True, with_pip=True)
        wanted = [part for file in requirements() for part in ("-r", str(file))]
        # llama.cpp is compiled once for both environments: pip keeps the wheel that it built.
        pip = [str(interpreter), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
        subprocess.run([*pip, *wanted], check=True)
        stamp.write_text(_sha256())
    return interpreter


def made() -> bool:
    """Whether the environment is there, of what the files say now."""
    stamp = FOLDER / "made-of"
    return stamp.exists() and stamp.read_text() == _sha256()


def variables() -> dict[str, str]:
    """The environment variables of every system that is measured, ours too."""
    # GOMP_SPINCOUNT is the product's own setting: threads that wait would keep the cores from whoever is being asked.
    kept = {name: value for name, value in os.environ.items() if not name.startswith("TRAG_")}
    return {**kept, **OFFLINE, "PYTHONUTF8": "1", "GOMP_SPINCOUNT": "1000"}


def version(package: str) -> str:
    """The version of a package that the files pin."""
    lines = [line for file in requirements() for line in file.read_text(encoding="utf-8").splitlines()]
    return next(line for line in lines if line.startswith(f"{package}==")).split()[0].partition("==")[2]


def requirements() -> list[Path]:
    """One file a peer. They agree with each other, so that one environment does."""
    return sorted(HERE.glob("requirements-*.txt"))


def _sha256() -> str:
    return hashlib.sha256(b"".join(file.read_bytes() for file in requirements())).hexdigest()
