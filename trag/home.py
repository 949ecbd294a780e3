"""One organization's home: the folder everything is written to, owned by one process, and the assistant over it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, cast

import prompts
from org.chart import Chart
from org.linking.entities import Organization
from store import StoreError, files
from store.jobs import Job
from store.library import Pair
from store.passage import OPEN, Audience, Passage
from store.records import Records
from store.vectors import Vectors
from store.versions import Promotion
from trag.ask import Assistant
from trag.backup import check_whole
from trag.embed import Embedder, open_embedder
from trag.errors import TragError
from trag.file_modes import close_to_others
from trag.ingest import forgetting, index, pair_changes, reconciliation, scans
from trag.ingest.context import IngestContext, generated_folder
from trag.ingest.discovery import Ingested
from trag.ingest.forgetting import Receipt
from trag.ingest.pairs import GeneratedPair, example_questions
from trag.ingest.queue import Queue
from trag.ingest.scans import ScannedPage
from trag.llm import files as model_files
from trag.llm.local import LocalModel
from trag.llm.model import LanguageModel
from trag.llm.opening import open_model, trial
from trag.llm.queue import Leases, RequestQueue
from trag.models import adapters
from trag.models.adapters import Candidates
from trag.pairs.writing import MOST_EXAMPLES, Written, pairs_of, write
from trag.progress import Progress, silent
from trag.reranking.reranker import Reranker
from trag.review import approvals
from trag.settings import Settings
from trag.version_files import BOOKS, CHARTS, VersionFiles

log = logging.getLogger(__name__)
T = TypeVar("T")


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

    def __init__(self, settings: Settings, closing: ExitStack, *, later: bool = False) -> None:
        self.settings = settings
        self.late: tuple[str, ...] = ()
        self._later = later
        self.folder = settings.home
        self._closing = closing
        self.records = Records(settings.database, workflows=settings.workflows)
        closing.callback(self.records.close)
        self.candidates = Candidates(self.folder / "adapters")
        self.leases = Leases()
        self._activating = threading.RLock()  # whoever makes the assistant reads the chart
        versions, folder = self.records.chart_versions, self.folder / "charts"
        self.charts = VersionFiles(CHARTS, versions, folder, self._answer_from, self._activating)
        versions, folder = self.records.procedure_versions, self.folder / "procedures"
        self.procedures = VersionFiles(BOOKS, versions, folder, lambda _: self.look_over())
        self._promoting = threading.Lock()
        self._opening = threading.RLock()  # several threads may want a part for the first time at once
        self.parts: dict[str, Any] = {}  # what is open, by the name of its property

    def _part(self, name: str, opened: Callable[[], Any]) -> Any:
        """The part of that name, opened by whoever needs it first."""
        if name not in self.parts:
            with self._opening:
                if name not in self.parts:
                    self.parts[name] = opened()
        return self.parts[name]

    @property
    def organization(self) -> Organization:
        """The chart that people are answered from, and its finder. Raises TragError when its file is gone."""
        if "organization" not in self.parts:
            with self._activating:  # a chart that is activated while this one is read must not be lost
                if "organization" not in self.parts:
                    chart = self.charts.in_use
                    self.parts["organization"] = Organization.of(chart) if chart else Organization("the organization")
        return cast(Organization, self.parts["organization"])

    @property
    def embedder(self) -> Embedder:
        """The sentence encoder that the settings name."""
        return cast(Embedder, self._part("embedder", lambda: open_embedder(self.settings.embedder)))

    @property
    def reranker(self) -> Reranker | None:
        """What ranks lines of passages; None beside an encoder that the settings name, whose languages it may not
        know."""
        return cast("Reranker | None", self._part("reranker", lambda: None if self.settings.embedder else Reranker()))

    @property
    def vectors(self) -> Vectors:
        """The index, in line with the records; one that is damaged, lost passages (Chroma tells nobody) or was made by
        another encoder is made anew. Where that is left for later, the documents in `late` are found by their words
        until `put_right`."""
        return cast(Vectors, self._part("vectors", self._open_vectors))

    def _open_vectors(self, anew: bool = False) -> Vectors:
        place, server = self.folder / "chroma", self.settings.chroma_url
        vectors = reconciliation.open_index(self.records, place, self.embedder, server=server, anew=anew)
        self._closing.callback(vectors.close)
        context = IngestContext(self.records, vectors, self.embedder, self.folder)
        _, self.late = reconciliation.begin(context)
        if not self._later:
            reconciliation.finish(self.late, context)
        return vectors

    def put_right(self, progress: Progress) -> None:
        """Embeds what the index had not of the documents in `late` when it was opened, and reads again what an earlier
        version has read. What `progress` raises ends it, and the next start goes on."""
        reconciliation.finish(self.late, self.stock, progress)
        index.read_again(self.stock, progress)
        self.look_over()

    @property
    def stock(self) -> IngestContext:
        """What its documents are kept in."""
        return IngestContext(self.records, self.vectors, self.embedder, self.folder)

    @property
    def model(self) -> LanguageModel:
        """The language model that answers, with its adapter, started on its first question."""

        def opened() -> LanguageModel:
            if problem := adapters.why_left_out(self.settings, self.records.promotions.current(), self.candidates):
                log.warning(problem)
            return self._opened(self.adapter)

        return cast(LanguageModel, self._part("model", opened))

    def check_candidate(self, id: str) -> None:
        """Raises TragError when there is no such candidate, or it was trained on another model."""
        adapters.adapter_file_of(id, self.settings, self.candidates)

    def model_with(self, adapter: str) -> LanguageModel:
        """The same model with another adapter, for whoever closes it: the id of a candidate, or "base" for none. Raises
        TragError when there is no such candidate, or it was trained on another model."""
        chosen = model_files.NO_ADAPTER
        if adapter != "base":
            chosen = adapters.adapter_file_of(adapter, self.settings, self.candidates)
        return open_model(replace(self.settings, adapter=chosen))

    @property
    def adapter(self) -> str:
        """The file of the adapter that answers, "" for none. Raises TragError when the promoted one is gone."""
        return adapters.answering(self.settings, self.records.promotions.current(), self.candidates)

    @property
    def adapter_name(self) -> str:
        """What the adapter that answers is called, "" for none."""
        return model_files.adapter_name(Path(self.adapter)) if self.adapter else ""

    def _opened(self, adapter: str, name: str | None = None) -> LanguageModel:
        """The model with this adapter file, "" for none, that of the settings or one named as there; closed with the
        home at the latest."""
        settings = self.settings if name is None else replace(self.settings, model=name)
        model = open_model(replace(settings, adapter=adapter or model_files.NO_ADAPTER))
        self._closing.callback(model.close)
        return model

    @property
    def queue(self) -> Queue:
        """The line of uploaded documents; what waited when the last process ended goes on."""

        def opened() -> Queue:
            queue = Queue(self.records.jobs, self.folder / "waiting", self._work)
            self._closing.callback(queue.close)
            return queue

        return cast(Queue, self._part("queue", opened))

    @property
    def assistant(self) -> Assistant:
        """The assistant over everything that is in this home."""
        if "assistant" in self.parts:
            return cast(Assistant, self.parts["assistant"])
        # The slow parts first: a chart that is activated while they open must not be missed.
        self.vectors, self.embedder, self.reranker, self.model  # noqa: B018
        with self._activating:
            if "assistant" not in self.parts:
                self.parts["assistant"] = replace(self.assistant_with(self.model), records=self.records)
            return cast(Assistant, self.parts["assistant"])

    def assistant_with(self, model: LanguageModel) -> Assistant:
        """An assistant over the same, which answers with this model, and keeps no answers."""
        return Assistant(
            organization=self.organization,
            vectors=self.vectors,
            embedder=self.embedder,
            model=model,
            records=None,
            line=RequestQueue(model.slots, self.settings.waiting),
            settings=self.settings,
            reranker=self.reranker,
            earlier=self._earlier_charts,
            leases=self.leases,
        )

    def warm(self) -> None:
        """Let the model read how the prompts of every kind begin, before the first question. Whoever asks meanwhile
        goes first. Raises TragError when the model cannot be loaded."""
        if isinstance(self.model, LocalModel):
            self.model.warm(prompts.starts())

    def state(self) -> State:
        """How much there is to answer from."""
        return State(self.organization.name, len(self.records.library.documents()), self.organization.version)

    def ingest(
        self, paths: Sequence[Path], *, replace: bool, progress: Progress, audience: Audience = OPEN, by: str = ""
    ) -> tuple[Ingested, ...]:
        """Adds documents and pairs; each result says what became of one file. `audience` is who may read what is
        new."""
        results = index.ingest(paths, self.stock, replace=replace, audience=audience, by=by, progress=progress)
        self.look_over()
        return results

    def import_pairs(self, content: bytes, name: str, *, by: str) -> tuple[Ingested, ...]:
        """Makes the pairs in a file those that were given for their documents. Raises TragError for a bad file."""
        return pair_changes.import_pair_file(content, name, self.stock, by=by, progress=silent)

    def write_pairs(
        self,
        *,
        by: str,
        progress: Progress,
        pause: Callable[[], None] = lambda: None,
        interrupted: Callable[[], bool] = lambda: False,
    ) -> Written:
        """Has the model write pairs about the sections that people gave none for, some ten seconds each on two cores;
        what is written is kept whatever ends it, and not written again. `pause` is called between two passages: it may
        wait, and raise Cancelled to end the work. While `interrupted` says so, the model writes nothing.
        Raises TragError when it cannot be reached."""
        examples = self.records.examples.all()

        def write_passage(passage: Passage) -> Sequence[GeneratedPair]:
            folder, model = generated_folder(self.folder, passage.document), self.model
            with self.leases.hold(model):
                return pairs_of(passage, model, examples=examples, folder=folder, interrupted=interrupted)

        return write(self.stock, write_passage, pause=pause, by=by, progress=progress)

    def put_pair(self, pair: Pair) -> None:
        """Keeps a new or changed pair, and makes it searched or not at once."""
        pair_changes.keep_pair(pair, self.stock)

    def set_examples(self, text: str, *, instead_of: Sequence[str] | None = None, by: str = "") -> tuple[str, ...]:
        """Keeps the questions in `text`, one a line, as the examples that a model writes pairs in the manner of from
        now on. `instead_of` are those that were seen: StoreError when they are others by now. Raises TragError for too
        many or too long ones."""
        questions = example_questions(text, MOST_EXAMPLES)
        self.records.examples.put(questions, instead_of=instead_of, by=by)
        return questions

    def set_audience(
        self, document: str, audience: Audience, *, instead_of: Audience | None = None, by: str = ""
    ) -> None:
        """Who may read a document from now on: "everyone", or ids of units of the chart (they and all below).
        `instead_of` is who might when `by` looked: StoreError when those are others by now."""
        reconciliation.set_audience(document, audience, self.stock, instead_of=instead_of, by=by)

    def original(self, document: str) -> bytes | None:
        """A document's file as it was given, None when there is no such document."""
        found = self.records.library.document(document)
        original = found and files.find(self.folder / "documents", found.sha256)
        return original.read_bytes() if original else None

    def scans(self, sha256: str) -> Collection[ScannedPage]:
        """The pages of a document that are pictures, as they were read."""
        return scans.kept(scans.kept_words(self.folder / "documents", sha256)).values()

    def forget(self, document: str, *, by: str = "") -> Receipt:
        """Removes a document everywhere; the receipt says what was removed, and what is still there, if anything."""
        receipt = forgetting.forget(document, self.stock, by=by)
        self.look_over()
        return receipt

    def reindex(self) -> int:
        """Embeds everything again, before anything else has opened the index; how many passages."""
        return cast(Vectors, self._part("vectors", partial(self._open_vectors, anew=True))).count()

    def _work(self, job: Job, content: bytes, progress: Progress) -> str:
        result = index.ingest_one(content, job.name, self.stock, audience=job.audience, by=job.by, progress=progress)
        self.look_over()
        return f"{result.outcome}: {result.summary}"

    def look_over(self) -> None:
        """Take back approved answers that stood on what has changed."""
        try:
            approvals.return_changed(self.records)
        except StoreError as error:  # what has changed is done, and what stood on it is given to nobody all the same
            log.warning("approved answers were not looked over: %s", error.message)

    def promote(self, adapter: str, *, by: str, instead_of: str | None = None) -> Promotion:
        """Answers with this candidate from now on, with the adapter that ships for ""; questions under way keep the
        model they began with, which ends with the last of them. The new one is loaded and tried before it takes the
        other's place: whatever goes wrong, the other stays. `instead_of` is the promoted one that `by` saw ("" for
        none), and StoreError is raised when that is another by now. Raises TragError for a candidate that is gone or
        was trained on another model, and when the settings leave nothing to promote. A kill at any moment leaves the
        one or the other."""
        adapters.check_open(self.settings)

        @contextmanager
        def kept() -> Iterator[Promotion]:
            yield self.records.promotions.put(adapter, by=by, instead_of=instead_of)

        with self._promoting:
            model = self._opened(adapters.adapter_file_of(adapter, self.settings, self.candidates))
            return self._answer_with(model, self.settings.model, kept())

    def change_model(self, model: str, kept: AbstractContextManager[None]) -> None:
        """Answers with this model from now on, named as in the settings, as `promote` does with an adapter: the one
        that was made for it, if any. `kept` writes down that it does when it is entered, and what that raises leaves
        the other in place. Raises TragError for a file that cannot answer."""
        with self._promoting:
            self._answer_with(self.other_model(model), model, kept)

    def other_model(self, model: str) -> LanguageModel:
        """A model named as in the settings, with the adapter that would answer with it; closed with the home at the
        latest. Raises TragError when its files are not right."""
        settings = replace(self.settings, model=model)
        return self._opened(adapters.answering(settings, self.records.promotions.current(), self.candidates), model)

    def _answer_with(self, model: LanguageModel, name: str, kept: AbstractContextManager[T]) -> T:
        """Load and try a model, then have it take the other's place."""
        try:
            if isinstance(model, LocalModel):
                trial(model)
            with kept as made, self._activating, self._opening:
                before = self.parts.get("model")
                self.parts["model"] = model
                self.take_up(replace(self.settings, model=name))
                if "assistant" in self.parts:
                    self.assistant.model = model
        except BaseException:
            model.close()
            raise
        if before:
            self.leases.give_up(before)
        return made

    def take_up(self, settings: Settings) -> None:
        """Go by these settings from the next question on; only what each question reads anew may differ."""
        with self._activating:
            self.settings = settings
            if "assistant" in self.parts:
                self.assistant.settings, self.assistant.line.waiting = settings, settings.waiting

    def adapter_before(self) -> str | None:
        """The adapter that a roll-back leads to: the last that answered before and was not removed since, "" for the
        one that ships, None where there is none."""
        current, *earlier = [each.adapter for each in self.records.promotions.all()] or [""]
        there = {"", *(each.id for each in self.candidates.all())} - {current}
        return next((adapter for adapter in (*earlier, "") if adapter in there), None)

    def roll_back(self, *, by: str, instead_of: str | None = None) -> Promotion:
        """Answers with the adapter before again. Raises what `promote` raises, and TragError when there is none."""
        before = self.adapter_before()
        if before is None:
            raise TragError("No other adapter that answered is still there, so there is nothing to go back to.", "")
        return self.promote(before, by=by, instead_of=instead_of)

    def _answer_from(self, chart: Chart) -> None:
        """Answers from this chart from now on; questions under way keep the one they began with. 0.1 ms a unit."""
        self.parts["organization"] = Organization.of(chart)
        if "assistant" in self.parts:
            self.assistant.organization = self.organization
        self.look_over()

    def _earlier_charts(self) -> tuple[tuple[date, Chart], ...]:
        """The chart that was in use before this one, with the day of the change; none where there was none, or its file
        is gone."""
        versions = self.records.chart_versions.all()
        with suppress(TragError):
            return tuple((versions[0].activated.date(), self.charts.version(one.version)) for one in versions[1:2])
        return ()


@contextmanager
def open_home(settings: Settings, *, later: bool = False) -> Iterator[Home]:
    """The home in `settings.home`, made when it is not there yet, and owned until the block ends. `later` leaves what
    takes long of putting its index right to whoever opens it.

    Raises StoreError when another process owns it, or it cannot be written to.
    """
    with ExitStack() as closing:
        closing.enter_context(files.lock(settings.home))
        check_whole(settings.home)
        close_to_others(settings.home)
        yield Home(settings, closing, later=later)
