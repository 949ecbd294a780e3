"""Pairs looked over by people: what their documents say of those that wait, and changes, one at a time, none of which
overwrites what somebody else did meanwhile."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

from trag.errors import TragError, later
from trag.ingest.pair_changes import Wording, approved, deleted, edited, new_pair
from trag.ingest.pairing import anchor, contains

if TYPE_CHECKING:
    from store.library import Library, Pair
    from store.passage import Passage
    from trag.home import Home

Action = Literal["approve", "edit", "delete", "restore"]
ACTIONS: tuple[Action, ...] = get_args(Action)


@dataclass(frozen=True, slots=True)
class PairSource:
    """What a document says `now` of a pair, "" where nothing in it is near; and the source of the pair `before`, which
    its section does not say any more, "" for nothing."""

    now: str
    before: str = ""


def pair_source(pair: Pair, passages: Sequence[Passage]) -> PairSource:
    """What the passages of its document say of a pair."""
    if contains([passage for passage in passages if passage.section == pair.section], pair.source):
        return PairSource(pair.source)
    nearest = anchor(pair, passages)
    return PairSource(nearest.text if nearest else "", pair.source)


def pair_sources(pairs: Iterable[Pair], library: Library) -> dict[str, PairSource]:
    """What the documents say of those of the pairs that wait for review, by the ids of the pairs."""
    waiting = [pair for pair in pairs if pair.state == "review"]
    passages = {name: _sections(name, library) for name in {pair.document for pair in waiting}}
    return {pair.id: pair_source(pair, passages[pair.document]) for pair in waiting}


def _sections(document: str, library: Library) -> tuple[Passage, ...]:
    """The text of a document, without its pairs."""
    return tuple(passage for passage in library.passages(document) if passage.kind == "section")


@dataclass(frozen=True, slots=True)
class PairChange:
    """A pair as it is now; `done` is False when it was changed by somebody else since it was seen."""

    pair: Pair
    done: bool


def fingerprint(pair: Pair) -> str:
    """What a page showed of a pair, as it says so when the pair is to be changed."""
    shown = "\0".join((pair.question, pair.answer, pair.type, pair.state))
    return hashlib.sha256(shown.encode("utf-8", "surrogatepass")).hexdigest()[:16]


class PairEditor:
    """Changes to the pairs of one home. Whoever decides names the fingerprint of what they saw; when the pair has
    another by now, nothing changes."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._one_at_a_time = threading.Lock()

    def change(self, id: str, seen: str, action: Action, wording: Wording | None = None, *, by: str) -> PairChange:
        """Approve, edit to another `wording`, delete or restore a pair. Raises TragError when it is gone."""
        library = self._home.records.library
        with self._one_at_a_time:
            pair = library.pair(id)
            if pair is None:
                hint = later("Its document was deleted or replaced: reload the page.")
                raise TragError(later("This pair is no longer here."), hint)
            if fingerprint(pair) != seen:
                return PairChange(pair, False)
            if action == "delete":
                changed = deleted(pair, by)
            elif action == "edit" and wording:
                changed = edited(pair, wording, by, _sections(pair.document, library))
            else:
                changed = approved(pair, by, _sections(pair.document, library))
            self._home.put_pair(changed)
        return PairChange(library.pair(id) or changed, True)

    def approve(self, pairs: Sequence[tuple[str, str]], *, by: str) -> tuple[int, int]:
        """Approve pairs by their ids and fingerprints: how many are, and how many are otherwise by now."""
        done = 0
        for id, seen in pairs:
            with suppress(TragError):
                done += self.change(id, seen, "approve", by=by).done
        return done, len(pairs) - done

    def add(self, document: str, section: str, wording: Wording, *, by: str) -> Pair:
        """A new pair of a section of a document, approved by whoever writes it."""
        with self._one_at_a_time:
            passages = _sections(document, self._home.records.library)
            if all(section != passage.section for passage in passages):
                raise TragError(
                    later("The document has no such section."), later("Reload the page: it may have been replaced.")
                )
            pair = new_pair(document, section, wording, by, passages)
            self._home.put_pair(pair)
        return pair
