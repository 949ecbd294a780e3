"""A real home to learn from: a training organization's documents, chart and pairs, ingested and indexed once. And a
tiny model that learns in seconds, with something to learn."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from org.reading.charts import load
from tests.tiny_model import make_lessons, write_lessons, write_model
from trag.finetune.dataset import corpus
from trag.finetune.dataset.corpus import CORPUS, Written
from trag.finetune.dataset.examples import Example
from trag.finetune.training.plan import Plan, TrainingSettings
from trag.settings import Settings

if TYPE_CHECKING:
    from trag.home import Home


SETTINGS = TrainingSettings(
    rank=4, learning_rate=0.01, epochs=2.0, accumulation=3, longest=128, evaluations=2, checkpoint_seconds=0, seed=3
)


@pytest.fixture(scope="session")
def written() -> Written:
    """One of the organizations that the shipped adapter learns from."""
    return corpus.read(CORPUS / "ardstat")


@pytest.fixture(scope="session")
def home(written: Written, tmp_path_factory: pytest.TempPathFactory) -> "Iterator[Home]":
    """Its home: the document questions are pairs that somebody gave."""
    from trag.home import open_home

    folder = tmp_path_factory.mktemp("learned")
    pairs = [
        {name: getattr(case, name) for name in ("question", "answer", "document", "section")} | {"type": "short_answer"}
        for case in written.cases
        if case.kind == "document"
    ]
    (folder / "pairs.jsonl").write_text("".join(json.dumps(pair) + "\n" for pair in pairs), encoding="utf-8")
    with open_home(Settings(home=folder / "home")) as opened:
        results = opened.ingest(
            [written.folder / corpus.DOCUMENTS, folder / "pairs.jsonl"], replace=False, progress=lambda *_: None
        )
        assert not any(result.failed for result in results), results
        content = (written.folder / corpus.CHART).read_bytes()
        opened.charts.activate(load(content, "chart.csv"), [("chart.csv", content)], by="admin")
        yield opened


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A llama model with random weights and the words and the template of SmolLM2: 2 layers, 4 heads that share 2 keys,
    a head of its own, float32. Its folder serves as a home too."""
    return write_model(tmp_path_factory.mktemp("tiny") / "tiny.gguf", "llama")


@pytest.fixture(scope="session")
def tiny_qwen2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same as qwen2: biases, and a head that is the embedding."""
    return write_model(tmp_path_factory.mktemp("qwen2") / "tiny.gguf", "qwen2")


@pytest.fixture(params=["tiny", "tiny_qwen2"])
def either(request: pytest.FixtureRequest) -> Path:
    """Each of them."""
    return cast(Path, request.getfixturevalue(request.param))


@pytest.fixture(scope="session")
def lessons() -> tuple[Example, ...]:
    """Two questions over each of 24 statements."""
    return make_lessons()


@pytest.fixture
def plan(tiny: Path, lessons: tuple[Example, ...], tmp_path: Path) -> Plan:
    """A training of the tiny model on them, of six steps."""
    write_lessons(tmp_path, lessons)
    return Plan(tmp_path, str(tiny), SETTINGS)
