"""A plan read from what a model wrote, as far as it can be read: what is not in the format is kept apart, never lost.

text -> Plan: "[thought] words [API] Name()" each, without thoughts "[API] Name()"
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from trag.evaluate.flows.data import END

_MARK = re.compile(r"\[(thought|API)\]")
_CALL = re.compile(r"([\w.-]+)\s*\([^()]*\)")
_BETWEEN = " \n\t,;"
"""What may stand between two calls of one thought."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One action of a plan by the name that was written, and the thought before it, "" for none."""

    thought: str
    api: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What could be read: the units in their order, how many thoughts there were, and the pieces of text that are
    neither. `finished` is whether the action that ends a plan was written; nothing behind it is read."""

    units: tuple[Unit, ...] = ()
    thoughts: int = 0
    unread: tuple[str, ...] = ()
    finished: bool = False

    @property
    def parsable(self) -> bool:
        """Whether all of the text could be read, and there was some."""
        return bool(self.units) and not self.unread


def read(text: str, *, thoughts: bool = True, cut: bool = False) -> Plan:
    """The plan in a text, which begins behind the units that the prompt had written already.

    A thought may have several calls: the paper counts more APIs than thoughts in a plan. `cut`: the writing was stopped
    from outside, so that what is left open at the end is nobody's fault.
    """
    units: list[Unit] = []
    unread: list[str] = []
    thought, waiting, count = "", "", 0
    head, *parts = _MARK.split(text)
    unread += filter(None, [head.strip()])
    pairs = list(zip(parts[::2], parts[1::2], strict=True))
    for place, (mark, words) in enumerate(pairs):
        last = cut and place == len(pairs) - 1
        if mark == "thought":
            unread += filter(None, [waiting, "" if thoughts else f"[thought]{words}".strip()])
            thought, waiting, count = words.strip(), "" if last else f"[thought]{words}".strip(), count + 1
            continue
        calls = list(_CALL.finditer(words))
        end = next((call for call in calls if call[1] == END), None)
        calls = calls[: calls.index(end) + 1] if end else calls
        units += (Unit(thought, call[1]) for call in calls)
        if thoughts and not thought:
            unread.append(f"[API]{words} without a thought")
        stop = (calls[-1].end() if calls else 0) if end or last else len(words)
        left = _CALL.sub("", words[:stop]).strip(_BETWEEN)
        if left or not (calls or last):
            unread.append(f"[API]{words}".strip())
        waiting = ""
        if end:
            return Plan(tuple(units), count, tuple(unread), finished=True)
    return Plan(tuple(units), count, (*unread, *filter(None, [waiting])))
