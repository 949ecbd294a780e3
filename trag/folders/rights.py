"""Who may read what is in a folder: a table of the folders in it with their readers, as somebody wrote it, and the
readers of a file by it.

Nothing is for everyone, or for nobody, that does not say so.
"""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Sequence

from org.chart import Chart
from store.folders import Folder
from store.passage import EVERYONE, OPEN, Audience
from trag.errors import TragError, later
from trag.people.permissions import audience_of
from trag.sandbox import shown

NOBODY = "nobody"
"""The word for documents that admins alone may read."""
Rights = tuple[tuple[str, Audience], ...]


def readers_of(path: str, folder: Folder) -> Audience:
    """Who may read the file at a path: those of the deepest folder that has readers of its own, else the folder's."""
    own = [(len(place), audience) for place, audience in folder.rights if is_in(path, place)]
    return max(own, key=lambda each: each[0])[1] if own else folder.audience


def is_in(path: str, place: str) -> bool:
    """Whether a file is in a folder, in one below it, or is that itself, however a share writes their names."""
    return f"{_normal(path)}/".startswith(f"{_normal(place)}/")


def read_readers(words: Sequence[str], chart: Chart | None, *, kept: Audience = OPEN) -> Audience:
    """The readers that words name: units, by ids or names, or "everyone", or "nobody" but admins. Raises TragError for
    no word at all, an unknown unit, and either of the two beside others. Those of `kept`, by their ids, may stay though
    the chart no longer has them."""
    words = [word.strip() for word in words if word.strip()]
    if not words:
        raise TragError(
            later("Who may read it is not said."), later('Name units of the chart, or "everyone", or "nobody".')
        )
    if len(words) > 1 and {EVERYONE, NOBODY} & set(words):
        raise TragError('"everyone" and "nobody" stand alone.', "Name units, or one of the two.")
    if words == [EVERYONE]:
        return OPEN
    return frozenset() if words == [NOBODY] else audience_of(words, chart, kept)


def read_rights(text: str, chart: Chart | None) -> Rights:
    """A table of two columns, folder and readers, as CSV with commas, semicolons or tabs: the path of a folder or file
    in the mirrored one, and its readers with | between them. Raises TragError that names every row that is wrong."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        return ()
    separator = next((sign for sign in "\t;," if sign in lines[0]), ",")
    found: dict[str, Audience] = {}
    wrong: list[str] = []
    for number, row in enumerate(csv.reader(io.StringIO("\n".join(lines)), delimiter=separator), 1):
        cells = [cell.strip() for cell in row]
        if number == 1 and [cell.casefold() for cell in cells] == ["folder", "readers"]:
            continue
        path = cells[0].replace("\\", "/").strip("/")
        try:
            if len(cells) != 2 or not path or ".." in path.split("/"):
                raise TragError("it is no folder with its readers.", "")
            if path in found:
                raise TragError("it is there twice.", "")
            found[path] = read_readers(cells[1].split("|"), chart)
        except TragError as error:
            wrong.append(f"row {number} ({shown(path)}): {error.message}")
    if wrong:
        raise TragError(
            f"The table of readers: {' '.join(wrong)}", 'Write one folder a row, such as "hr/pay,unit1|unit2".'
        )
    return tuple(sorted(found.items()))


def write_readers(audience: Audience) -> str:
    """The words that `read_readers` reads."""
    return "|".join(sorted(audience)) or NOBODY


def write_rights(rights: Rights) -> str:
    """The table that `read_rights` reads, without a head."""
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\n").writerows((path, write_readers(audience)) for path, audience in rights)
    return out.getvalue()


def _normal(path: str) -> str:
    return unicodedata.normalize("NFC", path).casefold()
