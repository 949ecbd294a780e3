"""Who is compared, what all of them are given alike, and what each is by itself."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from bench.peers import environment
from bench.peers.comparing import Contender
from bench.peers.serving import Setup
from trag.embed import embedded_folder
from trag.evaluate.tables import Table
from trag.llm import files
from trag.machine import cores
from trag.record import ModelUsed
from trag.settings import Settings

OURS = "T-RAG"
_MODULE = "bench.peers.systems"
_PEERS = {
    "LlamaIndex": ("llama_index", "llama-index-core"),
    "Haystack": ("haystack", "haystack-ai"),
    "LangChain": ("langchain", "langchain"),
}
"""The file of each peer in bench/peers/systems, and the package that its version is told by."""
_GIVEN = {
    OURS: (
        "docs/operators.md",
        "Chart activated as a chart, which answers what the model reads as an expression over it; documents ingested, "
        "without pairs; 3 excerpts, reranked; answers checked, and written again or refused",
    ),
    "LlamaIndex": (
        "Starter tutorial (local models); LlamaCPP",
        "SimpleDirectoryReader, the chart as CSV; chunks of 1,024 tokens; the 2 nearest; its query engine and prompt",
    ),
    "Haystack": (
        "Tutorials 30 (file types) and 27 (first RAG pipeline); LlamaCppChatGenerator",
        "A converter a file type, the chart as CSV; chunks of 150 words, 50 shared; the 10 nearest; the tutorial's "
        "prompt",
    ),
    "LangChain": (
        "Build a RAG agent, its two-step chain; ChatLlamaCpp",
        "TextLoader, the chart by CSVLoader, a row a document; chunks of 1,000 characters, 200 shared; the 4 nearest; "
        "the tutorial's prompt; RoPE as the GGUF file has it, not as ChatLlamaCpp would set it",
    ),
}
_ALIKE = (
    "Alike for all: GGUF file and its chat template, encoder, documents, questions, {setup.context:,} tokens of "
    "context, {setup.answer_tokens} of answer, greedy, repetition penalty {setup.penalty}, {setup.threads} threads, "
    "flash attention, no adapter, no pairs that people gave, no network."
)


def contenders() -> tuple[Contender, ...]:
    """The product and its peers. Makes the environment of the peers where it is not there."""
    python = str(environment.python())
    peers = (
        Contender(f"{name} {environment.version(package)}", (python, "-m", f"{_MODULE}.{module}"))
        for name, (module, package) in _PEERS.items()
    )
    return (Contender(OURS, (sys.executable, "-m", f"{_MODULE}.trag")), *peers)


def alike(settings: Settings) -> tuple[Setup, ModelUsed]:
    """What every system is given, without the documents.

    Raises SystemExit for a model behind an address: only a GGUF file can be given to all.
    """
    if settings.model_url:
        raise SystemExit("The peers are given a GGUF file: unset TRAG_MODEL_URL.")
    settings.home.mkdir(parents=True, exist_ok=True)
    found = files.find(settings.model, "")
    setup = Setup(
        documents="",
        chart="",
        model=str(found.model),
        embedder=settings.embedder or str(embedded_folder()),
        folder=str(settings.home),
        context=min(settings.context, found.trained_context or settings.context),
        answer_tokens=settings.answer_tokens,
        penalty=1.0,
        threads=cores(),
    )
    return setup, ModelUsed(found.model.stem, found.sha256, "")


def given(setup: Setup, names: Sequence[str]) -> Table:
    """What each system is."""
    rows = tuple((name, *_GIVEN[name.partition(" ")[0]]) for name in names)
    return Table("Set-up", ("Name", "By its guide", "What that is"), rows, _ALIKE.format(setup=setup))
