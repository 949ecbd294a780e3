"""LlamaIndex by its starter tutorial for local models and its page on LlamaCPP: a VectorStoreIndex over what
SimpleDirectoryReader reads, asked through its streaming query engine, all with their defaults (chunks of 1,024 tokens,
the 2 nearest)."""

# mypy: disable-error-code="import-not-found, untyped-decorator, no-any-return"
# (its packages are in the environment of the peers alone)
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from llama_cpp.llama_chat_format import Jinja2ChatFormatter
from llama_index.core import Settings, SimpleDirectoryReader, VectorStoreIndex, set_global_tokenizer
from llama_index.core.llms import ChatMessage
from llama_index.embeddings.huggingface import HuggingFaceEmbedding
from llama_index.llms.llama_cpp import LlamaCPP

from bench.peers.serving import Passage, Reply, Setup, serve


class LlamaIndex:
    """The models of `Settings`, and an index."""

    def __init__(self, setup: Setup) -> None:
        self._documents = setup.documents
        Settings.embed_model = HuggingFaceEmbedding(model_name=setup.embedder)
        Settings.llm = self._llm = LlamaCPP(
            model_path=setup.model,
            temperature=0.0,
            max_new_tokens=setup.answer_tokens,
            context_window=setup.context,
            generate_kwargs={"repeat_penalty": setup.penalty},
            model_kwargs={
                "n_threads": setup.threads,
                "n_threads_batch": setup.threads,
                "n_gpu_layers": -1,
                "flash_attn": True,
            },
            messages_to_prompt=self._messages_to_prompt,
            completion_to_prompt=lambda text: self._messages_to_prompt([ChatMessage(role="user", content=text)]),
            verbose=False,
        )
        # The page takes template and tokenizer from the model's repository; the GGUF file carries both.
        llama = self._llm._model
        set_global_tokenizer(lambda text: llama.tokenize(text.encode(), add_bos=False))
        start, end = (
            llama.detokenize([token], special=True).decode() for token in (llama.token_bos(), llama.token_eos())
        )
        self._template = Jinja2ChatFormatter(llama.metadata["tokenizer.chat_template"], bos_token=start, eos_token=end)
        # Where llama.cpp adds the start itself, a second one would make the model answer worse.
        self._start = start if llama._model.add_bos_token() else ""

    def index(self) -> int:
        """Read the folder, chart and all."""
        index = VectorStoreIndex.from_documents(SimpleDirectoryReader(self._documents).load_data())
        self._engine = index.as_query_engine(streaming=True)
        return len(index.index_struct.nodes_dict)

    def ask(self, question: str, heard: Callable[[str], object]) -> Reply:
        """Through the query engine."""
        response: Any = self._engine.query(question)
        pieces = []
        for piece in response.response_gen:
            heard(piece)
            pieces.append(piece)
        passages = (Passage(one.metadata["file_name"], one.get_content()) for one in response.source_nodes)
        return Reply("".join(pieces), tuple(passages))

    def _messages_to_prompt(self, messages: Sequence[ChatMessage]) -> str:
        turns: Any = [{"role": message.role.value, "content": message.content} for message in messages]
        return str(self._template(messages=turns).prompt).removeprefix(self._start)


if __name__ == "__main__":
    serve(LlamaIndex)
