"""Conflicts: two documents in force that say different things of the same matter, as answers came upon them, until
somebody settles them or one of the documents says something else."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import asdict
from datetime import UTC, datetime

from sqlalchemy import Engine, delete, insert, select, update

from store import StoreError, audit, schema
from store.conflict import Conflict, ConflictState, Side, conflict_id
from store.database import reading, writing


class Conflicts:
    """The conflicts of one home."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def put(self, answer: str, pairs: Iterable[tuple[Side, Side]]) -> None:
        """Keep what the answer of an id came upon, as far as it is new and both documents are still there."""
        table = schema.conflicts
        with writing(self._engine) as connection:
            there = set(connection.scalars(select(schema.documents.c.name)))
            known = set(connection.scalars(select(table.c.id)))
            for first, second in pairs:
                id = conflict_id(first, second)
                if id not in known and {first.document, second.document} <= there:
                    sides = {f"{key}_a": value for key, value in asdict(first).items()}
                    sides |= {f"{key}_b": value for key, value in asdict(second).items()}
                    row = {"id": id, "answer": answer, "found": datetime.now(UTC), "state": "open", "set_by": ""}
                    connection.execute(insert(table), row | sides)
                    known.add(id)

    def denied(self, ids: Collection[str]) -> frozenset[str]:
        """Those of these ids that are none, as somebody said."""
        table = schema.conflicts.c
        with reading(self._engine) as connection:
            return frozenset(connection.scalars(select(table.id).where(table.id.in_(ids), table.state == "none")))

    def all(self) -> tuple[Conflict, ...]:
        """Those of which both documents still say the words, the newest first; the others are removed."""
        table, answers, passages, pairs = schema.conflicts, schema.answers, schema.passages.c, schema.pairs.c
        joined = table.outerjoin(answers, answers.c.id == table.c.answer)
        with reading(self._engine) as connection:
            query = select(table, answers.c.question).select_from(joined)
            kept = connection.execute(query.order_by(table.c.found.desc(), table.c.id)).all()
            names = {name for row in kept for name in (row.document_a, row.document_b)}
            texts: dict[str, list[str]] = {}
            for of, text in (passages.document, passages.text), (pairs.document, pairs.answer):
                for name, words in connection.execute(select(of, text).where(of.in_(names))):
                    texts.setdefault(name, []).append(words)

        def stands(document: str, words: str) -> bool:
            return any(words in text for text in texts.get(document, ()))

        over = {
            row.id for row in kept if not (stands(row.document_a, row.words_a) and stands(row.document_b, row.words_b))
        }
        if over:
            with writing(self._engine) as connection:
                connection.execute(delete(table).where(table.c.id.in_(over)))
        return tuple(
            Conflict(
                row.id,
                row.question or "",
                Side(row.document_a, row.section_a, row.words_a),
                Side(row.document_b, row.section_b, row.words_b),
                row.found,
                row.state,
                row.set_by,
            )
            for row in kept
            if row.id not in over
        )

    def set_state(self, id: str, state: ConflictState, *, by: str) -> None:
        """What somebody says that it is. Raises StoreError when it is gone."""
        table = schema.conflicts
        with writing(self._engine) as connection:
            changed = update(table).where(table.c.id == id).values(state=state, set_by=by)
            if connection.execute(changed).rowcount == 0:
                raise StoreError(
                    "This conflict is no longer there.", "One of its documents says something else by now."
                )
            audit.note(connection, by, "conflict judged", id, result=state)
