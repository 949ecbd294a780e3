"""What this machine can do, and what is wrong with it: each finding with what to do about it.

Looks at each part the way the assistant will use it; answers no question and changes nothing but what a first start
would make.
"""

from __future__ import annotations

import importlib.metadata
import platform
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from store.files import LOCK, explained, is_held
from trag.errors import SHOWN, TragError
from trag.file_modes import check_closed
from trag.machine import free_memory
from trag.settings import Settings

PACKAGES = ("llama-cpp-python", "chromadb", "gradio", "sentence-transformers", "spacy", "torch")
ROOM = 2 << 30
"""Bytes that should be free where the home is."""
DAY = 1 << 30
"""Bytes that the assistant takes beside the model, however many questions it is asked (`python -m bench.memory`)."""
PATIENCE = 30.0
"""Seconds that the driver's own program may take to list its cards."""
INSTALL = "Install all that is needed again: pip install -r requirements.txt"
"""What to do where a package is missing or broken."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at: what it is, what was found, whether that is well, and what to do when it is not."""

    what: str
    found: str
    well: bool = True
    hint: str = ""


def examine(settings: Settings) -> Iterator[Finding]:
    """Every finding, as soon as it is made."""
    yield Finding("Python", f"{platform.python_version()} on {platform.platform()}")
    yield _shown("packages", lambda: ", ".join(map(_package, PACKAGES)))
    yield Finding("SQLite", sqlite3.sqlite_version)
    yield _shown("disk", lambda: _disk(settings))
    yield Finding("memory", _memory())
    if settings.model_url:
        yield _shown("language model", lambda: _server(settings))
    else:
        yield _shown("GPU", _gpu)
        yield _shown("language model", lambda: _model(settings))
    yield _shown("encoder", lambda: _encoder(settings))
    yield _shown("home", lambda: _home(settings))
    yield _shown("other accounts", lambda: _others(settings))


def _package(name: str) -> str:
    try:
        return f"{name} {importlib.metadata.version(name)}"
    except importlib.metadata.PackageNotFoundError as error:
        raise TragError(f"{name} is not installed.", INSTALL) from error


def _disk(settings: Settings) -> str:
    with explained(settings.home):
        settings.home.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(settings.home).free
    found = f"{free / 2**30:.1f} GiB free in {settings.home}"
    if free < ROOM:
        hint = f"Free some space: {ROOM / 2**30:.0f} GiB should be there for documents, models and the index."
        raise TragError(found, hint)
    return found


def _memory() -> str:
    free = free_memory()
    found = "nobody says how much is free" if free is None else f"{free / 2**30:.1f} GiB free"
    return f"{found}; a day of questions takes about {DAY / 2**30:.0f} GiB beside the model"


def _gpu() -> str:
    from trag.llm.local import gpu_build_command, gpu_support

    cards, offload = nvidia_cards(), gpu_support()
    if cards and not offload:
        raise TragError(
            f"{', '.join(cards)} is there, and this build of llama.cpp cannot use it",
            f"Build it again with CUDA: {gpu_build_command()}",
        )
    if cards:
        return f"{', '.join(cards)}, used by llama.cpp"
    return "llama.cpp is built with GPU offload" if offload else "none; the model runs on the CPU"


def nvidia_cards() -> tuple[str, ...]:
    """The names of the NVIDIA cards of this machine, none where the driver's own program finds none, hangs or is not
    there."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return ()
    command = [program, "--query-gpu=name", "--format=csv,noheader"]
    try:
        listed = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return ()
    return tuple(line.strip() for line in listed.stdout.splitlines() if line.strip()) if listed.returncode == 0 else ()


def _server(settings: Settings) -> str:
    from trag.llm.opening import open_model
    from trag.llm.servers import ModelServers

    with closing(open_model(settings)) as model:
        assert isinstance(model, ModelServers)
        for server in model.servers:
            try:
                server.look(alone=len(model.servers) == 1)
            except TragError as error:
                raise TragError(f"{server.address}: {error.message}", error.hint) from error
        return f"{model.identity.name} at {', '.join(server.address for server in model.servers)}"


def _model(settings: Settings) -> str:
    from store.records import Records
    from trag.llm import files
    from trag.llm.local import LocalModel, build_command
    from trag.llm.model import ModelDied
    from trag.llm.opening import open_model, trial
    from trag.models import adapters
    from trag.models.adapters import Candidates

    with closing(Records(settings.database)) as records:
        promoted = records.promotions.current()
    candidates = Candidates(settings.home / "adapters")
    adapter_file = adapters.answering(settings, promoted, candidates)
    left_out = adapters.why_left_out(settings, promoted, candidates)
    with closing(open_model(replace(settings, adapter=adapter_file or files.NO_ADAPTER))) as model:
        assert isinstance(model, LocalModel)  # a server is looked at by _server
        try:
            written = trial(model)
            status = Path(f"/proc/{model.pid}/status").read_text().splitlines()  # the most memory that it has had
            taken = next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))
        except ModelDied as error:
            raise ModelDied(error.message, f"Build llama.cpp again, for this processor: {build_command()}") from error
    adapter = f", adapter {model.identity.adapter}" if model.identity.adapter else ", no adapter"
    file = files.find(settings.model, "").model
    told = (
        f"{model.identity.name}{adapter}, sha256 {model.identity.sha256[:12]}, {file.stat().st_size / 10**9:.1f} GB in "
        f"{file.parent}, {taken / 10**9:.1f} GB of memory, context {model.context}, writes "
        f"{written.tokens_per_second:.0f} tokens/s"
    )
    return f"{told}. {left_out}" if left_out else told


def _encoder(settings: Settings) -> str:
    from trag.embed import open_embedder

    embedder = open_embedder(settings.embedder)
    return f"{embedder.identity}, {embedder.dimension} dimensions"


def _home(settings: Settings) -> str:
    from trag.home import open_home
    from trag.ingest.parse.characters import counted

    with explained(settings.home / LOCK):
        held = is_held(settings.home / LOCK)
    if held:
        return f"{settings.home}, in use: the assistant runs there, or another command"
    with open_home(settings) as home:
        state = home.state()
    chart = f"chart {state.chart}" if state.chart else "no chart"
    return f"{settings.home}, {state.organization}: {counted(state.documents, 'document')}, {chart}"


def _others(settings: Settings) -> str:
    check_closed(settings.home)
    return f"may get at nothing in {settings.home}"


def _shown(what: str, look: Callable[[], str]) -> Finding:
    """A finding of something that fails with a message for people, or because a package is not there or broken."""
    try:
        return Finding(what, look())
    except SHOWN as error:
        return Finding(what, error.message, well=False, hint=error.hint)
    except ImportError as error:
        return Finding(what, str(error), well=False, hint=INSTALL)
