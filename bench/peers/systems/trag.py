"""The product, as `python -m trag` opens it: the chart activated as a chart, the documents ingested."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")

from bench.peers.serving import Passage, Reply, Setup, serve
from org.reading.charts import load as load_chart
from trag.embed import embedded_folder
from trag.events import Answer, Token
from trag.home import open_home
from trag.llm.files import NO_ADAPTER
from trag.llm.local import LocalModel
from trag.models.catalogue import DEFAULT, SMALL
from trag.progress import silent
from trag.settings import Settings


class Product:
    """An open home with nothing in it yet."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        home = Path(setup.folder)
        for place in home.iterdir():
            shutil.rmtree(place) if place.is_dir() else place.unlink()
        # A model of the catalogue goes by its name there, as whoever uses the product sets it.
        named = {str(DEFAULT.path): "", str(SMALL.path): "small"}.get(setup.model, setup.model)
        # So does the encoder that comes with the product: beside one that is named nothing is reranked.
        encoder = "" if Path(setup.embedder) == embedded_folder() else setup.embedder
        settings = Settings(
            home=home,
            model=named,
            adapter=NO_ADAPTER,  # the same weights for all
            embedder=encoder,
            context=setup.context,
            answer_tokens=setup.answer_tokens,
        )
        self._home = ExitStack().enter_context(open_home(settings))
        assert isinstance(self._home.model, LocalModel)
        self._home.model.warm()
        assert self._home.embedder
        assert self._home.reranker or encoder
        assert self._home.vectors
        import_module("spacy")  # the peers import all of theirs before the clock starts

    def index(self) -> int:
        """Activate the chart, ingest the documents."""
        chart = Path(self._setup.chart)
        content = chart.read_bytes()
        self._home.charts.activate(load_chart(content, chart.name), [(chart.name, content)], by="bench.peers")
        documents = [file for file in sorted(Path(self._setup.documents).iterdir()) if file.name != chart.name]
        results = self._home.ingest(documents, replace=False, progress=silent, by="bench.peers")
        if failed := [result for result in results if result.failed]:
            raise RuntimeError(f"not ingested: {failed}")
        return self._home.vectors.count()

    def ask(self, question: str, heard: Callable[[str], object]) -> Reply:
        """What stands as the answer in the end; what is heard is the model's draft."""
        for event in self._home.assistant.ask(question):
            if isinstance(event, Token):
                heard(event.text)
            if isinstance(event, Answer):
                sources = event.record.sources
                passages = (Passage(one.document, f"{one.section}. {one.question} {one.text}") for one in sources)
                return Reply(event.record.answer, tuple(passages))
        raise RuntimeError("no answer")


if __name__ == "__main__":
    serve(Product)
