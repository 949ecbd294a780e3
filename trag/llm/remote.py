"""A model behind an OpenAI-compatible address (vLLM, llama-server and others), spoken to with the openai client."""

from __future__ import annotations

import logging
import threading
from collections.abc import Generator, Sequence
from dataclasses import asdict
from math import exp, inf, log, log1p
from queue import Empty, SimpleQueue
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from prompts import Message, Task
from store import storable
from trag.errors import TragError
from trag.llm.model import ModelAway, ModelDied, ModelIdentity, Sampling, Usage, set_apart

if TYPE_CHECKING:
    from openai import APIError, Stream
    from openai.types.chat import ChatCompletionChunk

logger = logging.getLogger(__name__)

_CONNECT_SECONDS = 5.0
_LOOK_SECONDS = 5.0
_POLL_SECONDS = 0.05
_BYTES_IN_A_TOKEN = 3
_TOKENS_IN_A_TURN = 8
_SECONDS_IN_A_TOKEN = 1.0
"""Nobody waits for a server that is slower than this."""
_CHARACTERS_IN_A_TOKEN = 24
"""More than the tokens of any language have on average, which is 2 to 6."""
_SPARE = 64
"""Tokens more than were asked for: a server ends a moment late, and its first and last pieces hold no words."""
_BYTES_IN_A_PIECE = 2_048
_BYTES_OF_ODDS = 8_192
"""What a server tells of one place, of _LIKELIEST tokens."""
_BYTES_OF_A_LIST = 1_000_000
"""What the list of a server's models may have."""
_LONGEST_SAID = 2_000
"""Characters that the log keeps of what a server says."""
_COUNTS: dict[str, Any] = {"stream_options": {"include_usage": True}}
_LIKELIEST = 20
"""How many tokens a server may be asked to tell of one place."""
_MOST_COUNTED = 10**9
_SURE = 1 - 1e-9
_AGAIN_HINT = "Ask again; an admin can look at the server."
_NAME_HINT = "Set it to one of the names that the server lists at the end /models of its address."
_URL_HINT = "Is TRAG_MODEL_URL right? It mostly ends in /v1."
_FOREIGN = "does not answer like an OpenAI-compatible server.", _URL_HINT
_AWAY = "cannot be reached.", "Is the server running, and TRAG_MODEL_URL right?"
_BROKEN, _NO_LIST = 500, (404, 405, 501)
"""From where on a status is the server's own fault, and what servers say of what they do not have."""


class RequestRefused(TragError):
    """The model has no answer to this request, such as one that is too long for it; another one may do better."""


class RemoteModel:
    """One model of one server. The server's own line is behind `slots`; several answers are written at once."""

    slots = 8

    def __init__(self, url: str, *, name: str, key: str = "", context: int = 4096, patience: float = 60.0) -> None:
        """Connects to nothing yet. `patience` is how many seconds the server may say nothing.

        Raises TragError when `url` is no web address or `name` is missing.
        """
        try:
            parts = urlsplit(url)
            is_address = bool(parts.hostname) and parts.port != 0 and url.startswith(("http://", "https://"))
        except ValueError:
            is_address = False
        if not is_address or not url.isprintable():
            raise TragError("TRAG_MODEL_URL is no web address.", "It looks like http://localhost:8000/v1")
        if not name:
            raise TragError("TRAG_MODEL_URL is set and TRAG_MODEL_NAME is not.", _NAME_HINT)
        from openai import OpenAI, Timeout

        from trag.llm.wire import bounded_client

        self.address = f"{parts.netloc.rpartition('@')[2]}{parts.path}"
        """What the log calls the server: without what opens it."""
        self._secrets = [each for each in (key, parts.username, parts.password) if each]
        self._patience = patience
        self._health = f"{parts.scheme}://{self.address.partition('/')[0]}/health"
        self._plain = self._listed = False
        self._context = context
        self._name = name
        # The client wants a key even where the server wants none.
        timeout, self._http = Timeout(patience, connect=_CONNECT_SECONDS), bounded_client()
        self._client = OpenAI(
            base_url=url, api_key=key or "none", max_retries=0, timeout=timeout, http_client=self._http
        )

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
        """A token for every 3 bytes of UTF-8, as the server's own tokens cannot be known. A model that knows the
        language has fewer, such as one for 5 bytes of English, for 7 of Russian and for a little over 3 of Chinese."""
        return -(-len(text.encode("utf-8", "replace")) // _BYTES_IN_A_TOKEN)

    def stream(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        stop: threading.Event | None = None,
        task: Task = "other",
        grammar: str = "",
        refusal: str = "",
        refusal_bias: float = 0.0,
        repetition_penalty: float = 1.0,
        sampling: Sampling | None = None,
    ) -> Generator[str | Usage, None, None]:
        """See LanguageModel; `task` and `refusal_bias` mean nothing to a server.

        Raises ModelDied when the server breaks off after it has begun to answer, or goes on beyond the tokens, bytes or
        seconds of an answer; RequestRefused when it finds fault with what it was asked, or has spent all its tokens
        before the first word, ModelAway for all else. What the server itself says is in the log alone.
        """
        wishes = _wishes(messages, grammar, refusal, repetition_penalty)
        drawn: dict[str, Any] = asdict(sampling) if sampling and not grammar else {"temperature": 0.0}
        form = drawn | {"max_tokens": max_tokens}
        stop = stop or threading.Event()
        arriving: SimpleQueue[ChatCompletionChunk | BaseException | None] = SimpleQueue()
        left = threading.Event()
        seconds, most = self._patience + max_tokens * _SECONDS_IN_A_TOKEN, max_tokens + _SPARE
        until = monotonic() + seconds
        size = most * (_BYTES_IN_A_PIECE + (_BYTES_OF_ODDS if refusal else 0))
        # Reading blocks until the server says something, and an asker who presses stop must not wait for that.
        reading = threading.Thread(
            target=self._read, args=(messages, form, wishes, arriving, left, size, until), daemon=True
        )
        reading.start()
        prompt = self.count(messages)
        usage, odds, pieces, characters, end = Usage(prompt, prompt), None, 0, 0, ""
        try:
            while not stop.is_set():
                if monotonic() > until:
                    found = f"had not ended its answer after {seconds:.0f} seconds."
                    raise self._failed(ModelDied if pieces else ModelAway, found, _AGAIN_HINT)
                try:
                    chunk = arriving.get(timeout=_POLL_SECONDS)
                except Empty:
                    continue
                if chunk is None:
                    self._check_end(end, pieces, max_tokens)
                    break
                if isinstance(chunk, BaseException):
                    raise self._explained(chunk, begun=pieces > 0)
                try:
                    words = "".join((one.delta and one.delta.content) or "" for one in chunk.choices or ())
                    ended = _end(chunk)
                    usage = _usage(chunk) or usage
                    odds = _refusal_odds(chunk, refusal) if refusal and odds is None else odds
                except (AttributeError, TypeError, ValueError, ArithmeticError) as error:
                    raise self._foreign() from error
                end, characters = ended or end, characters + len(words)
                if characters > most * _CHARACTERS_IN_A_TOKEN:
                    found = f"goes on writing beyond the {max_tokens:,} tokens asked for."
                    raise self._failed(ModelDied, found, _AGAIN_HINT)
                if words:
                    pieces += 1
                    yield storable(words)
        finally:
            left.set()
        # Servers that give no counts send about a token a piece.
        yield Usage(usage.prompt, usage.evaluated, usage.completion or pieces, odds)

    def look(self, *, alone: bool = False) -> None:
        """Raises ModelAway where the server gives no sign of life within seconds, refuses the key, does not answer like
        one, or lists other models; nothing of it is in the log. The one model of a server that is `alone` is taken
        whatever it calls it: there is no other that it could be mixed up with. It is asked for its models the first
        time, and after something was wrong: llama_cpp.server breaks off what it is writing when it is."""
        import httpx2
        import openai

        from trag.llm.wire import ALLOWANCE, Allowance, BeyondAllowanceError

        ALLOWANCE.set(Allowance(_BYTES_OF_A_LIST, monotonic() + 2 * _LOOK_SECONDS, threading.Event()))
        listed, self._listed, found, hint = self._listed, False, "", ""
        try:
            status = self._http.get(self._health, timeout=_LOOK_SECONDS).status_code
            if status >= _BROKEN and status not in _NO_LIST:
                found, hint = f"answered with the error {status}.", "Is it still loading the model? Its log may say."
            elif not listed:
                names = {one.id for one in self._client.models.list(timeout=_LOOK_SECONDS).data}
                is_there = self._name in names or (alone and len(names) == 1)
                found, hint = ("", "") if is_there else self._missing
        except openai.APITimeoutError:  # it is alive, and busy
            return
        except openai.APIStatusError as error:
            found, hint = ("", "") if error.status_code in _NO_LIST else self._told(error)
        except openai.APIError as error:
            found, hint = self._told(error)
        except httpx2.TimeoutException:
            found, hint = f"said nothing for {_LOOK_SECONDS:.0f} seconds.", "Does it hang, or is it overloaded?"
        except httpx2.HTTPError:
            found, hint = _AWAY
        except BeyondAllowanceError as error:
            found, hint = str(error), _URL_HINT
        except (AttributeError, TypeError, ValueError, RuntimeError):  # also of a client that is closed meanwhile
            found, hint = _FOREIGN
        if found:
            raise ModelAway(f"The model's server {found}", hint)
        self._listed = True

    def close(self) -> None:
        """Give back the connections."""
        self._client.close()

    def _read(
        self,
        messages: Sequence[Message],
        form: dict[str, Any],
        wishes: dict[str, Any],
        arriving: SimpleQueue[ChatCompletionChunk | BaseException | None],
        left: threading.Event,
        size: int,
        until: float,
    ) -> None:
        """What the server sends, into `arriving`, and None at its end, until the asker has `left`: `size` bytes at
        most, and nothing after `until` (monotonic)."""
        from trag.llm.wire import ALLOWANCE, Allowance

        ALLOWANCE.set(Allowance(size, until, left))  # a thread has a context of its own
        try:
            with self._open(messages, form, wishes) as chunks:
                for chunk in chunks:
                    if left.is_set():
                        return
                    arriving.put(chunk)
            arriving.put(None)
        except BaseException as error:  # noqa: BLE001  (raised again in the asker's thread)
            arriving.put(error)

    def _open(
        self, messages: Sequence[Message], form: dict[str, Any], wishes: dict[str, Any]
    ) -> Stream[ChatCompletionChunk]:
        """Asks with all that is wished for, and where the server refuses that, for the counts alone, then plainly, and
        plainly from then on where only that is taken. A server reads the marks of its template wherever they stand, so
        none that a document writes reaches it."""
        from openai import BadRequestError, UnprocessableEntityError

        wanted: dict[str, Any] = {
            "model": self._name,
            "messages": [{"role": message.role, "content": set_apart(message.content)} for message in messages],
            "stream": True,
            **form,
        }
        chunks: Stream[ChatCompletionChunk]
        for extras in [] if self._plain else [_COUNTS | wishes, _COUNTS] if wishes else [_COUNTS]:
            try:
                chunks = self._client.chat.completions.create(**wanted, **extras)
            except (BadRequestError, UnprocessableEntityError):
                continue
            return chunks
        chunks = self._client.chat.completions.create(**wanted)
        self._plain = True
        return chunks

    def _check_end(self, end: str, pieces: int, max_tokens: int) -> None:
        """Raises what is wrong with a stream that is over. That the model has nothing to say is an answer too."""
        if not end and pieces:
            raise self._failed(ModelDied, "broke off before its answer was whole.", "Ask again.")
        if not end:
            raise self._foreign()
        if end == "length" and not pieces:
            raise self._failed(
                RequestRefused,
                f"spent all {max_tokens:,} tokens of its answer before the first word.",
                "If the model thinks first, switch that off at its server, or allow it more (TRAG_ANSWER_TOKENS).",
            )

    def _foreign(self) -> TragError:
        return self._failed(ModelAway, *_FOREIGN)

    @property
    def _missing(self) -> tuple[str, str]:
        return f"has no model '{self._name}'.", f"TRAG_MODEL_NAME: {_NAME_HINT}"

    def _failed(self, kind: type[TragError], found: str, hint: str, said: str = "") -> TragError:
        """What people are told that the server does. The log has also which one it is, and what it said."""
        more = f" It said: {said[:_LONGEST_SAID]}" if said else ""
        logger.warning("the model's server %s %s%s", self.address, found, more)
        return kind(f"The model's server {found}", hint)

    def _explained(self, error: BaseException, *, begun: bool) -> BaseException:
        """The error as a person can use it, in our words; a bug stays as it is."""
        import openai

        from trag.llm.wire import BeyondAllowanceError

        if isinstance(error, (ValueError, RecursionError)):  # what came is no JSON
            return self._foreign()
        if isinstance(error, BeyondAllowanceError):
            return self._failed(ModelDied if begun else ModelAway, str(error), _AGAIN_HINT)
        if not isinstance(error, openai.APIError):
            return error
        found, hint = self._told(error)
        said = f"{error.message} {error.__cause__ or ''}"
        for secret in self._secrets:
            said = said.replace(secret, "...")
        refused = isinstance(error, (openai.BadRequestError, openai.UnprocessableEntityError))
        kind = ModelDied if begun else RequestRefused if refused else ModelAway
        explained = self._failed(kind, found, hint, said)
        explained.__cause__ = error
        return explained

    def _told(self, error: APIError) -> tuple[str, str]:
        """What a server does, in our words, and what to do next."""
        import openai

        match error:
            case openai.APITimeoutError():
                return f"said nothing for {self._patience:.0f} seconds.", "Ask again; is the server overloaded?"
            case openai.APIConnectionError():
                return _AWAY
            case openai.AuthenticationError() | openai.PermissionDeniedError():
                return "refuses the key.", "Set TRAG_MODEL_KEY to one that the server knows."
            case openai.NotFoundError():
                return self._missing
            case openai.RateLimitError():
                return "takes no more questions for now.", "Ask again in a minute."
            case openai.APIStatusError(status_code=status) if status < 400:
                return "sends its askers to another address, where nothing is sent.", _URL_HINT
            case openai.APIStatusError():
                return f"answered with the error {error.status_code}.", "The log has what it said."
            case _:
                return "broke off.", "Ask again; the log has what it said."


def _wishes(messages: Sequence[Message], grammar: str, refusal: str, penalty: float) -> dict[str, Any]:
    """What is asked for beside the answer: mostly no part of the OpenAI API, and under the names of vLLM, which has
    changed some, and of llama-server."""
    body: dict[str, Any] = {}
    if grammar:
        body |= {"structured_outputs": {"grammar": grammar}, "guided_grammar": grammar, "grammar": grammar}
    if penalty > 1.0:
        body |= {"repetition_penalty": penalty, "repeat_penalty": penalty}
    if messages and messages[-1].role == "assistant":
        body |= {"continue_final_message": True, "add_generation_prompt": False}
    wishes: dict[str, Any] = {"extra_body": body} if body else {}
    return wishes | {"logprobs": True, "top_logprobs": _LIKELIEST} if refusal else wishes


# Servers leave out parts of a chunk, which are None then whatever their type says.


def _end(chunk: ChatCompletionChunk) -> str:
    """Why the answer ends with a chunk ("stop", "length"), "" where it goes on. Servers that do not say why may send
    their counts, which come last, alone."""
    reasons = [choice.finish_reason for choice in chunk.choices or () if choice.finish_reason]
    return reasons[0] if reasons else "stop" if chunk.usage and not chunk.choices else ""


def _usage(chunk: ChatCompletionChunk) -> Usage | None:
    """The token counts that a chunk brings, if it does."""
    counts = chunk.usage
    if not counts or not counts.prompt_tokens:
        return None
    held = (counts.prompt_tokens_details and counts.prompt_tokens_details.cached_tokens) or 0
    found = (counts.prompt_tokens, counts.prompt_tokens - held, counts.completion_tokens or 0)
    return Usage(*found) if all(type(each) is int and 0 <= each < _MOST_COUNTED for each in found) else None


def _refusal_odds(chunk: ChatCompletionChunk, refusal: str) -> float | None:
    """The natural logarithm of the odds that the answer begins as the refusal does, by the tokens that a server tells
    of its first place: of a beginning that is not among them, what the least likely of them has. None where it tells
    none."""
    for choice in chunk.choices or ():
        for place in (choice.logprobs and choice.logprobs.content) or ():
            told = {one.token.strip(): exp(one.logprob) for one in place.top_logprobs or ()}
            if told:
                share = sum(told[token] for token in told if token and refusal.startswith(token)) or min(told.values())
                return log(share) - log1p(-min(share, _SURE)) if 0.0 < share < inf else None
    return None
