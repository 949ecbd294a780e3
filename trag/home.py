"""One organization's home: the folder everything is written to, owned by one process, and the assistant made from what
is in it.

settings -> Home(records, vectors, embedder, model, chart) -> Assistant.  Composition only: each part knows its own
business.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from org import export
from org.chart import Chart
from org.chart import load as load_chart
from org.entities import EntityFinder
from store import files
from store.records import ChartVersion, Records
from store.vectors import Vectors
from trag import ingest as ingestion
from trag.ask import Assistant
from trag.asking import Organization
from trag.embed import Embedder, open_embedder
from trag.errors import TragError
from trag.line import Line
from trag.llm import LanguageModel, open_model
from trag.settings import Settings

Progress = Callable[[str, int, int], None]
"""Told of long work as (step, done, total)."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class State:
    """What a home can answer from at this moment. `chart` is the active chart's version, "" without one."""

    organization: str
    documents: int
    chart: str

    @property
    def empty(self) -> bool:
        """Whether there is nothing to answer from."""
        return not self.documents and not self.chart


class Home:
    """An open home. Heavy parts are opened when they are first needed; `open_home` closes them."""

    def __init__(self, settings: Settings, closing: ExitStack) -> None:
        self.settings = settings
        self.folder = settings.home
        self._closing = closing
        self.records = Records(f"sqlite:///{self.folder / 'trag.db'}")
        closing.callback(self.records.close)
        self._activating = threading.Lock()

    @cached_property
    def organization(self) -> Organization:
        """The chart that people are answered from, and its finder. Raises TragError when its file is gone."""
        active = self.records.active_chart()
        if active is None:
            return Organization(name="the organization")
        file = self._chart_file(active)
        return _organization(load_chart(file.read_bytes(), file.name))

    @cached_property
    def embedder(self) -> Embedder:
        """The sentence encoder that the settings name."""
        return open_embedder(self.settings.embedder)

    @cached_property
    def vectors(self) -> Vectors:
        """The index, in line with the records: what an interrupted ingest left behind is finished, and an index that
        lost passages (Chroma loses them without a word when its files are damaged) is made anew."""
        folder, embedder = self.folder / "chroma", self.embedder
        vectors = Vectors(folder, embedder=embedder.identity, dimension=embedder.dimension)
        self._closing.callback(vectors.close)
        found, tried = vectors.probe()
        if found < tried:
            log.warning("the index in %s finds %d of %d of its own passages: making it anew", folder, found, tried)
            vectors.close()
            ingestion.reindex(self.records, folder, embedder)
        ingestion.reconcile(self.records, vectors, embedder)
        return vectors

    @cached_property
    def model(self) -> LanguageModel:
        """The language model that the settings name, started on its first question."""
        model = open_model(self.settings)
        self._closing.callback(model.close)
        return model

    @cached_property
    def assistant(self) -> Assistant:
        """The assistant over everything that is in this home."""
        # The slow parts first: a chart that is activated while they open must not be missed.
        vectors, embedder, model = self.vectors, self.embedder, self.model
        with self._activating:
            assistant = Assistant(
                organization=self.organization,
                vectors=vectors,
                embedder=embedder,
                model=model,
                records=self.records,
                line=Line(model.slots, self.settings.waiting),
                settings=self.settings,
            )
            self.__dict__["assistant"] = assistant
        return assistant

    def state(self) -> State:
        """How much there is to answer from."""
        return State(self.organization.name, len(self.records.documents()), self.organization.version)

    def ingest(self, paths: Sequence[Path], *, replace: bool, progress: Progress) -> tuple[ingestion.Ingested, ...]:
        """Adds documents and pairs; each result says what became of one file."""
        return ingestion.ingest(
            paths,
            records=self.records,
            vectors=self.vectors,
            embedder=self.embedder,
            files_folder=self.folder / "documents",
            replace=replace,
            progress=progress,
        )

    def forget(self, document: str) -> ingestion.Receipt:
        """Removes a document everywhere; the receipt says what was removed and that nothing is left."""
        return ingestion.forget(
            document, records=self.records, vectors=self.vectors, files_folder=self.folder / "documents"
        )

    def reindex(self, progress: Progress) -> int:
        """Embeds everything again, also after another embedder was chosen; how many passages."""
        return ingestion.reindex(self.records, self.folder / "chroma", self.embedder, progress)

    def activate_chart(
        self, chart: Chart, name: str, original: bytes, *, by: str, instead_of: str | None = None
    ) -> ChartVersion:
        """Answers from this chart from now on; questions under way keep the one they began with.

        `name` and `original` are those of the file that `by` gave; `instead_of` is the version that they saw in use (""
        for none), and StoreError is raised when that is another by now. A kill at any moment leaves the one chart or
        the other. Takes 0.1 ms a unit.
        """
        organization = _organization(chart)
        content = export.write(chart, "json")
        with self._activating:
            files.keep(self.folder / "charts", original, Path(name).suffix)
            sha256 = files.keep(self.folder / "charts", content, ".json")
            version = self.records.activate_chart(
                chart.version, name, sha256, by=by, units=len(chart), instead_of=instead_of
            )
            self.organization = organization
            if "assistant" in self.__dict__:
                self.assistant.organization = organization
        return version

    def roll_back_chart(self, version: str, *, by: str, instead_of: str | None = None) -> ChartVersion:
        """Answers from an earlier chart again. Raises TragError when there is no such version."""
        earlier = self._version(version)
        return self.activate_chart(
            self.chart(version), earlier.name, self._chart_file(earlier).read_bytes(), by=by, instead_of=instead_of
        )

    def chart(self, version: str) -> Chart:
        """A chart that was activated once. Raises TragError when there is no such version."""
        active = self.organization.chart
        if active is not None and active.version == version:
            return active
        file = self._chart_file(self._version(version))
        return load_chart(file.read_bytes(), file.name)

    def _version(self, version: str) -> ChartVersion:
        charts = self.records.charts()
        for chart in charts:
            if chart.version == version:
                return chart
        known = ", ".join(chart.version for chart in charts) or "none"
        raise TragError(
            f"There is no chart version {version}; the versions are: {known}.", "python -m trag chart versions"
        )

    def _chart_file(self, version: ChartVersion) -> Path:
        kept = files.find(self.folder / "charts", version.sha256)
        if kept is None:
            raise TragError(
                f"The file of the chart {version.name} ({version.version}) is no longer in {self.folder / 'charts'}.",
                "Activate the chart again from your own copy: python -m trag chart activate FILE",
            )
        return kept


@contextmanager
def open_home(settings: Settings) -> Iterator[Home]:
    """The home in `settings.home`, made when it is not there yet, and owned until the block ends.

    Raises StoreError when another process owns it, or it cannot be written to.
    """
    with ExitStack() as closing:
        settings.home.mkdir(parents=True, exist_ok=True)
        closing.enter_context(files.lock(settings.home))
        yield Home(settings, closing)


def _organization(chart: Chart) -> Organization:
    return Organization(chart.root.name, chart, EntityFinder(chart))
