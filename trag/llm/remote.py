"""A model behind an OpenAI-compatible address (vLLM, llama-server and others), spoken to with the openai client.

Knows how such servers stream and fail, and nothing about what is asked.
"""

from __future__ import annotations

import threading
from collections.abc import Generator, Sequence
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from prompts import Message
from trag.errors import TragError
from trag.llm import REPETITION_PENALTY, ModelDied, ModelIdentity, Usage
from trag.llm.marks import set_apart

if TYPE_CHECKING:
    from openai import APIError, Stream
    from openai.types.chat import ChatCompletionChunk

_CONNECT_SECONDS = 5.0
_POLL_SECONDS = 0.05
_CHARACTERS_IN_A_TOKEN = 3
_TOKENS_IN_A_TURN = 8
# The penalty under the names of vLLM and of llama-server, and the request for token counts: no part of the OpenAI API.
_EXTRAS: dict[str, Any] = {
    "extra_body": {"repetition_penalty": REPETITION_PENALTY, "repeat_penalty": REPETITION_PENALTY},
    "stream_options": {"include_usage": True},
}


class RequestRefused(TragError):
    """The server does not take this request, such as one that is too long for its model; another one may do better."""


class RemoteModel:
    """One model of one server. The server's own line is behind `slots`; several answers are written at once."""

    slots = 8

    def __init__(self, url: str, *, name: str, key: str = "", context: int = 4096, patience: float = 60.0) -> None:
        """Connects to nothing yet. `patience` is how many seconds the server may say nothing.

        Raises TragError when `url` is no web address or `name` is missing.
        """
        if not url.startswith(("http://", "https://")):
            raise TragError(f"TRAG_MODEL_URL is no web address: '{url}'.", "It looks like http://localhost:8000/v1")
        if not name:
            raise TragError(
                "TRAG_MODEL_URL is set and TRAG_MODEL_NAME is not.", f"{url.rstrip('/')}/models lists names."
            )
        from openai import OpenAI, Timeout

        self._url = url
        self._patience = patience
        self._extras = _EXTRAS
        self._context = context
        self._name = name
        # The client wants a key even where the server wants none.
        timeout = Timeout(patience, connect=_CONNECT_SECONDS)
        self._client = OpenAI(base_url=url, api_key=key or "none", max_retries=0, timeout=timeout)

    @property
    def identity(self) -> ModelIdentity:
        """The name alone: what file the server has loaded cannot be known from here."""
        return ModelIdentity(self._name)

    @property
    def context(self) -> int:
        """Tokens of prompt and answer together, as the settings say."""
        return self._context

    def count(self, messages: Sequence[Message]) -> int:
        """About as many tokens as the prompt has: see `count_text`, and 8 for the marks around each message."""
        return sum(self.count_text(message.content) + _TOKENS_IN_A_TURN for message in messages)

    def count_text(self, text: str) -> int:
        """A token for every 3 characters: more than English has (4), as the server's own tokens cannot be known."""
        return -(-len(text) // _CHARACTERS_IN_A_TOKEN)

    def stream(
        self, messages: Sequence[Message], *, max_tokens: int, stop: threading.Event | None = None
    ) -> Generator[str | Usage, None, None]:
        """See LanguageModel. Raises ModelDied when the server breaks off after it has begun to answer, RequestRefused
        when it finds fault with what it was asked."""
        stop = stop or threading.Event()
        arriving: SimpleQueue[ChatCompletionChunk | BaseException | None] = SimpleQueue()
        left = threading.Event()
        # Reading blocks until the server says something, and an asker who presses stop must not wait for that.
        reading = threading.Thread(target=self._read, args=(messages, max_tokens, arriving, left), daemon=True)
        reading.start()
        prompt = self.count(messages)
        usage, pieces = Usage(prompt, prompt), 0
        try:
            while not stop.is_set():
                try:
                    chunk = arriving.get(timeout=_POLL_SECONDS)
                except Empty:
                    continue
                if chunk is None:
                    break
                if isinstance(chunk, BaseException):
                    raise self._explained(chunk, begun=pieces > 0)
                if chunk.usage:
                    details = chunk.usage.prompt_tokens_details
                    held = (details.cached_tokens or 0) if details else 0
                    prompt = chunk.usage.prompt_tokens
                    usage = Usage(prompt, prompt - held, chunk.usage.completion_tokens)
                for choice in chunk.choices:
                    if choice.delta.content:
                        pieces += 1
                        yield choice.delta.content
        finally:
            left.set()
        # Servers that give no counts send about a token a piece.
        yield usage if usage.completion else Usage(usage.prompt, usage.evaluated, pieces)

    def close(self) -> None:
        """Give back the connections."""
        self._client.close()

    def _read(
        self,
        messages: Sequence[Message],
        max_tokens: int,
        arriving: SimpleQueue[ChatCompletionChunk | BaseException | None],
        left: threading.Event,
    ) -> None:
        """What the server sends, into `arriving`, and None at its end, until the asker has `left`."""
        try:
            with self._open(messages, max_tokens) as chunks:
                for chunk in chunks:
                    if left.is_set():
                        return
                    arriving.put(chunk)
            arriving.put(None)
        except BaseException as error:  # noqa: BLE001  (raised again in the asker's thread)
            arriving.put(error)

    def _open(self, messages: Sequence[Message], max_tokens: int) -> Stream[ChatCompletionChunk]:
        """Asks with the extras, and where the server refuses those, without them from then on. A server reads the marks
        of its template wherever they stand, so none that a document writes reaches it."""
        from openai import BadRequestError, UnprocessableEntityError

        wanted: dict[str, Any] = {
            "model": self._name,
            "messages": [{"role": message.role, "content": set_apart(message.content)} for message in messages],
            "max_tokens": max_tokens,
            "temperature": 0.0,
            "stream": True,
        }
        chunks: Stream[ChatCompletionChunk]
        try:
            chunks = self._client.chat.completions.create(**wanted, **self._extras)
        except (BadRequestError, UnprocessableEntityError):
            if not self._extras:
                raise
            chunks = self._client.chat.completions.create(**wanted)
            self._extras = {}
        return chunks

    def _explained(self, error: BaseException, *, begun: bool) -> BaseException:
        """The error as a person can use it; a bug stays as it is."""
        import openai

        if isinstance(error, ValueError):  # what came is no JSON
            return TragError(f"{self._url} does not answer like an OpenAI-compatible server.", "Check TRAG_MODEL_URL.")
        if not isinstance(error, openai.APIError):
            return error
        message, hint = self._said(error)
        refused = isinstance(error, (openai.BadRequestError, openai.UnprocessableEntityError))
        explained = (ModelDied if begun else RequestRefused if refused else TragError)(message, hint)
        explained.__cause__ = error
        return explained

    def _said(self, error: APIError) -> tuple[str, str]:
        import openai

        match error:
            case openai.APITimeoutError():
                return (
                    f"{self._url} said nothing for {self._patience:.0f} seconds.",
                    "Ask again; is the server overloaded?",
                )
            case openai.APIConnectionError():
                cause = f": {error.__cause__}" if error.__cause__ else ""
                return f"{self._url} cannot be reached{cause}.", "Is the server running, and TRAG_MODEL_URL right?"
            case openai.AuthenticationError() | openai.PermissionDeniedError():
                return f"{self._url} refuses the key.", "Set TRAG_MODEL_KEY to one that the server knows."
            case openai.NotFoundError():
                return f"{self._url} has no model '{self._name}'.", self._names()
            case openai.RateLimitError():
                return f"{self._url} takes no more questions for now.", "Ask again in a minute."
            case openai.APIStatusError():
                return f"{self._url} answered {error.status_code}: {error.message}", "The server's own log says more."
        return f"{self._url} broke off: {error.message}", "Ask again."

    def _names(self) -> str:
        """A hint with the names that the server knows."""
        from openai import OpenAIError

        try:
            names = [model.id for model in self._client.models.list()]
        except (OpenAIError, ValueError):
            names = []
        if not names:
            return "Is TRAG_MODEL_URL right? It mostly ends in /v1."
        return f"Set TRAG_MODEL_NAME to one of: {', '.join(names)}"
