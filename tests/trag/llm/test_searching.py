"""A search in the model's process: what reaches it, who else asks, and what ends it."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from math import exp
from pathlib import Path
from time import monotonic

import pytest

from prompts import Message
from trag.errors import TragError
from trag.llm.local import LocalModel
from trag.llm.model import ModelDied, Search, Searching, Usage
from trag.llm.remote import RemoteModel
from trag.progress import Cancelled

pytestmark = pytest.mark.slow

Ask = Callable[[str], tuple[Message, ...]]
CAPITAL = (Message("system", "You answer briefly."), Message("user", "Say one word only: the capital of France."))
OPTIONS = (" Rome", " Paris", " 😀 «\x00»\n")


@pytest.fixture
def own(model_home: Path) -> Iterator[LocalModel]:
    """A model that a test may harm."""
    with closing(LocalModel(model_home)) as opened:
        yield opened


def steps(search: Search) -> tuple[object, ...]:
    return search.look_ahead(3, 4, (".",)), search.weigh(OPTIONS), search.choose(OPTIONS, 2)


def test_a_search_goes_on_with_what_it_takes_and_others_are_answered_in_between(model: LocalModel) -> None:
    assert isinstance(model, Searching)
    asked = list(model.stream(CAPITAL, max_tokens=6))
    with model.search(CAPITAL) as search:
        (candidate,) = search.look_ahead(1, 12, ("is",))
        assert (candidate.token, candidate.text, candidate.ended) == ("The", "The capital of France is", True)
        assert 0.1 < candidate.probability < 1
        search.take(candidate.text)
        search.take("")
        found = steps(search)
        assert list(model.stream(CAPITAL, max_tokens=6))[:-1] == asked[:-1]
        assert steps(search) == found
        (chosen,), weights = search.choose(OPTIONS), search.weigh(OPTIONS)
        assert chosen.index == weights.index(max(weights)) == 1
        assert exp(chosen.log_probability) > exp(weights[1]), "among these it is likelier than among all"
        prompt = model.count(CAPITAL)
        assert (search.usage.prompt, search.usage.evaluated) == (prompt, prompt), "read once"
        assert search.usage.completion > 0
        with model.search(CAPITAL[1:]) as other:
            steps(other)
        assert steps(search) == found, "another search between costs reading, and changes nothing"
        assert search.usage.evaluated == 2 * prompt
        assert search.weigh(()) == ()
        for ask in (
            lambda: search.look_ahead(0, 4, ()),
            lambda: search.look_ahead(33, 4, ()),
            lambda: search.look_ahead(1, 0, ()),
            lambda: search.choose(()),
            lambda: search.choose(OPTIONS, 33),
        ):
            with pytest.raises(ValueError, match=r"k is|width is"):
                ask()


def test_models_without_a_cache_of_their_own_cannot_be_searched(
    changed: Callable[[bytes, bytes], Path], tmp_path: Path
) -> None:
    path = changed(b"llama.rope.dimension_count", b"llama.ssm.dimension__count")
    with closing(LocalModel(tmp_path, model=str(path))) as recurrent:
        assert not isinstance(recurrent, Searching)
    with closing(RemoteModel("http://127.0.0.1:9/v1", name="any")) as remote:
        assert not isinstance(remote, Searching)


def test_a_process_that_is_killed_costs_its_step_alone(own: LocalModel) -> None:
    with own.search(CAPITAL) as search:
        search.take("The capital of")
        found = steps(search)
        for ask in (
            lambda: search.look_ahead(32, 100, ("nowhere",)),
            lambda: search.weigh(("word " * 3_000,)),
        ):
            threading.Timer(0.3, os.kill, (own.pid, signal.SIGKILL)).start()
            with pytest.raises(ModelDied, match="SIGKILL"):
                ask()
            assert steps(search) == found
        os.kill(own.pid, signal.SIGKILL)
        assert steps(search) == found, "it died while nothing was asked"


def test_a_stop_ends_a_step_within_a_second_and_another_search_works(own: LocalModel, question: Ask) -> None:
    own.warm()
    for messages, length in ((question("word " * 3_000), 1), (CAPITAL, 900)):
        stop, stopped = threading.Event(), list[float]()

        def end(stop: threading.Event = stop, stopped: list[float] = stopped) -> None:
            stopped.append(monotonic())
            stop.set()

        with own.search(messages, stop=stop) as search:
            threading.Timer(0.5, end).start()
            with pytest.raises(Cancelled):
                search.look_ahead(4, length, ("nowhere",))
            assert monotonic() - stopped[0] < 1.0
            assert search.usage == Usage()
            with pytest.raises(Cancelled):
                search.choose(OPTIONS)
    with own.search(CAPITAL) as search:
        assert len(search.look_ahead(3, 2, ())) == 3


def test_what_has_no_room_is_refused_and_the_process_lives(model_home: Path) -> None:
    with closing(LocalModel(model_home, context=512)) as own:
        own.warm()
        pid = own.pid
        with (
            own.search((Message("user", "word " * 1_000),)) as search,
            pytest.raises(TragError, match="and the model's context 512"),
        ):
            search.choose(OPTIONS)
        with own.search((Message("user", "word " * 300),)) as search:
            with pytest.raises(TragError, match=r"context of 512 tokens has no room for 4 more") as refused:
                search.look_ahead(32, 40, ("nowhere",))
            assert "TRAG_CONTEXT" in refused.value.hint
            assert len(search.look_ahead(2, 2, ())) == 2
        assert own.pid == pid
