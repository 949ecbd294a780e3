"""The models that a home may answer with: those of the catalogue, and the files of its own, which are taken in here;
and a trial of one in a process of its own.

catalogue, TRAG_HOME/models/*.gguf -> OfferedModel; LocalFile -> ModelTrial.
"""

from __future__ import annotations

import shutil
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from store.files import explained, sync_folder
from trag.errors import OperatorError, TragError
from trag.llm import files
from trag.llm.local import LocalModel
from trag.llm.opening import SmokeTest, trial
from trag.machine import free_memory
from trag.models import catalogue
from trag.models.catalogue import CatalogueModel, chosen
from trag.sandbox import Limits, run, shown

LARGEST = 100_000_000_000
"""Bytes of a file that is taken in."""
LONGEST_NAME = 120
SPARE = 1 << 30
"""Bytes that stay free on the disk when one is."""
_BEGINNING = 1 << 26
"""Bytes in which the header of a file that is taken in must be; those of today's models are a fifth of it."""
_LIMITS = Limits(memory_bytes=1 << 29, output_bytes=100_000, processor_seconds=60, seconds=120)


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A GGUF file; `problem` says why it is none that can answer, by its header alone."""

    path: Path
    bytes: int
    architecture: str
    problem: str = ""


@dataclass(frozen=True, slots=True)
class OfferedModel:
    """A model as an admin may choose it: what it is called, how the settings name it, where its file is or is to be.

    `memory` is what it takes, in bytes: measured where it is `known` and was, else reckoned. `here` are the bytes that
    are on this machine, all of them or those of a fetch that was broken off. `problem` says why it cannot answer.
    """

    name: str
    setting: str
    path: Path
    size: int
    memory: int
    here: int
    known: CatalogueModel | None = None
    architecture: str = ""
    problem: str = ""

    @property
    def usable(self) -> bool:
        """Whether it can be tried."""
        return self.here == self.size and not self.problem


@dataclass(frozen=True, slots=True)
class ModelTrial:
    """A model that was loaded and has written: how many tokens it can read at once, whether on a GPU, how it did."""

    sha256: str
    context: int
    on_gpu: bool
    trial: SmokeTest


def local_files(folder: Path) -> tuple[LocalFile, ...]:
    """The GGUF files in a folder, by name."""
    found = []
    for path in sorted(folder.glob("*.gguf")):
        size, architecture, problem = 0, "", ""
        try:
            about = path.stat()
            size = about.st_size
            architecture, problem = _header(path, about.st_ino, size, about.st_mtime_ns)
        except OSError as error:
            problem = f"It cannot be read: {error.strerror}."
        except TragError as error:
            problem = error.message
        found.append(LocalFile(path, size, architecture, problem))
    return tuple(found)


@lru_cache(maxsize=64)
def _header(path: Path, inode: int, size: int, changed: int) -> tuple[str, str]:
    """The architecture of a model file, and what keeps it from answering. All but the path are for the cache."""
    about = files.read_header(path)
    adapter = about.text("general.type") == "adapter"
    return about.text("general.architecture"), "It is an adapter, not a model." if adapter else ""


def offered(home: Path) -> tuple[OfferedModel, ...]:
    """Those of the catalogue, here or not, then the files of the home."""
    return (*map(_of_catalogue, catalogue.MODELS), *map(_of_home, local_files(home / "models")))


def offered_as(name: str, home: Path) -> OfferedModel:
    """Raises TragError when none is called so."""
    found = next((each for each in offered(home) if each.name == name), None)
    if found is None:
        raise OperatorError(f"There is no model {shown(name)}.", "Reload the page: it may have been removed.")
    return found


def _of_catalogue(model: CatalogueModel) -> OfferedModel:
    names = {catalogue.DEFAULT: "", catalogue.SMALL: "small"}
    unfinished = model.path.with_name(f"{model.file}.part")
    there = next((path.stat().st_size for path in (model.path, unfinished) if path.is_file()), 0)
    memory = model.memory or _reckoned(model.size)
    setting = names.get(model, str(model.path))
    # One byte less than whole while it is not checked, and has not its name.
    here = there if model.path.is_file() else min(there, model.size - 1)
    return OfferedModel(model.name, setting, model.path, model.size, memory, here, model, model.architecture)


def _of_home(file: LocalFile) -> OfferedModel:
    path, size = file.path.absolute(), file.bytes
    memory = _reckoned(size)
    return OfferedModel(path.name, str(path), path, size, memory, size, None, file.architecture, file.problem)


def _reckoned(size: int) -> int:
    """The memory that a model of so many bytes takes: its file, and its weights laid out anew for the processor (the
    default takes 2.1 times its file, the small one 1.6)."""
    return 2 * size


def check_room(model: OfferedModel) -> None:
    """Raises TragError where less memory is free than a model takes beside the one that answers."""
    free = free_memory()
    if free is not None and free < model.memory:
        raise OperatorError(
            f"{model.name} takes about {model.memory / 10**9:.1f} GB of memory, and beside what answers now "
            f"{free / 10**9:.1f} GB are free.",
            f'End other programs, choose a smaller one, or name it in trag.toml (model = "{model.setting}") and start '
            "the assistant again: then it is loaded alone.",
        )


def accepted_name(name: str) -> str:
    """What a file of a model that comes from elsewhere is called here: the last part of a path, without what cannot be
    seen. Raises TragError for one that is no .gguf."""
    last = "".join(each for each in name.replace("\\", "/").split("/")[-1] if each.isprintable()).strip().lstrip(".")
    stem, _, suffix = last.rpartition(".")
    if not stem or suffix.lower() != "gguf":
        raise TragError(
            f"{shown(last) or 'A file without a name'} is no .gguf file.",
            "Take the model as llama.cpp reads it: one file that ends in .gguf.",
        )
    return f"{stem[:LONGEST_NAME]}.gguf"


def room(folder: Path) -> int:
    """Bytes that a file which is taken in may have by the disk."""
    there = next(each for each in (folder, *folder.parents) if each.exists())
    return max(0, min(LARGEST, shutil.disk_usage(there).free - SPARE))


def check_new(name: str, size: int, folder: Path) -> None:
    """Raises TragError where a file of that name and so many bytes cannot be taken in."""
    _check_name(name, folder)
    if size > (free := room(folder)):
        raise OperatorError(
            f"{name} has {size / 10**9:.2f} GB, and there is room for {free / 10**9:.2f} GB.",
            f"Free some space where {folder} is.",
        )


def _check_name(name: str, folder: Path) -> None:
    if (folder / name).exists():
        raise TragError(f"{name} is here already.", "Give the new one another name, and send it again.")


def take_in(file: Path, name: str, folder: Path) -> str:
    """Have a whole file that came from elsewhere be the model of that name; its architecture. Its header is read in a
    process of its own. Raises TragError for one that cannot answer, and where that name is taken."""
    size, beside = file.stat().st_size, (folder / f"{name}.jinja").is_file()
    with file.open("rb") as opened:
        beginning = opened.read(_BEGINNING)
    told = [name, str(size), "template" if beside else ""]
    architecture = run("trag.llm.header", told, beginning, name, _LIMITS).strip("'")
    _check_name(name, folder)
    with explained(folder):
        file.replace(folder / name)
        sync_folder(folder)
    return architecture


def try_model(home: Path, model: str, *, context: int, gpu_layers: int) -> ModelTrial:
    """Loads a model, named as in the settings, in a process of its own and lets it write a little. Reads the whole file
    for its sha256.

    Raises TragError when it is no model that can answer, ModelDied when its process dies of it.
    """
    if chosen(model) is None and not Path(model).is_file():
        raise OperatorError(
            f"There is no file {model}.", "Check the path; python -m trag models list shows what is here."
        )
    with closing(LocalModel(home, model=model, context=context, gpu_layers=gpu_layers)) as opened:
        how = trial(opened)
        return ModelTrial(opened.identity.sha256, opened.context, bool(opened.runs_on_gpu), how)
