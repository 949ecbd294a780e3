"""Names of documents: as they may be uploaded, and in addresses, which have a key made from a name since that may hold
anything."""

from __future__ import annotations

import hashlib
import re
from pathlib import PurePosixPath

from trag.errors import TragError, later
from trag.ingest.parse.characters import clean
from trag.ingest.parse.formats import FORMATS

LONGEST = 300
"""Characters that a name may have."""


def key(name: str) -> str:
    """32 hex digits that stand for a name, the same wherever and whenever they are asked for."""
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def accepted(name: str) -> str:
    """The name of an uploaded document as it is kept: without controls, and nothing in it that climbs out of a folder.

    Raises TragError for a name without letters, one that is too long, and a format that is not read.
    """
    parts = re.split(r"[/\\]", clean(name).replace("\n", " "))
    kept = "/".join(part for part in parts if part not in ("", ".", ".."))
    suffix = PurePosixPath(kept).suffix.lower()
    if not kept:
        raise TragError(later("The file has no name."), later("Give it one, and upload it again."))
    if len(kept) > LONGEST:
        raise TragError(
            later("A name may have %(most)s characters, this one has %(found)s.", most=LONGEST, found=len(kept)),
            later("Shorten it."),
        )
    if suffix not in FORMATS:
        raise TragError(
            later("%(name)s is named %(suffix)s, which is not read.", name=kept, suffix=suffix)
            if suffix
            else later("%(name)s has no suffix that names its format, which is not read.", name=kept),
            later("Formats: %(formats)s.", formats=", ".join(FORMATS)),
        )
    return kept
