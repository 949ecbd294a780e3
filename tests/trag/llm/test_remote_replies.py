"""The openai client against a real HTTP server that answers 200 with what a test wrote, whatever that is."""

import json
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from math import log
from pathlib import Path

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
    "counts for an end": RED + chunk(choices=[], usage={"prompt_tokens": 9, "completion_tokens": 3}) + DONE,
}


class Replying(BaseHTTPRequestHandler):
    """Answers with the reply that the name of the model names."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(REPLIES[asked["model"]].encode())

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


@pytest.mark.parametrize("name", ["no stream", "a page", "nothing", "only done", "a list", "listed words"])
def test_what_is_no_stream_of_an_answer_is_no_empty_answer(url: str, name: str) -> None:
    with pytest.raises(TragError, match="does not answer like an OpenAI-compatible server") as refused:
        stream(url, name)
    assert "/v1" in refused.value.hint
    assert not isinstance(refused.value, ModelDied)


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
        "counts for an end",
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
