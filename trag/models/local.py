"""The model files of a home, and a trial of one in a process of its own.

TRAG_HOME/models/*.gguf -> LocalFile -> ModelTrial.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from trag.errors import OperatorError, TragError
from trag.llm import files
from trag.llm.local import LocalModel
from trag.llm.opening import SmokeTest, trial
from trag.models.catalogue import chosen


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A GGUF file; `problem` says why it is none that can answer, by its header alone."""

    path: Path
    bytes: int
    architecture: str
    problem: str = ""


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
            size = path.stat().st_size
            about = files.read_header(path)
            architecture = about.text("general.architecture")
            if about.text("general.type") == "adapter":
                problem = "It is an adapter, not a model."
        except OSError as error:
            problem = f"It cannot be read: {error.strerror}."
        except TragError as error:
            problem = error.message
        found.append(LocalFile(path, size, architecture, problem))
    return tuple(found)


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
