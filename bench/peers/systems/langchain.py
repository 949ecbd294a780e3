"""LangChain by its tutorial "Build a RAG agent with LangChain", in the two-step form that it gives for one call of the
model a question (chunks of 1,000 characters that share 200, the 4 nearest in the system prompt), with ChatLlamaCpp.

The agent of the same tutorial that calls its search as a tool is not used: ChatLlamaCpp calls a tool only when told
which, and the embedded model was not trained for it.
"""

# mypy: disable-error-code="import-not-found, untyped-decorator, no-any-return"
# (its packages are in the environment of the peers alone)
from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import ModelRequest, dynamic_prompt
from langchain_community.chat_models import ChatLlamaCpp
from langchain_community.document_loaders import CSVLoader, DirectoryLoader, TextLoader
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_huggingface import HuggingFaceEmbeddings
from langchain_text_splitters import RecursiveCharacterTextSplitter

from bench.peers.serving import Passage, Reply, Setup, serve

# The tutorial's own words: another prompt would be another system.
PROMPT = "You are a helpful assistant. Use the following context in your response:"


class LangChain:
    """The agent, with what it found for the last question."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self._found: list[Document] = []
        self._store = InMemoryVectorStore(HuggingFaceEmbeddings(model_name=setup.embedder))
        model = ChatLlamaCpp(
            model_path=setup.model,
            n_ctx=setup.context,
            n_batch=512,
            n_threads=setup.threads,
            n_gpu_layers=-1,
            max_tokens=setup.answer_tokens,
            temperature=0.0,
            repeat_penalty=setup.penalty,
            # Its defaults would put these in place of what the GGUF file says, and most models then write nonsense.
            rope_freq_base=0.0,
            rope_freq_scale=0.0,
            model_kwargs={"n_threads_batch": setup.threads, "flash_attn": True},
            verbose=False,
        )

        @dynamic_prompt
        def with_context(request: ModelRequest) -> str:
            self._found = self._store.similarity_search(request.state["messages"][-1].text)
            return "\n\n".join([PROMPT, *(document.page_content for document in self._found)])

        self._agent: Any = create_agent(model, tools=[], middleware=[with_context])

    def index(self) -> int:
        """Load the files, the chart a row at a time, split, add."""
        texts = DirectoryLoader(self._setup.documents, glob=["*.md", "*.txt"], loader_cls=TextLoader).load()
        documents = texts + CSVLoader(self._setup.chart).load()
        splitter = RecursiveCharacterTextSplitter(chunk_size=1000, chunk_overlap=200, add_start_index=True)
        return len(self._store.add_documents(documents=splitter.split_documents(documents)))

    def ask(self, question: str, heard: Callable[[str], object]) -> Reply:
        """Through the agent, its messages streamed."""
        pieces = []
        messages = {"messages": [{"role": "user", "content": question}]}
        for piece, _ in self._agent.stream(messages, stream_mode="messages"):
            heard(piece.text)
            pieces.append(piece.text)
        passages = (Passage(Path(one.metadata["source"]).name, one.page_content) for one in self._found)
        return Reply("".join(pieces), tuple(passages))


if __name__ == "__main__":
    serve(LangChain)
