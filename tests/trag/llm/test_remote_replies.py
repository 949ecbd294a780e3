"""The openai client against a real HTTP server that answers with what a test wrote, whatever that is."""

import json
import logging
import threading
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from math import log
from pathlib import Path
from time import sleep
from typing import ClassVar

import pytest

from prompts import Message
from store.passage import Passage
from trag.errors import TragError
from trag.llm.model import ModelDied, Usage
from trag.llm.remote import RemoteModel, RequestRefused
from trag.pairs.writing import pairs_of

MESSAGES = (Message("user", "Name three colours."),)


def chunk(**fields: object) -> str:
    return (
        f"data: {json.dumps({'id': '1', 'object': 'chat.completion.chunk', 'created': 0, 'model': 'm', **fields})}\n\n"
    )


def choice(delta: object, end: str | None) -> str:
    return chunk(choices=[{"index": 0, "delta": delta, "finish_reason": end}])


def told(**shares: float) -> str:
    """A first piece, with how likely a server says some beginnings are."""
    place = {
        "token": "Red",
        "logprob": 0.0,
        "top_logprobs": [{"token": t, "logprob": log(p)} for t, p in shares.items()],
    }
    delta = {"index": 0, "delta": {"content": "Red."}, "finish_reason": None}
    return chunk(choices=[{**delta, "logprobs": {"content": [place]}}])


SAID = "<script> SELECT hash FROM secrets, at /srv/secret with K3Y-of-ours and P4SSWORD"
RED = choice({"role": "assistant", "content": "Red."}, None)
THINKS = choice({"role": "assistant", "reasoning_content": "A colour, a colour"}, None)
STOP, LENGTH, DONE = choice({}, "stop"), choice({}, "length"), "data: [DONE]\n\n"
WHOLE = {"message": {"role": "assistant", "content": "Red."}, "finish_reason": "stop", "index": 0}
REPLIES: Mapping[str, str] = {
    "no stream": json.dumps({"id": "1", "object": "chat.completion", "choices": [WHOLE]}),
    "a page": "<!doctype html>\n<html><body>Welcome</body></html>\n",
    "nothing": "",
    "only done": DONE,
    "a list": RED + "data: [1]\n\n" + DONE,
    "listed words": choice({"content": [{"type": "text", "text": "Red."}]}, None) + STOP + DONE,
    "cut short": RED,
    "only thoughts": THINKS + LENGTH + DONE,
    "no words": choice({"role": "assistant", "content": ""}, None) + STOP + DONE,
    "plain": RED + STOP + DONE,
    "not done": RED + STOP,
    "no choices": RED + chunk() + chunk(choices=None) + STOP + DONE,
    "no delta": RED + chunk(choices=[{"index": 0, "finish_reason": None}]) + choice(None, "stop") + DONE,
    "empty reasons": choice({"content": "Red."}, "") + STOP + DONE,
    "half of the counts": RED + STOP + chunk(choices=[], usage={"total_tokens": 5}) + DONE,
    "counts of nothing": RED + STOP + chunk(choices=[], usage={"prompt_tokens": None, "completion_tokens": 1}) + DONE,
    "likely": told(NOT=0.25, Red=0.5, N=0.05) + STOP + DONE,
    "unlikely": told(Red=0.9, Blue=0.01) + STOP + DONE,
    "sure": told(NOT=1.0) + STOP + DONE,
    "told nothing": told() + STOP + DONE,
    "an error for an answer": f"data: {json.dumps({'error': {'message': SAID}})}\n\n",
    "deep": "data: " + "[" * 100_000 + "\n\n",
    "words of a wrong kind": choice({"content": 7}, None) + STOP + DONE,
    "odds beyond all": told(Red=1.0).replace('"logprob": 0.0}]', '"logprob": 1e9}]') + STOP + DONE,
    "mad counts": RED + STOP + chunk(choices=[], usage={"prompt_tokens": 10**40, "completion_tokens": -1}) + DONE,
    "half a pair": choice({"content": "Red.\ud800"}, None) + STOP + DONE,
    "counts for an end": RED + chunk(choices=[], usage={"prompt_tokens": 9, "completion_tokens": 3}) + DONE,
}


REFUSALS = {
    "key": 401, "missing": 404, "busy": 429, "broken": 500, "too long": 400, "at odds": 422, "elsewhere": 307,
    "refuses for ever": 400,
}  # fmt: skip
PARTS: Mapping[str, tuple[str, str]] = {
    "writes on": ("", RED),
    "only signs of life": ("", ": here\n\n"),
    "thinks for ever": ("", THINKS),
    "one piece": ('data: {"choices": [{"index": 0, "delta": {"content": "', "a" * 65_536),
    "a line without end": ("", "x" * 65_536),
    "empty lines": ("", "\n" * 65_536),
    "refuses for ever": ("{", "x" * 65_536),
}
"""What comes first, and what comes again and again until nobody listens."""
MOST_SENT = 64_000_000


class Replying(BaseHTTPRequestHandler):
    """Answers with the reply that the name of the model names."""

    asked: ClassVar[list[str]] = []
    ended: ClassVar[threading.Event] = threading.Event()

    def do_POST(self) -> None:
        name = json.loads(self.rfile.read(int(self.headers["content-length"])))["model"]
        self.asked.append(self.path)
        self.send_response(REFUSALS.get(name, 200))
        if name == "elsewhere":
            self.send_header("location", f"http://localhost:{self.server.server_address[1]}/taken")
        if name == "a bomb":
            self.send_header("content-encoding", "deflate")
        self.end_headers()
        if name == "a bomb":
            self.wfile.write(zlib.compress(bytes(MOST_SENT)))
        elif name in PARTS:
            self._send_on(*(part.encode() for part in PARTS[name]))
        else:
            self.wfile.write((json.dumps({"error": {"message": SAID}}) if name in REFUSALS else REPLIES[name]).encode())

    def _send_on(self, first: bytes, again: bytes) -> None:
        sent = 0
        with suppress(ConnectionError):
            self.wfile.write(first)
            while sent < MOST_SENT:
                sent += self.wfile.write(again)
                sleep(0.02 if len(again) < 10 else 0.0)
        if sent < MOST_SENT:
            self.ended.set()

    def log_message(self, *said: object) -> None:
        """Says nothing."""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Replying)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()
    thread.join()


def stream(url: str, name: str) -> list[str | Usage]:
    return list(RemoteModel(url, name=name, patience=5.0).stream(MESSAGES, max_tokens=16))


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("writes on", "goes on writing beyond the 1 tokens"),
        ("only signs of life", "had not ended its answer after 2 seconds|comes to no end"),
        ("thinks for ever", "sends more than 133,120 bytes"),
        ("one piece", "sends more than 133,120 bytes"),
        ("a line without end", "sends more than 133,120 bytes"),
        ("empty lines", "sends more than 133,120 bytes"),
        ("refuses for ever", "sends more than 133,120 bytes"),
        ("a bomb", "sends its answer compressed"),
    ],
)
def test_a_server_that_sends_without_end_is_cut_off_and_its_nonsense_named(url: str, name: str, found: str) -> None:
    Replying.ended.clear()
    patience = 1.0 if name == "only signs of life" else 60.0
    with pytest.raises(TragError, match=found):
        list(RemoteModel(url, name=name, patience=patience).stream(MESSAGES, max_tokens=1))
    assert name == "a bomb" or Replying.ended.wait(30), "it could go on sending"


def test_a_question_follows_no_redirect(url: str) -> None:
    Replying.asked.clear()
    with pytest.raises(TragError, match="to another address, where nothing is sent") as refused:
        stream(url, "elsewhere")
    assert "TRAG_MODEL_URL" in refused.value.hint
    assert set(Replying.asked) == {"/v1/chat/completions"}


@pytest.mark.parametrize(
    ("name", "message", "hint"),
    [
        ("key", "refuses the key", "TRAG_MODEL_KEY"),
        ("missing", "has no model 'missing'", "/models"),
        ("busy", "takes no more questions", "in a minute"),
        ("broken", "the error 500", "log"),
        ("too long", "the error 400", "log"),
        ("at odds", "the error 422", "log"),
        ("an error for an answer", "broke off", "log"),
        ("not there", "cannot be reached", "TRAG_MODEL_URL"),
    ],
)
def test_what_a_server_says_and_where_it_is_stands_in_the_log_alone(
    url: str, name: str, message: str, hint: str, caplog: pytest.LogCaptureFixture
) -> None:
    address = "http://127.0.0.1:9/v1" if name == "not there" else url
    server = RemoteModel(address.replace("//", "//anna:P4SSWORD@"), name=name, key="K3Y-of-ours")
    with caplog.at_level(logging.WARNING), pytest.raises(TragError, match=message) as refused:
        list(server.stream(MESSAGES, max_tokens=4))
    assert hint in refused.value.hint
    assert isinstance(refused.value, RequestRefused) == (name in ("too long", "at odds"))
    assert not isinstance(refused.value, ModelDied)
    said = f"{refused.value} {refused.value.hint}"
    assert not [each for each in ("127.0.0.1", "P4SSWORD", "K3Y", "script", "SELECT", "/srv") if each in said]
    assert address.split("/")[2] in caplog.text
    assert name == "not there" or "/srv/secret" in caplog.text
    assert not [each for each in ("P4SSWORD", "K3Y", "anna") if each in caplog.text]


@pytest.mark.parametrize(
    "name", ["no stream", "a page", "nothing", "only done", "a list", "listed words", "deep", "words of a wrong kind"]
)
def test_what_is_no_stream_of_an_answer_is_no_empty_answer(
    url: str, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(TragError, match="does not answer like an OpenAI-compatible server") as refused:
        stream(url, name)
    assert "/v1" in refused.value.hint
    assert not isinstance(refused.value, ModelDied)
    assert url.split("/")[2] in caplog.text


def test_a_stream_that_ends_without_saying_why_counts_as_a_death(url: str) -> None:
    answer = RemoteModel(url, name="cut short").stream(MESSAGES, max_tokens=16)
    assert next(answer) == "Red."
    with pytest.raises(ModelDied, match="before its answer was whole"):
        list(answer)


def test_a_model_that_only_thinks_has_no_answer_to_this_question_and_one_may_have_nothing_to_say(url: str) -> None:
    with pytest.raises(RequestRefused, match="spent all 16 tokens") as refused:
        stream(url, "only thoughts")
    assert "TRAG_ANSWER_TOKENS" in refused.value.hint
    assert [type(piece) for piece in stream(url, "no words")] == [Usage]


@pytest.mark.parametrize(
    "name",
    [
        "plain", "not done", "no choices", "no delta", "empty reasons", "half of the counts", "counts of nothing",
        "counts for an end", "mad counts",
    ],
)  # fmt: skip
def test_what_servers_leave_out_of_a_stream_is_not_missed(url: str, name: str) -> None:
    words, usage = stream(url, name)
    assert words == "Red."
    assert usage.completion == (3 if name == "counts for an end" else 1)


@pytest.mark.parametrize(
    ("name", "odds"),
    [("likely", 0.3 / 0.7), ("unlikely", 0.01 / 0.99), ("sure", 1e9), ("told nothing", None), ("plain", None)],
)
def test_how_likely_a_refusal_is_comes_from_the_tokens_that_a_server_tells(
    url: str, name: str, odds: float | None
) -> None:
    *_, usage = RemoteModel(url, name=name).stream(MESSAGES, max_tokens=16, refusal="NOT IN THE TEXT")
    assert usage.refusal_odds == (odds and pytest.approx(log(odds), abs=1e-3))


def test_odds_beyond_all_are_no_answer_and_half_a_sign_is_none(url: str) -> None:
    with pytest.raises(TragError, match="does not answer like"):
        list(RemoteModel(url, name="odds beyond all").stream(MESSAGES, max_tokens=16, refusal="NOT IN THE TEXT"))
    assert stream(url, "half a pair")[0] == "Red.\ufffd"


def test_pairs_are_not_kept_as_none_where_the_address_is_no_models(url: str, tmp_path: Path) -> None:
    passage = Passage("p", "section", "board.md", "4 Board", 7, "The board has seven directors.")
    with pytest.raises(TragError, match="OpenAI-compatible"):
        pairs_of(passage, RemoteModel(url, name="a page"), folder=tmp_path / "pairs")
    assert not list(tmp_path.rglob("*.json"))


def test_tokens_of_other_scripts_are_counted_on_the_safe_side() -> None:
    russian = (
        "Договоры на сумму более пятидесяти тысяч подписывают директор и главный бухгалтер "
        "после согласования с юридическим отделом."
    )
    chinese = "金额超过五万元的合同由主任和总会计师在法律部门批准后签署。"
    for text, tokens in ((russian, 49), (chinese, 28)):  # of Mistral 7B and Mistral NeMo
        assert tokens < RemoteModel("http://127.0.0.1:9/v1", name="m").count_text(text) < 2 * tokens


@pytest.mark.parametrize(
    "url", ["localhost:8000", "http://", "http://[::1", "http://host:80a/v1", "http://host:99999/v1", "http://host/\n"]
)
def test_an_address_that_cannot_be_one_is_refused_before_anything_is_asked(url: str) -> None:
    with pytest.raises(TragError, match="no web address"):
        RemoteModel(url, name="m")
    with pytest.raises(TragError, match="TRAG_MODEL_NAME is not"):
        RemoteModel("http://x/v1", name="")
