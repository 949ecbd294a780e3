"""Charts as an admin looks at them before deciding: the files that wait, what is wrong with each, what it changes, and
how it is laid out.

Reading 100,000 rows takes seconds: a review is made once, in a thread, and kept for a while. Nobody waits for it in a
request, and a reload begins nothing anew.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections import OrderedDict
from collections.abc import AsyncIterable, Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from fastapi.concurrency import run_in_threadpool

from org.changes import compare
from org.chart import Chart
from org.reading.cells import COLUMNS, TOP
from org.reading.charts import Report
from store import StoreError, files
from trag.charts import check
from trag.errors import TragError
from trag.web.charts.changes import Group, Layout, groups, layout
from trag.web.forms import received

if TYPE_CHECKING:
    from trag.home import Home

KEPT = 4
"""Reviews that are kept: a few hundred megabytes where charts have 100,000 units."""
WAITING = 20
"""Files that may wait; the oldest ones make room."""
LONGEST_NAME = 120
_DESCRIBED = ".about"


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that waits: its content hash, the name it came with, whose it is, when it came, and its bytes."""

    id: str
    name: str
    by: str
    at: datetime
    size: int


@dataclass(frozen=True, slots=True)
class Uploads:
    """The chart files that wait in one folder, each under its content hash, there after a reload and a restart. Any
    method may raise StoreError for a failing disk."""

    folder: Path

    async def receive(self, chunks: AsyncIterable[bytes], name: str, by: str) -> Upload:
        """Keep what comes; when it breaks off, nothing is kept. The same content again takes the place of the first."""

        def keep(upload: Upload, unfinished: Path) -> None:
            about = asdict(upload) | {"at": upload.at.isoformat()}
            # What it is comes before the file itself: a kill between the two leaves a note that nobody looks at.
            files.write_atomic(self._about(upload.id), json.dumps(about, ensure_ascii=False).encode())
            unfinished.replace(self._content(upload.id))
            for old in self.all()[WAITING:]:
                self.discard(old.id)

        async with received(chunks, self.folder) as file:
            upload = Upload(file.sha256, shown_name(name), by, datetime.now(UTC), file.size)
            await run_in_threadpool(keep, upload, file.path)
        return upload

    def all(self) -> tuple[Upload, ...]:
        """Every file that waits, the newest first."""
        found = (self.find(about.stem) for about in self.folder.glob(f"*{_DESCRIBED}"))
        return tuple(sorted(filter(None, found), key=lambda upload: upload.at, reverse=True))

    def find(self, id: str) -> Upload | None:
        """The file with that content hash, None when it is not or no longer there."""
        if not re.fullmatch(r"[0-9a-f]{64}", id) or not self._content(id).is_file():
            return None
        try:
            about = json.loads(self._about(id).read_text("utf-8"))
        except FileNotFoundError:
            return None
        return Upload(id, about["name"], about["by"], datetime.fromisoformat(about["at"]), about["size"])

    def content(self, upload: Upload) -> bytes:
        """What is in the file. Raises StoreError when it has gone meanwhile."""
        try:
            return self._content(upload.id).read_bytes()
        except FileNotFoundError as error:
            raise StoreError(f"{upload.name} is no longer here.", "Upload it again.") from error

    def discard(self, id: str) -> None:
        """Forget a file; one that is not there is forgotten already."""
        if re.fullmatch(r"[0-9a-f]{64}", id):
            self._content(id).unlink(missing_ok=True)
            self._about(id).unlink(missing_ok=True)

    def _content(self, id: str) -> Path:
        return self.folder / id

    def _about(self, id: str) -> Path:
        return self.folder / f"{id}{_DESCRIBED}"


@dataclass(frozen=True, slots=True)
class Choice:
    """How an upload is to be read: the sheet of a workbook ("": the first that is a chart), the encoding of a text ("":
    told by its letters), and for each of our fields its header, "" for none (None: told by the headers)."""

    sheet: str = ""
    encoding: str = ""
    columns: tuple[tuple[str, str], ...] | None = None

    @classmethod
    def read(cls, query: Mapping[str, str]) -> Choice:
        """The choice in the query of an address or in a form; there is one of columns as soon as there is a name."""
        chosen = [(column, query.get(column, "")) for column in COLUMNS] if "name" in query else []
        chosen += [(TOP, query[TOP])] if chosen and query.get(TOP) else []
        columns = tuple(chosen) if chosen else None
        return cls(query.get("sheet", ""), query.get("encoding", ""), columns)

    def fields(self) -> tuple[tuple[str, str], ...]:
        """The choice as the fields of a query or a form."""
        file = [(name, value) for name, value in (("sheet", self.sheet), ("encoding", self.encoding)) if value]
        return (*file, *(self.columns or ()))


@dataclass(frozen=True, slots=True)
class Review:
    """All there is to see. `report` is None for a chart that was activated before, `before` where there is nothing to
    compare with; `layout` and `picture`, its JSON under its `tag`, are None where `chart` is."""

    report: Report | None
    chart: Chart | None
    before: Chart | None
    groups: tuple[Group, ...]
    layout: Layout | None
    picture: bytes | None
    tag: str = ""


class Reviews:
    """The reviews of one home, those asked for last at hand."""

    def __init__(self, home: Home, uploads: Uploads) -> None:
        self._home = home
        self._uploads = uploads
        self._threads = ThreadPoolExecutor(max_workers=2, thread_name_prefix="review")
        self._made: OrderedDict[object, Future[Review]] = OrderedDict()
        self._lock = threading.Lock()

    def close(self) -> None:
        """Begin no more; what is under way ends with the process."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def of_upload(self, upload: Upload, choice: Choice, against: str) -> Future[Review]:
        """The review of a file, compared with a version ("" with none). Raises what reading it raises."""

        def make() -> Review:
            content = self._uploads.content(upload)
            columns = None if choice.columns is None else dict(choice.columns)
            report = check(
                content,
                upload.name,
                sheet=choice.sheet,
                columns=columns,
                encoding=choice.encoding,
                folder=self._home.folder,
            )
            return self._review(report, report.chart, against)

        return self._begin((upload.id, upload.name, choice, against), make)

    def of_version(self, version: str, against: str) -> Future[Review]:
        """The review of a chart that was activated before, compared with another ("" with none)."""
        return self._begin((version, against), lambda: self._review(None, self._home.chart(version), against))

    def _begin(self, key: object, make: Callable[[], Review]) -> Future[Review]:
        with self._lock:
            found = self._made.get(key)
            if found is None or (found.done() and (found.cancelled() or found.exception() is not None)):
                found = self._made[key] = self._threads.submit(make)
            self._made.move_to_end(key)
            while len(self._made) > KEPT:
                self._made.popitem(last=False)
            return found

    def _review(self, report: Report | None, chart: Chart | None, against: str) -> Review:
        if chart is None:
            return Review(report, None, None, (), None, None)
        before = None
        if against and against != chart.version:
            with suppress(TragError):  # its file cannot be read: there is nothing to compare with
                before = self._home.chart(against)
        changes = compare(before, chart) if before else None
        laid_out = layout(chart, before, changes)
        changed = groups(before, chart, changes) if before and changes else ()
        picture = laid_out.to_json()
        return Review(
            report, chart, before, changed, laid_out, picture, f'"{hashlib.sha256(picture).hexdigest()[:32]}"'
        )


def shown_name(name: str) -> str:
    """A file's name as it may be kept and shown: the last part of a path, without controls, its suffix in letters."""
    last = re.split(r"[/\\]", name)[-1]
    kept = "".join(character for character in last if character.isprintable()).strip()
    stem, suffix = Path(kept).stem, Path(kept).suffix
    if not re.fullmatch(r"\.\w{1,10}", suffix):
        stem, suffix = kept.replace(".", "_"), ""
    return (stem[: LONGEST_NAME - len(suffix)] or "chart") + suffix
