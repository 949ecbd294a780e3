"""The listings of every written organization, kept in a file each, so that what was interrupted goes on; whole
organizations are held out.

examples/training -> a home each -> listings to learn from, and to measure on.  Knows nothing about how they are
learned.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from random import Random

from store.files import write_atomic
from trag import json_lines
from trag.finetune.dataset import homes, organizations
from trag.finetune.dataset.corpus import CORPUS
from trag.finetune.dataset.organizations import Written
from trag.finetune.reranker.examples import Listing, listing, listings
from trag.ingest.upkeep import Progress

HELD_OUT = 0.1
"""Of the organizations."""


def make(folder: Path, *, seed: int, progress: Progress) -> tuple[tuple[Listing, ...], tuple[Listing, ...]]:
    """What to learn from and what is held out; `folder` keeps what was made. Raises TragError when something is wrong
    with an organization."""
    places = sorted(path for path in CORPUS.iterdir() if organizations.is_whole(path))
    found: dict[str, Sequence[Listing]] = {}
    for number, place in enumerate(places):
        progress(place.name, number, len(places))
        found[place.name] = _of_organization(organizations.read(place), folder)
    progress("read", len(places), len(places))
    chance = Random(seed)
    held_out = chance.sample(sorted(found), round(HELD_OUT * len(found)))
    learned = [one for slug, made in found.items() if slug not in held_out for one in made]
    aside = [one for slug in held_out for one in found[slug]]
    return tuple(learned), tuple(chance.sample(aside, len(aside)))  # so that the first ones are of all organizations


def _of_organization(written: Written, folder: Path) -> Sequence[Listing]:
    kept = folder / f"{written.slug}-{homes.made_of(written.folder)}.jsonl"
    if not kept.exists():
        with homes.filled(written) as home:
            made = json_lines.write(one.values() for one in listings(written.cases, home))
        folder.mkdir(parents=True, exist_ok=True)
        write_atomic(kept, made)
    return [listing(json.loads(line)) for line in kept.read_bytes().splitlines()]
