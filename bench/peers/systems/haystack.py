"""Haystack by its tutorials "Preprocessing Different File Types" (chunks of 150 words that share 50) and "Creating Your
First QA Pipeline with Retrieval-Augmentation" (the 10 nearest, one user message), with its generator for llama.cpp."""

# mypy: disable-error-code="import-not-found, untyped-decorator, no-any-return"
# (its packages are in the environment of the peers alone)
from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from haystack import Pipeline
from haystack.components.builders import ChatPromptBuilder
from haystack.components.converters import CSVToDocument, MarkdownToDocument, TextFileToDocument
from haystack.components.joiners import DocumentJoiner
from haystack.components.preprocessors import DocumentCleaner, DocumentSplitter
from haystack.components.retrievers.in_memory import InMemoryEmbeddingRetriever
from haystack.components.routers import FileTypeRouter
from haystack.components.writers import DocumentWriter
from haystack.dataclasses import ChatMessage, StreamingChunk
from haystack.document_stores.in_memory import InMemoryDocumentStore
from haystack_integrations.components.embedders.sentence_transformers import (
    SentenceTransformersDocumentEmbedder,
    SentenceTransformersTextEmbedder,
)
from haystack_integrations.components.generators.llama_cpp import LlamaCppChatGenerator

from bench.peers.serving import Passage, Reply, Setup, serve

# The tutorial's own words: another prompt would be another system.
PROMPT = """
Given the following information, answer the question.

Context:
{% for document in documents %}
    {{ document.content }}
{% endfor %}

Question: {{question}}
Answer:
"""
CONVERTERS = {"text/plain": TextFileToDocument, "text/markdown": MarkdownToDocument, "text/csv": CSVToDocument}


class Haystack:
    """Its two pipelines, on one store."""

    def __init__(self, setup: Setup) -> None:
        self._documents = Path(setup.documents)
        self._store = InMemoryDocumentStore()
        self._indexing = _indexing(self._store, setup.embedder)
        self._answering = _answering(self._store, setup)
        for pipeline in (self._indexing, self._answering):
            pipeline.warm_up()

    def index(self) -> int:
        """Run the files through the first pipeline, chart and all."""
        self._indexing.run({"router": {"sources": sorted(self._documents.iterdir())}})
        return self._store.count_documents()

    def ask(self, question: str, heard: Callable[[str], object]) -> Reply:
        """Run the question through the second."""

        def stream(chunk: StreamingChunk) -> None:
            heard(chunk.content)

        found = self._answering.run(
            {
                "text_embedder": {"text": question},
                "prompt_builder": {"question": question},
                "llm": {"streaming_callback": stream},
            },
            include_outputs_from={"retriever"},
        )
        documents = found["retriever"]["documents"]
        passages = tuple(Passage(one.meta["file_path"], one.content) for one in documents)
        return Reply(found["llm"]["replies"][0].text or "", passages)


def _indexing(store: InMemoryDocumentStore, embedder: str) -> Pipeline:
    pipeline = Pipeline()
    pipeline.add_component("router", FileTypeRouter(mime_types=list(CONVERTERS)))
    pipeline.add_component("joiner", DocumentJoiner())
    for kind, converter in CONVERTERS.items():
        pipeline.add_component(kind.replace("/", "_"), converter())
        pipeline.connect(f"router.{kind}", f"{kind.replace('/', '_')}.sources")
        pipeline.connect(kind.replace("/", "_"), "joiner")
    pipeline.add_component("cleaner", DocumentCleaner())
    pipeline.add_component("splitter", DocumentSplitter(split_by="word", split_length=150, split_overlap=50))
    pipeline.add_component("embedder", SentenceTransformersDocumentEmbedder(model=embedder, progress_bar=False))
    pipeline.add_component("writer", DocumentWriter(store))
    for step, following in (("joiner", "cleaner"), ("cleaner", "splitter"), ("splitter", "embedder")):
        pipeline.connect(step, following)
    pipeline.connect("embedder", "writer")
    return pipeline


def _answering(store: InMemoryDocumentStore, setup: Setup) -> Pipeline:
    pipeline = Pipeline()
    embedder = SentenceTransformersTextEmbedder(model=setup.embedder, progress_bar=False)
    pipeline.add_component("text_embedder", embedder)
    pipeline.add_component("retriever", InMemoryEmbeddingRetriever(store))
    pipeline.add_component("prompt_builder", ChatPromptBuilder(template=[ChatMessage.from_user(PROMPT)]))
    generator = LlamaCppChatGenerator(
        model=setup.model,
        n_ctx=setup.context,
        n_batch=512,
        model_kwargs={
            "n_threads": setup.threads,
            "n_threads_batch": setup.threads,
            "n_gpu_layers": -1,
            "flash_attn": True,
            "verbose": False,
        },
        generation_kwargs={
            "max_tokens": setup.answer_tokens,
            "temperature": 0.0,
            "repeat_penalty": setup.penalty,
        },
    )
    pipeline.add_component("llm", generator)
    pipeline.connect("text_embedder.embedding", "retriever.query_embedding")
    pipeline.connect("retriever", "prompt_builder")
    pipeline.connect("prompt_builder.prompt", "llm.messages")
    return pipeline


if __name__ == "__main__":
    serve(Haystack)
