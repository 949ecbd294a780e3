"""What the index holds, in memory: the passages, and of each its row, document, kind and audience.

From it come the counts, which passages an asker may be shown, and the passages themselves: to ask Chroma for three
costs a tenth of a search. A passage keeps its row until it is removed; a row is never used twice.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from store import storable
from store.passage import Audience, Passage

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Value = TypeVar("Value", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Held:
    """What the index has of a document, and who may read it."""

    passages: frozenset[Passage]
    audience: Audience


class Catalog:
    """The rows of one index. For one thread at a time."""

    def __init__(self) -> None:
        import numpy as np

        self.ids: list[str] = []
        """The id of each row, also of rows that were removed."""
        self.living: NDArray[np.bool_] = np.zeros(0, dtype=bool)
        """Which rows are still there, shape (rows,)."""
        self._rows: dict[str, int] = {}
        self._passages: dict[str, Passage] = {}
        self._kinds: _Column[str] = _Column()
        self._documents: _Column[str] = _Column()
        self._audiences: _Column[Audience] = _Column()

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, id: str) -> bool:
        return id in self._rows

    def add(self, passages: Sequence[Passage], audiences: Sequence[Audience]) -> None:
        """A row for each passage, in order; a passage whose id is known leaves the row that it had."""
        import numpy as np

        self.remove([passage.id for passage in passages if passage.id in self._rows])
        self._rows.update({passage.id: row for row, passage in enumerate(passages, start=len(self.ids))})
        self._passages.update({passage.id: passage for passage in passages})
        self.ids += [passage.id for passage in passages]
        self.living = np.concatenate([self.living, np.ones(len(passages), dtype=bool)])
        self._kinds.add([passage.kind for passage in passages])
        self._documents.add([passage.document for passage in passages])
        self._audiences.add(audiences)

    def remove(self, ids: Collection[str]) -> None:
        """Take out the passages with those ids."""
        self.living[[self._rows.pop(id) for id in ids]] = False
        for id in ids:
            del self._passages[id]

    def of_document(self, document: str) -> list[str]:
        """The ids of a document's passages."""
        import numpy as np

        return [self.ids[row] for row in np.flatnonzero(self.living & self._documents.among([storable(document)]))]

    def set_audience(self, ids: Collection[str], audience: Audience) -> None:
        """Let other people read the passages with those ids."""
        self._audiences.put([self._rows[id] for id in ids], audience)

    def passages(self, ids: Sequence[str]) -> list[Passage]:
        """The passages with those ids, in that order."""
        return [self._passages[id] for id in ids]

    def rows(self, ids: Sequence[str]) -> NDArray[np.int64]:
        """The rows of those ids."""
        import numpy as np

        return np.fromiter((self._rows[id] for id in ids), np.int64, len(ids))

    def readable(
        self, kinds: Collection[str], readers: Collection[str] | None, *, without: Collection[str] = ()
    ) -> NDArray[np.bool_]:
        """Which rows are passages of those kinds that one of `readers` (None: whoever asks) may read, shape (rows,);
        none of the documents in `without`."""
        found = self.living & self._kinds.among(kinds)
        if without:
            found &= ~self._documents.among(without)
        if readers is None:
            return found
        keys = {storable(key) for key in readers}
        return found & self._audiences.among([audience for audience in self._audiences.values if audience & keys])

    def count(self, kind: str) -> int:
        """How many passages of a kind there are."""
        return int(self.readable([kind], None).sum())

    def held(self, document: str | None = None, *, without: Container[str] = ()) -> dict[str, Held]:
        """What there is of each document, or of one, but for the passages with the ids in `without`."""
        passages: dict[str, list[Passage]] = {}
        ids = self._passages if document is None else self.of_document(document)
        for passage in [self._passages[id] for id in ids if id not in without]:
            passages.setdefault(passage.document, []).append(passage)
        return {
            name: Held(frozenset(some), self._audiences.value(self._rows[some[0].id]))
            for name, some in passages.items()
        }

    def documents(self) -> dict[str, dict[str, Audience]]:
        """Of each document its passages, id and audience."""
        found: dict[str, dict[str, Audience]] = {}
        for id, row in self._rows.items():
            found.setdefault(self._documents.value(row), {})[id] = self._audiences.value(row)
        return found


class _Column(Generic[Value]):
    """One value a row, kept as the number of the value: many rows have the same."""

    def __init__(self) -> None:
        import numpy as np

        self.values: list[Value] = []
        self._numbers: dict[Value, int] = {}
        self._of_row = np.zeros(0, dtype=np.int32)

    def add(self, values: Sequence[Value]) -> None:
        import numpy as np

        numbers = np.fromiter((self._number(value) for value in values), np.int32, len(values))
        self._of_row = np.concatenate([self._of_row, numbers])

    def put(self, rows: Sequence[int], value: Value) -> None:
        self._of_row[list(rows)] = self._number(value)

    def value(self, row: int) -> Value:
        return self.values[int(self._of_row[row])]

    def among(self, values: Collection[Value]) -> NDArray[np.bool_]:
        """Which rows have one of those values."""
        import numpy as np

        wanted = np.zeros(len(self.values), dtype=bool)
        wanted[[self._numbers[value] for value in values if value in self._numbers]] = True
        found: NDArray[np.bool_] = wanted[self._of_row]
        return found

    def _number(self, value: Value) -> int:
        number = self._numbers.setdefault(value, len(self.values))
        if number == len(self.values):
            self.values.append(value)
        return number
