"""python -m trag models: list the models that are known and the local ones, fetch one, try one.

Words -> a file -> lines.
"""

from __future__ import annotations

import argparse
import sys

from trag.settings import Settings


def add(jobs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The words of this job."""
    parser = jobs.add_parser("models", help="list, fetch and try language models")
    acts = parser.add_subparsers(required=True, metavar="ACT")
    listing = acts.add_parser("list", help="the models that are known, and those in the home's models/")
    listing.set_defaults(job=_list)
    get = acts.add_parser("get", help="fetch a model that is known; goes on where it was stopped")
    get.add_argument("name", nargs="?", default="", help="default: the one that the settings name")
    get.add_argument(
        "--hub", default="", metavar="ADDRESS", help="from a hub or its mirror inside your network, and nowhere else"
    )
    get.set_defaults(job=_get)
    attempt = acts.add_parser("try", help="load a model in a process of its own and let it write")
    attempt.add_argument("file", nargs="?", default="", help="a GGUF file; default: the model that the settings name")
    attempt.set_defaults(job=_try)


def _list(settings: Settings, options: argparse.Namespace) -> None:
    from trag.models import catalogue
    from trag.models.local import local_files

    print(f"Known (python -m trag models get NAME), kept in {catalogue.folder()}:")
    for model in catalogue.MODELS:
        takes = f", {model.memory / 10**9:.1f} GB of memory" if model.memory else ""
        here = "  is here" if model.path.exists() else ""
        print(f"  {model.name}  {model.size / 10**9:.1f} GB{takes}  {model.licence}{here}")
        print(f"    {model.said}")
        print(f"    {model.file}, sha256 {model.sha256}")
    folder = settings.home / "models"
    print(f"In {folder.absolute()}:")
    for file in local_files(folder):
        print(f"  {file.path.name}  {file.bytes / 10**9:.2f} GB  {file.problem or file.architecture}")


def _get(settings: Settings, options: argparse.Namespace) -> None:
    from tqdm import tqdm

    from trag.llm.files import check_memory
    from trag.models import catalogue
    from trag.models.fetching import fetch
    from trag.terminal.console import progress_of

    model = catalogue.named(options.name) if options.name else catalogue.chosen(settings.model)
    if model is None or (settings.model_url and not options.name):
        print(f"{settings.model_url or settings.model} is what answers here: nothing is to be fetched.")
        return
    if not model.path.exists():
        if not options.name:
            check_memory(settings.model)
        print(f"Fetching the model {model.name} into {model.path.parent}, once:", file=sys.stderr)
        print(f"{model.size:,} bytes, {model.licence}, sha256 {model.sha256}", file=sys.stderr)
    with tqdm(unit="B", unit_scale=True, file=sys.stderr, disable=None) as bar:
        path = fetch(model, hub=options.hub, progress=progress_of(bar))
    print(f"{path} is the published {model.name}.")
    if catalogue.chosen(settings.model) is not model:
        setting = "small" if model is catalogue.SMALL else path
        print(f"Try it: python -m trag models try {setting}")
        print(f"Answer with it: TRAG_MODEL={setting}")


def _try(settings: Settings, options: argparse.Namespace) -> None:
    from trag.llm.files import base_name
    from trag.models.local import try_model

    if settings.model_url and not options.file:
        print(f"{settings.model_url} is what answers here: nothing is to be tried.")
        return
    model = options.file or settings.model
    found = try_model(settings.home, model, context=settings.context, gpu_layers=settings.gpu_layers)
    place = "GPU" if found.on_gpu else "CPU"
    print(f"{base_name(model)}: sha256 {found.sha256}")
    print(
        f"Loaded in {found.trial.load_seconds:.1f} s on the {place}, context {found.context:,}, "
        f"writes {found.trial.tokens_per_second:.0f} tokens/s: {' '.join(found.trial.text.split())}"
    )
