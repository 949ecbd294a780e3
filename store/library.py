"""The library: documents, their passages, the question-answer pairs made from them, and who may read them; and the
example questions of an expert, in whose manner a model writes pairs.

What is searched of a document is its passages and those of its pairs that are `searched`. Every write is one
transaction, on the disk when its call returns.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import PurePath
from typing import Any, Literal, get_args

from sqlalchemy import ColumnElement, Connection, Engine, delete, func, insert, or_, select, update

from store import StoreError, audit, schema
from store.database import lock_table, reading, rows, writing
from store.passage import OPEN, Audience, Passage, audience_field, read_audience
from store.workflows import Workflows

Origin = Literal["given", "rule", "model", "person"]
"""Where a pair comes from: a file of pairs, the rules, a model, somebody at the page."""
State = Literal["made", "approved", "review", "deleted"]
"""Made: nobody has looked yet. Approved: somebody vouches for it. Review: somebody must look before it is searched.
Deleted: it is kept as a mark, so that it is not made again."""


@dataclass(frozen=True, slots=True)
class Document:
    """An ingested document. `sha256` finds its original; `pages` is None for a format without pages; `passages` and
    `pairs` are how many of each are searched, `reviews` how many pairs wait for somebody to look; `notes` say what was
    odd in it; `by` is who gave it; `reading` is the version of what read it, and `title` what
    it calls itself, "" where it does not."""

    name: str
    sha256: str
    pages: int | None
    added: datetime
    passages: int = 0
    pairs: int = 0
    reviews: int = 0
    audience: Audience = OPEN
    notes: tuple[str, ...] = ()
    by: str = ""
    reading: int = 0
    title: str = ""

    @property
    def called(self) -> str:
        """What it is called where people read."""
        return self.title or words_of_name(self.name)


def words_of_name(name: str) -> str:
    """What a document without a title is called: its file's name without what only programs need."""
    words = " ".join(PurePath(name).stem.replace("_", " ").replace("-", " ").split())
    return words[:1].upper() + words[1:] if any(map(str.isalnum, words)) else name


@dataclass(frozen=True, slots=True)
class Leaving:
    """A document that is forgotten, `by` whom, and of which something outside of the records may still be there;
    `passages` and `pairs` are how many it had."""

    name: str
    sha256: str = ""
    passages: int = 0
    pairs: int = 0
    by: str = ""


@dataclass(frozen=True, slots=True)
class Pair:
    """A question and its answer, made from one section of a document.

    `type` is the paper's ("short answer", "dialog"); `source` is the text that bears the answer out, "" where that is
    not known; `by` is who changed it last, "" for nobody.
    """

    id: str
    document: str
    section: str
    page: int | None
    question: str
    answer: str
    type: str
    origin: Origin
    state: State = "made"
    searched: bool = True
    source: str = ""
    by: str = ""

    @property
    def passage(self) -> Passage:
        """The pair as it is searched; in other words it is another passage, so that an index that has the old ones is
        noticed."""
        words = hashlib.sha256(f"{self.question}\0{self.answer}".encode()).hexdigest()[:8]
        return Passage(f"{self.id}-{words}", "qa", self.document, self.section, self.page, self.answer, self.question)


class Library:
    """The documents of one home. One that is added sets workflows off."""

    def __init__(self, engine: Engine, workflows: Workflows) -> None:
        self._engine = engine
        self._workflows = workflows

    def put(
        self,
        name: str,
        sha256: str,
        pages: int | None,
        passages: Sequence[Passage],
        pairs: Sequence[Pair] = (),
        *,
        audience: Audience = OPEN,
        notes: Sequence[str] = (),
        by: str = "",
        reading: int = 0,
        title: str = "",
    ) -> None:
        """Keep a document, its passages in order, and its pairs, in place of what had that name. `audience` is who may
        read a new one; one that was there keeps its own, and with the same content when it was added and by whom."""
        if ({passage.document for passage in passages} | {pair.document for pair in pairs}) - {name}:
            raise ValueError(f"a passage or pair of another document among those of {name!r}")
        table = schema.documents
        row: dict[str, object] = {
            "sha256": sha256,
            "pages": pages,
            "notes": json.dumps(list(notes)),
            "reading": reading,
            "title": title,
        }
        with writing(self._engine) as connection:
            kept = connection.scalar(select(table.c.sha256).where(table.c.name == name))
            if kept != sha256:
                row |= {"added": datetime.now(UTC), "given_by": by}
            if kept:
                connection.execute(update(table).where(table.c.name == name).values(**row))
            else:
                connection.execute(insert(table), row | {"name": name, "audience": audience_field(audience)})
            connection.execute(delete(schema.passages).where(schema.passages.c.document == name))
            if passages:
                fields = ("id", "document", "kind", "section", "page", "text")
                connection.execute(
                    insert(schema.passages),
                    [
                        {"position": position} | {field: getattr(passage, field) for field in fields}
                        for position, passage in enumerate(passages)
                    ],
                )
            _put_pairs(connection, name, pairs)
            if not kept:
                told = {"name": name, "pages": pages, "by": by}
                self._workflows.happened_in(connection, "document_added", told, by=by)
            said = "document added" if not kept else "document read again" if kept == sha256 else "document replaced"
            audit.note(connection, by, said, name, result=sha256)

    def documents(self) -> tuple[Document, ...]:
        """Every document, by name."""
        return self._documents(None)

    def document(self, name: str) -> Document | None:
        """The document of that name."""
        return next(iter(self._documents(name)), None)

    def with_content(self, sha256: str) -> tuple[str, ...]:
        """The names of the documents of that content, in order."""
        table = schema.documents.c
        query = select(table.name).where(table.sha256 == sha256).order_by(table.name)
        return tuple(name for (name,) in rows(self._engine, query))

    def contents(self) -> dict[str, str]:
        """The content hash of every document, by its name."""
        table = schema.documents.c
        return dict(map(tuple, rows(self._engine, select(table.name, table.sha256))))

    def audiences(self) -> dict[str, Audience]:
        """Who may read every document, by its name."""
        table = schema.documents.c
        return {name: read_audience(field) for name, field in rows(self._engine, select(table.name, table.audience))}

    def delete(self, name: str, *, by: str = "") -> bool:
        """Forget a document, its passages and its pairs, and keep in mind that it is `leaving`; False when there was
        none of that name."""
        documents, leaving = schema.documents, schema.leaving
        with writing(self._engine) as connection:
            sha256 = connection.scalar(select(documents.c.sha256).where(documents.c.name == name))
            if sha256 is None:
                return False
            row = {"name": name, "sha256": sha256, "forgotten_by": by}
            for table in (schema.passages, schema.pairs):
                count = select(func.count()).select_from(table).where(table.c.document == name)
                row[table.name] = connection.scalar(count)
            connection.execute(delete(leaving).where(leaving.c.name == name))
            connection.execute(insert(leaving), row)
            connection.execute(delete(documents).where(documents.c.name == name))
            audit.note(connection, by, "document removed", name)
        return True

    def leaving(self) -> tuple[Leaving, ...]:
        """The documents that are forgotten, but perhaps not everywhere yet, by name."""
        return tuple(
            Leaving(*row) for row in rows(self._engine, select(schema.leaving).order_by(schema.leaving.c.name))
        )

    def has_left(self, name: str, *, by: str = "", receipt: str = "") -> None:
        """Nothing of a forgotten document is left; the log keeps the receipt."""
        with writing(self._engine) as connection:
            connection.execute(delete(schema.leaving).where(schema.leaving.c.name == name))
            audit.note(connection, by, "document forgotten", name, result=receipt)

    def set_audience(self, name: str, audience: Audience, *, by: str = "") -> None:
        """Who may read a document from now on. Raises StoreError when it is gone."""
        table = schema.documents
        with writing(self._engine) as connection:
            field = audience_field(audience)
            changed = update(table).where(table.c.name == name).values(audience=field)
            if connection.execute(changed).rowcount == 0:
                raise StoreError("There is no such document.", "It may have been deleted meanwhile: reload the page.")
            audit.note(connection, by, "audience set", name, result=field)

    def passages(self, document: str | None = None) -> Iterator[Passage]:
        """What is searched of a document, or of all: its passages in order, then its pairs. Read document by document,
        so that a slow reader blocks nobody."""
        table, pairs = schema.passages.c, schema.pairs.c
        columns = (table.id, table.kind, table.document, table.section, table.page, table.text)
        names = [each.name for each in self.documents()] if document is None else [document]
        for name in names:
            with reading(self._engine) as connection:
                query = select(*columns).where(table.document == name).order_by(table.position)
                sections = connection.execute(query).all()
                found = _pairs(connection, pairs.document == name, pairs.searched)
            yield from (Passage(*row) for row in sections)
            yield from (pair.passage for pair in found)

    # Pairs

    def pair(self, id: str) -> Pair | None:
        """The pair with that id."""
        with reading(self._engine) as connection:
            return next(iter(_pairs(connection, schema.pairs.c.id == id)), None)

    def pairs(
        self,
        document: str | None = None,
        *,
        states: Collection[State] = get_args(State),
        words: str = "",
        first: int = 0,
        most: int | None = None,
    ) -> tuple[Pair, ...]:
        """Pairs in the order of their documents, `most` from the `first` one on, that have `words` in their question or
        answer."""
        with reading(self._engine) as connection:
            return _pairs(connection, *_wanted(document, states, words), first=first, most=most)

    def count_pairs(
        self, document: str | None = None, *, states: Collection[State] = get_args(State), words: str = ""
    ) -> int:
        """How many there are of what `pairs` gives."""
        count = select(func.count()).select_from(schema.pairs).where(*_wanted(document, states, words))
        with reading(self._engine) as connection:
            return int(connection.scalar(count) or 0)

    def put_pair(self, pair: Pair) -> None:
        """Keep one pair, new or changed by `pair.by`. Raises StoreError when its document is gone."""
        table = schema.pairs
        row = _pair_row(pair)
        with writing(self._engine) as connection:
            if connection.execute(update(table).where(table.c.id == pair.id).values(**row)).rowcount:
                audit.note(connection, pair.by, "pair changed", pair.document, result=f"{pair.id}: {pair.state}")
                return
            known = select(schema.documents.c.name).where(schema.documents.c.name == pair.document)
            if connection.scalar(known) is None:
                raise StoreError("There is no such document.", "It may have been deleted meanwhile: reload the page.")
            last = select(func.max(table.c.position)).where(table.c.document == pair.document)
            position = (connection.scalar(last) or 0) + 1
            connection.execute(insert(table), row | {"position": position})
            audit.note(connection, pair.by, "pair added", pair.document, result=f"{pair.id}: {pair.state}")

    def put_pairs(self, document: str, pairs: Sequence[Pair], *, by: str = "") -> None:
        """Make these the pairs of a document, in order."""
        with writing(self._engine) as connection:
            _put_pairs(connection, document, pairs)
            audit.note(connection, by, "pairs set", document, result=str(len(pairs)))

    def _documents(self, name: str | None) -> tuple[Document, ...]:
        table, pairs = schema.documents.c, schema.pairs.c
        of_document = pairs.document == table.name
        columns = (
            *(table.name, table.sha256, table.pages, table.added),
            select(func.count()).where(schema.passages.c.document == table.name).scalar_subquery(),
            select(func.count()).where(of_document, pairs.searched).scalar_subquery(),
            select(func.count()).where(of_document, pairs.state == "review").scalar_subquery(),
            *(table.audience, table.notes, table.given_by, table.reading, table.title),
        )
        query = select(*columns).order_by(table.name)
        if name is not None:
            query = query.where(table.name == name)
        return tuple(
            Document(*[*counted, read_audience(audience), tuple(json.loads(notes)), by, reading, title])
            for *counted, audience, notes, by, reading, title in rows(self._engine, query)
        )


class Examples:
    """The example questions of one home."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def all(self) -> tuple[str, ...]:
        """The questions, in the order in which they were written."""
        with reading(self._engine) as connection:
            return _examples(connection)

    def put(self, questions: Sequence[str], *, instead_of: Sequence[str] | None = None, by: str = "") -> None:
        """Make these the example questions.

        `instead_of` are those that whoever writes has seen: when they are others by now, nothing changes and StoreError
        is raised. None asks for no such check.
        """
        new = [{"position": position, "question": question} for position, question in enumerate(questions, 1)]
        with writing(self._engine) as connection:
            lock_table(connection, schema.examples)
            if instead_of is not None and _examples(connection) != tuple(instead_of):
                raise StoreError(
                    "The example questions were changed meanwhile, so nothing was saved.",
                    "Look at what they are now, and save again.",
                )
            connection.execute(delete(schema.examples))
            if new:
                connection.execute(insert(schema.examples), new)
            audit.note(connection, by, "example questions set", result=str(len(new)))


def _wanted(document: str | None, states: Collection[State], words: str) -> list[ColumnElement[bool]]:
    table = schema.pairs.c
    wanted: list[ColumnElement[bool]] = [table.state.in_(sorted(states))]
    if document is not None:
        wanted.append(table.document == document)
    for word in words.split():
        wanted.append(
            or_(table.question.icontains(word, autoescape=True), table.answer.icontains(word, autoescape=True))
        )
    return wanted


def _pairs(
    connection: Connection, *wanted: ColumnElement[bool], first: int = 0, most: int | None = None
) -> tuple[Pair, ...]:
    table = schema.pairs
    columns = (column for column in table.columns if column is not table.c.position)
    query = select(*columns).where(*wanted).order_by(table.c.document, table.c.position)
    return tuple(Pair(*row) for row in connection.execute(query.offset(first).limit(most)))


def _put_pairs(connection: Connection, document: str, pairs: Sequence[Pair]) -> None:
    connection.execute(delete(schema.pairs).where(schema.pairs.c.document == document))
    new = [_pair_row(pair) | {"position": position} for position, pair in enumerate(pairs)]
    if new:
        connection.execute(insert(schema.pairs), new)


def _pair_row(pair: Pair) -> dict[str, Any]:
    row = asdict(pair)
    return row | {"changed_by": row.pop("by")}


def _examples(connection: Connection) -> tuple[str, ...]:
    table = schema.examples.c
    return tuple(connection.scalars(select(table.question).order_by(table.position)))
