"""The record of one question while it grows: what each step found, how long it took, and saved in the end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import astuple, replace
from time import monotonic
from typing import TYPE_CHECKING, Any

from trag.events import Found
from trag.record import AnswerRecord, Tokens

if TYPE_CHECKING:
    from store.records import Records


class AnswerRun:
    """The growing record of one question; `save` keeps it. `draft` is what the model has written of its answer."""

    def __init__(self, record: AnswerRecord) -> None:
        self.record = record
        self.draft = ""
        self._started = self._began = monotonic()

    def add(self, **found: Any) -> None:
        """What a step found, under the names of the record's fields."""
        self.record = replace(self.record, **found)

    def found(self) -> Found:
        """What was found for the question so far."""
        return Found(self.record.standalone, self.record.entities, self.record.statements, self.record.sources)

    def write(self, piece: str) -> None:
        """One more piece of the draft; an empty draft begins with it."""
        if not self.draft:
            self._began = monotonic()
        self.draft += piece

    def written(self) -> None:
        """The draft is whole, or nothing more comes."""
        if self.draft:
            self._add_seconds("generate", monotonic() - self._began)

    def first_token(self) -> None:
        """The first piece of the answer is there."""
        if not self.record.seconds.first_token:
            self._add_seconds("first_token", monotonic() - self._started)

    @contextmanager
    def timed(self, step: str) -> Iterator[None]:
        """Adds the seconds that the block takes to those of `step`."""
        began = monotonic()
        try:
            yield
        finally:
            self._add_seconds(step, monotonic() - began)

    def save(self, records: Records | None, conversation: str | None, asker: str) -> AnswerRecord:
        """The finished record, on the disk before it is returned where answers are kept."""
        self.record = replace(self.record, seconds=replace(self.record.seconds, total=monotonic() - self._started))
        if records:
            one = self.record
            records.save_answer(one.id, conversation, one.question, one.answer, one.to_json(), asker=asker)
        return self.record

    def count(self, tokens: Tokens) -> None:
        """Tokens of one more call of the model."""
        self.add(tokens=Tokens(*map(sum, zip(astuple(self.record.tokens), astuple(tokens), strict=True))))

    def _add_seconds(self, step: str, took: float) -> None:
        seconds = self.record.seconds
        self.record = replace(self.record, seconds=replace(seconds, **{step: getattr(seconds, step) + took}))
