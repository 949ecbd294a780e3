"""A page of a PDF with a passage on it -> PageView, made in a child process that a hostile file may kill.

Knows nothing of PDF: `trag.view.picture` does, under the limits of `trag.sandbox`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from trag.errors import TragError
from trag.sandbox import Limits, run, shown
from trag.view.marks import supporting
from trag.view.records import PageView

LIMITS = Limits(memory_bytes=1_024 * 1024 * 1024, output_bytes=50_000_000, processor_seconds=20, seconds=40)
_LONGEST = 5_000
"""Characters that are looked for of a passage, which has about 1,000."""


def page(
    content: bytes,
    name: str,
    number: int,
    passage: str,
    support: Sequence[str] = (),
    *,
    width: int = 1_200,
    limits: Limits = LIMITS,
) -> PageView:
    """The page of a number, from 1, as a picture about `width` pixels wide, and where the passage stands on it.

    `support` are the sentences of the answer that the passage bears out; `name` is that of the file, for messages.
    Raises TragError for a file that is no PDF, is encrypted, damaged or over the limits, or has no such page.
    """
    passage = passage[:_LONGEST]
    # On standard input, because arguments are seen by everybody on the machine.
    asked = json.dumps([passage, supporting(passage, support)]).encode()
    answer = run("trag.view", [str(number), str(width), str(len(asked))], content + asked, name, limits)
    try:
        return PageView.from_json(answer)
    except (ValueError, KeyError, TypeError) as error:
        raise TragError(f"{shown(name)} was drawn to something that is no page.", "Do not trust the file.") from error
