"""Several real HTTP servers with one model: which is asked, and what becomes of a question when one of them fails."""

import json
import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import monotonic, sleep

import pytest

import prompts
from prompts import Message
from tests.trag.llm.test_remote_replies import DONE, RED, REPLIES, SAID, STOP
from trag.errors import TragError
from trag.llm import servers
from trag.llm.model import ModelAway, ModelDied, Usage
from trag.llm.opening import open_model
from trag.llm.remote import RemoteModel, RequestRefused
from trag.llm.servers import ModelServers
from trag.settings import Settings

HTML = "<!doctype html>\n<html><body>Welcome to nginx</body></html>\n"
WHOLE = RED + STOP + DONE


class Quiet(ThreadingHTTPServer):
    """Nobody reads here of those who have hung up."""

    def handle_error(self, *_: object) -> None:
        pass


@dataclass
class Server:
    """A server of the model "m" that a test changes while it runs: what it lists, and what it writes, with what status.
    It keeps the questions it was asked, and how many it had at once at most."""

    listed: str = json.dumps({"object": "list", "data": [{"id": "m"}]})
    listing: int = 200
    reply: str = WHOLE
    status: int = 200
    free: threading.Event = field(default_factory=threading.Event)
    awake: threading.Event = field(default_factory=threading.Event)
    asked: list[str] = field(default_factory=list)
    looked: list[str] = field(default_factory=list)
    at_once: int = 0
    most: int = 0
    url: str = ""
    lock: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def running(self) -> Iterator["Server"]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.looked.append(self.path)
                server.awake.wait(10)
                self._send(server.listing, server.listed)

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                with server.lock:
                    server.asked.append(body["messages"][-1]["content"])
                    server.at_once += 1
                    server.most = max(server.most, server.at_once)
                server.free.wait(10)
                with server.lock:
                    server.at_once -= 1
                self._send(server.status, server.reply)

            def _send(self, status: int, text: str) -> None:
                self.send_response(status)
                self.send_header("content-type", "application/json" if text.startswith("{") else "text/event-stream")
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_: object) -> None:
                pass

        self.free.set()
        self.awake.set()
        with Quiet(("127.0.0.1", 0), Handler) as http:
            self.url = f"http://127.0.0.1:{http.server_port}/v1"
            threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
            yield self
            self.free.set()
            self.awake.set()
            http.shutdown()


@pytest.fixture
def three(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Server]]:
    monkeypatch.setattr(servers, "PACE", 0.05)
    with Server().running() as one, Server().running() as two, Server().running() as other:
        yield [one, two, other]


@pytest.fixture
def model(three: list[Server]) -> Iterator[ModelServers]:
    with opened(*(one.url for one in three)) as model:
        until(lambda: all(state.up for state in model.states()))
        yield model


@contextmanager
def opened(*urls: str, patience: float = 5.0) -> Iterator[ModelServers]:
    model = ModelServers([RemoteModel(url, name="m", patience=patience) for url in urls])
    yield model
    model.close()


def ask(model: ModelServers, question: str = "Q?") -> str:
    *words, usage = model.stream((Message("user", question),), max_tokens=16)
    assert isinstance(usage, Usage)
    return "".join(map(str, words))


def until(so: Callable[[], object]) -> None:
    for _ in range(1_000):
        if so():
            return
        sleep(0.02)
    raise AssertionError("it never came to be so")


def asked(three: list[Server]) -> list[int]:
    return [len(one.asked) for one in three]


def at_once(model: ModelServers, questions: list[str]) -> list[threading.Thread]:
    threads = [threading.Thread(target=ask, args=(model, each)) for each in questions]
    for each in threads:
        each.start()
    return threads


def test_questions_that_begin_alike_go_to_one_server_and_others_are_spread(
    three: list[Server], model: ModelServers
) -> None:
    for number in range(6):
        assert ask(model, f"[1] Gifts\n{number}") == "Red."
    assert sorted(asked(three)) == [0, 0, 6]
    for number in range(30):
        ask(model, f"[1] Section {number}")
    assert min(asked(three)) >= 4


def test_what_is_written_again_goes_where_it_was_written_first(three: list[Server], model: ModelServers) -> None:
    for number in range(6):
        messages = prompts.document(f"Is rope {number} free?", [f"Rope {number} is free."])
        before = asked(three)
        for each in (messages, prompts.correction(messages, "No.", "No document says so.")):
            list(model.stream(each, max_tokens=16, task="answer"))
        assert sorted(now - then for now, then in zip(asked(three), before, strict=True)) == [0, 0, 2]


def test_a_server_that_is_busier_is_spared_and_none_has_more_than_its_limit(
    three: list[Server], model: ModelServers
) -> None:
    for one in three:
        one.free.clear()
    threads = at_once(model, ["the same"] * 6)
    until(lambda: sum(one.at_once for one in three) == 6)
    assert max(one.at_once for one in three) - min(one.at_once for one in three) <= servers.BUSIER + 1
    assert sum(state.outstanding for state in model.states()) == 6
    assert model.slots == 24
    threads += at_once(model, ["the same"] * 24)
    until(lambda: sum(one.at_once for one in three) == 24)
    stop, began = threading.Event(), monotonic()
    threading.Timer(0.2, stop.set).start()
    assert list(model.stream((Message("user", "?"),), max_tokens=4, stop=stop)) == [Usage()], "it waited for room"
    assert monotonic() - began < 2
    for one in three:
        one.free.set()
    for each in threads:
        each.join(10)
    assert [one.most for one in three] == [8, 8, 8]
    assert sum(asked(three)) == 30
    assert [state.outstanding for state in model.states()] == [0, 0, 0]


@pytest.mark.parametrize(
    ("status", "reply"),
    [
        (200, HTML),
        (200, REPLIES["no stream"]),
        (200, ""),
        (200, REPLIES["deep"]),
        (500, json.dumps({"error": {"message": SAID}})),
        (429, "{}"),
        (404, "{}"),
    ],
    ids=["html", "no stream", "nothing", "nonsense", "error", "busy", "missing"],
)
def test_before_the_first_word_another_server_is_asked_and_the_one_that_failed_is_left_alone(
    three: list[Server], model: ModelServers, status: int, reply: str, caplog: pytest.LogCaptureFixture
) -> None:
    ask(model)
    (favourite,) = (one for one in three if one.asked)
    favourite.status, favourite.reply = status, reply
    with caplog.at_level(logging.WARNING):
        assert ask(model) == "Red."
    assert f"in place of {favourite.url.removeprefix('http://')}" in caplog.text
    assert ask(model) == "Red."
    assert len(favourite.asked) == 2, "it is left alone for a second"
    favourite.status, favourite.reply = 200, WHOLE
    sleep(1.1)
    assert ask(model) == "Red."
    assert len(favourite.asked) == 3


def test_after_the_first_word_no_other_server_is_asked(three: list[Server], model: ModelServers) -> None:
    for one in three:
        one.reply = RED
    answer = model.stream((Message("user", "Q?"),), max_tokens=16)
    assert next(answer) == "Red."
    with pytest.raises(ModelDied, match="broke off before its answer was whole"):
        next(answer)
    assert sum(asked(three)) == 1
    assert sum(state.up for state in model.states()) == 2


def test_what_a_server_finds_wrong_with_a_question_is_wrong_with_all(three: list[Server], model: ModelServers) -> None:
    for one in three:
        one.status, one.reply = 400, json.dumps({"error": {"message": "too long"}})
    with pytest.raises(RequestRefused, match="the error 400"):
        ask(model)
    assert sum(bool(one.asked) for one in three) == 1
    assert all(state.up for state in model.states())


def test_when_all_fail_the_last_one_says_why_and_a_lone_server_is_asked_each_time(
    three: list[Server], model: ModelServers
) -> None:
    for one in three:
        one.status, one.reply = 500, "{}"
    with pytest.raises(ModelAway, match="the error 500"):
        ask(model)
    assert asked(three) == [1, 1, 1]
    with opened(three[0].url) as alone:
        for _ in range(3):
            with pytest.raises(ModelAway, match="the error 500"):
                ask(alone)
    assert asked(three) == [4, 1, 1]


@pytest.mark.parametrize(
    ("listing", "listed", "said"),
    [
        (200, json.dumps({"data": [{"id": "another"}, {"id": "a third"}]}), "has no model 'm'"),
        (200, HTML, "does not answer like an OpenAI-compatible server"),
        (200, json.dumps({"data": [7]}), "does not answer like an OpenAI-compatible server"),
        (200, "{" * 2_000, "does not answer like an OpenAI-compatible server"),
        (200, "x" * 2_000_000, "sends more than 1,000,000 bytes"),
        (401, json.dumps({"error": {"message": SAID}}), "refuses the key"),
        (503, json.dumps({"error": {"message": "Loading model"}}), "answered with the error 503"),
    ],
    ids=["another model", "html", "a list of what", "nonsense", "without end", "key", "loading"],
)
def test_a_server_on_which_a_look_finds_something_wrong_is_not_asked(
    three: list[Server], listing: int, listed: str, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    bad, good, _ = three
    bad.listing, bad.listed = listing, listed
    with caplog.at_level(logging.WARNING), opened(bad.url, good.url) as model:
        for number in range(8):
            assert ask(model, f"Q{number}") == "Red."
        sleep(0.3)
    assert asked(three) == [0, 8, 0]
    assert len([one for one in caplog.messages if said in one and bad.url[7:] in one]) == 1, "said once"
    assert SAID not in caplog.text
    with opened(bad.url) as model, pytest.raises(ModelAway, match=said) as away:
        ask(model)
    assert away.value.hint
    assert not bad.asked


def test_the_one_model_of_a_lone_server_is_taken_whatever_it_calls_it(three: list[Server]) -> None:
    for one in three:
        one.listed = json.dumps({"data": [{"id": "/models/some.gguf"}]})
    with opened(three[0].url) as alone:
        assert ask(alone) == "Red."
    with opened(*(one.url for one in three)) as several, pytest.raises(ModelAway, match="has no model 'm'"):
        ask(several)


def test_a_server_is_asked_for_its_models_only_at_first_and_when_something_was_wrong(
    three: list[Server], model: ModelServers
) -> None:
    """One of llama_cpp.server's would break off what it is writing."""
    one = three[0]
    until(lambda: len(one.looked) > 4)
    assert Counter(one.looked)["/v1/models"] == 1
    assert one.looked[0] == "/health"
    one.listing = 503
    until(lambda: not model.states()[0].up)
    one.listing = 200
    until(lambda: model.states()[0].up)
    assert Counter(one.looked)["/v1/models"] == 2


@pytest.mark.parametrize("status", [404, 405, 501])
def test_a_server_that_lists_no_models_is_asked_all_the_same(three: list[Server], status: int) -> None:
    three[0].listing, three[0].listed = status, "{}"
    with opened(three[0].url) as model:
        assert ask(model) == "Red."


def test_a_server_that_hangs_or_is_gone_is_seen_and_asked_again_when_it_is_back(
    three: list[Server], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("trag.llm.remote._LOOK_SECONDS", 1.0)
    hangs = three[0]
    with caplog.at_level(logging.WARNING), opened(hangs.url, "http://127.0.0.1:9/v1", three[1].url) as model:
        assert ask(model) == "Red."
        until(lambda: [state.up for state in model.states()] == [True, False, True])
        hangs.awake.clear()
        until(lambda: not model.states()[0].up)
        for number in range(6):
            assert ask(model, f"Q{number}") == "Red."
        hangs.awake.set()
        until(lambda: model.states()[0].up)
    assert "said nothing for 1 seconds" in caplog.text
    assert "127.0.0.1:9/v1 is not asked: The model's server cannot be reached." in caplog.text
    assert "is asked again" in caplog.text


def test_two_hundred_questions_are_answered_while_servers_fail_and_come_back(
    three: list[Server], model: ModelServers
) -> None:
    answered = Counter[str]()

    def some(number: int) -> None:
        for each in range(10):
            try:
                answered[ask(model, f"Q{number} {each}")] += 1
            except TragError as error:
                answered[error.message] += 1

    threads = [threading.Thread(target=some, args=(number,)) for number in range(20)]
    for each in threads:
        each.start()
    while any(each.is_alive() for each in threads):
        for one in three[:2]:
            one.status, one.reply = 500, "{}"
            sleep(0.05)
            one.status, one.reply = 200, WHOLE
    assert answered == {"Red.": 200}
    assert [state.outstanding for state in model.states()] == [0, 0, 0]


def test_the_settings_name_several_servers_with_commas_between() -> None:
    one, two = "http://127.0.0.1:9/v1", "http://127.0.0.1:9/other/v1"
    model = open_model(Settings(model_url=f"{one}, {two},{one},", model_name="m"))
    assert isinstance(model, ModelServers)
    assert [state.name for state in model.states()] == ["127.0.0.1:9/v1", "127.0.0.1:9/other/v1"]
    assert model.slots == 16
    model.close()
    for wrong in (f"{one}, localhost:8000", " , "):
        with pytest.raises(TragError, match="no web address"):
            open_model(Settings(model_url=wrong, model_name="m"))
