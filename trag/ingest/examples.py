"""What an admin types or keeps in a file -> the example questions in whose manner a model writes pairs.

Knows nothing about how they are kept, or what a model makes of them.
"""

from __future__ import annotations

from trag.errors import TragError
from trag.ingest.parse.characters import clean

LONGEST = 300
"""Characters that an example question may have."""


def example_questions(text: str, most: int) -> tuple[str, ...]:
    """The questions in a text, one a line, each once, in their order; `most` is how many there may be.

    Raises TragError that says everything that is wrong: too many, and which are too long.
    """
    found = tuple(dict.fromkeys(line for line in clean(text).split("\n") if line))
    problems = []
    if len(found) > most:
        problems.append(f"There are {len(found):,} questions; {most} are the most.")
    problems += [
        f"Question {number} has {len(question):,} characters; {LONGEST} are the most."
        for number, question in enumerate(found[:most], 1)
        if len(question) > LONGEST
    ]
    if problems:
        raise TragError(" ".join(problems), "Keep the best, one a line, and shorten what is too long.")
    return found
