"""Pairs changed by people: one change at a time, and none that overwrites what somebody else did meanwhile.

Who decides says what they saw; when the pair is otherwise by now, nothing changes. Knows nothing about pages.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from trag.errors import TragError
from trag.ingest.pair_changes import Wording, approved, deleted, edited, new_pair

if TYPE_CHECKING:
    from store.library import Pair
    from store.passage import Passage
    from trag.home import Home

Action = Literal["approve", "edit", "delete", "restore"]
ACTIONS: tuple[Action, ...] = get_args(Action)


@dataclass(frozen=True, slots=True)
class Changed:
    """A pair as it is now; `done` is False when it was changed by somebody else since it was seen."""

    pair: Pair
    done: bool


def seen(pair: Pair) -> str:
    """What a page says that it showed of a pair."""
    said = "\0".join((pair.question, pair.answer, pair.type, pair.state))
    return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:16]


class Changes:
    """Changes to the pairs of one home."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._one_at_a_time = threading.Lock()

    def change(self, id: str, was: str, action: Action, said: Wording | None = None, *, by: str) -> Changed:
        """Approve, edit to what is `said`, delete or restore a pair that was seen as `was`. Raises TragError when it is
        gone."""
        with self._one_at_a_time:
            pair = self._home.records.library.pair(id)
            if pair is None:
                raise TragError(
                    "This pair is no longer here.", "Its document was deleted or replaced: reload the page."
                )
            if seen(pair) != was:
                return Changed(pair, False)
            if action == "delete":
                changed = deleted(pair, by)
            elif action == "edit" and said:
                changed = edited(pair, said, by, self._passages(pair.document))
            else:
                changed = approved(pair, by, self._passages(pair.document))
            self._home.put_pair(changed)
        return Changed(self._home.records.library.pair(id) or changed, True)

    def approve(self, pairs: Iterable[tuple[str, str]], *, by: str) -> tuple[int, int]:
        """Approve pairs by their ids and what was seen of them: how many are, and how many are otherwise by now."""
        done = other = 0
        for id, was in pairs:
            try:
                changed = self.change(id, was, "approve", by=by)
            except TragError:
                other += 1
            else:
                done, other = done + changed.done, other + (not changed.done)
        return done, other

    def add(self, document: str, section: str, said: Wording, *, by: str) -> Pair:
        """A new pair of a section of a document, approved by whoever writes it."""
        with self._one_at_a_time:
            passages = self._passages(document)
            if all(section != passage.section for passage in passages):
                raise TragError("The document has no such section.", "Reload the page: it may have been replaced.")
            pair = new_pair(document, section, said, by, passages)
            self._home.put_pair(pair)
        return pair

    def _passages(self, document: str) -> tuple[Passage, ...]:
        """What a document says."""
        passages = self._home.records.library.passages(document)
        return tuple(passage for passage in passages if passage.kind == "section")
