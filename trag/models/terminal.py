"""python -m trag models: list the recommended and the local ones, fetch one, try one.

Words -> a file -> lines.  Knows nothing about hubs or GGUF files. Each act imports what it needs, as in trag.cli.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from trag.settings import Settings


def add(jobs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The words of this job."""
    parser = jobs.add_parser("models", help="list, fetch and try language models")
    acts = parser.add_subparsers(required=True, metavar="ACT")
    listing = acts.add_parser("list", help="the recommended models, and those in the home's models/")
    listing.set_defaults(job=_list)
    get = acts.add_parser("get", help="fetch a recommended model into the home's models/; goes on where it was stopped")
    get.add_argument("name")
    get.add_argument(
        "--hub", default="", metavar="ADDRESS", help="a mirror inside your network (default: huggingface.co)"
    )
    get.set_defaults(job=_get)
    attempt = acts.add_parser("try", help="load a GGUF file in a process of its own and let it write")
    attempt.add_argument("file", type=Path, nargs="?", help="default: the embedded model")
    attempt.set_defaults(job=_try)


def _list(settings: Settings, options: argparse.Namespace) -> None:
    from trag.models.local import found
    from trag.models.recommended import MODELS

    folder = settings.home / "models"
    print("Recommended (python -m trag models get NAME):")
    for model in MODELS:
        here = "  is here" if (folder / model.file).exists() else ""
        print(f"  {model.name}  {model.bytes / 2**30:.1f} GiB  {model.licence}{here}")
        print(f"    {model.said}")
        print(f"    {model.repository} at {model.revision[:12]}, {model.file}, sha256 {model.sha256}")
    print(f"In {folder.absolute()}:")
    for file in found(folder):
        print(f"  {file.path.name}  {file.bytes / 2**30:.2f} GiB  {file.problem or file.architecture}")


def _get(settings: Settings, options: argparse.Namespace) -> None:
    from tqdm import tqdm

    from trag.bar import progress_of
    from trag.models.fetching import fetch
    from trag.models.recommended import HUB, named

    model = named(options.name)
    print(f"{model.name}: {model.address(options.hub or HUB)}", file=sys.stderr)
    print(f"sha256 {model.sha256}, {model.bytes:,} bytes, {model.licence}", file=sys.stderr)
    with tqdm(unit="B", unit_scale=True, file=sys.stderr, disable=None) as bar:
        path = fetch(model, settings.home / "models", hub=options.hub or HUB, progress=progress_of(bar))
    print(f"{path.absolute()} is the published file.")
    print(f"Try it: python -m trag models try {path}")
    print(f"Answer with it: TRAG_MODEL={path.absolute()}")


def _try(settings: Settings, options: argparse.Namespace) -> None:
    from trag.llm.files import EMBEDDED
    from trag.models.local import tried

    found = tried(settings.home, options.file, context=settings.context, gpu_layers=settings.gpu_layers)
    place = "GPU" if found.on_gpu else "CPU"
    print(f"{options.file or EMBEDDED}: sha256 {found.sha256}")
    print(
        f"Loaded in {found.trial.load_seconds:.1f} s on the {place}, context {found.context:,}, "
        f"writes {found.trial.tokens_per_second:.0f} tokens/s: {' '.join(found.trial.text.split())}"
    )
