"""Charts as an admin looks at them before deciding: what is wrong with a file, what it changes, and how it is laid out.

Reading 100,000 rows takes seconds: a review is made once, in a thread, and kept for a while. Nobody waits for it in a
request, and a reload begins nothing anew.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from org.changes import compare
from org.chart import Chart
from org.reading.cells import COLUMNS, TOP
from org.reading.charts import Report
from trag.charts import check
from trag.errors import TragError
from trag.web.charts.changes import Group, Layout, groups, layout
from trag.web.waiting_files import Waiting, WaitingFiles

if TYPE_CHECKING:
    from trag.home import Home

KEPT = 4
"""Reviews that are kept: a few hundred megabytes where charts have 100,000 units."""


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

    def __init__(self, home: Home, uploads: WaitingFiles) -> None:
        self._home = home
        self._uploads = uploads
        self._threads = ThreadPoolExecutor(max_workers=2, thread_name_prefix="review")
        self._made: OrderedDict[object, Future[Review]] = OrderedDict()
        self._lock = threading.Lock()

    def close(self) -> None:
        """Begin no more; what is under way ends with the process."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def of_upload(self, upload: Waiting, choice: Choice, against: str) -> Future[Review]:
        """The review of a file, compared with a version ("" with none). Raises what reading it raises."""

        def make() -> Review:
            ((_, content),) = self._uploads.given(upload)
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
        return self._begin((version, against), lambda: self._review(None, self._home.charts.version(version), against))

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
                before = self._home.charts.version(against)
        changes = compare(before, chart) if before else None
        laid_out = layout(chart, before, changes)
        changed = groups(before, chart, changes) if before and changes else ()
        picture = laid_out.to_json()
        return Review(
            report, chart, before, changed, laid_out, picture, f'"{hashlib.sha256(picture).hexdigest()[:32]}"'
        )
