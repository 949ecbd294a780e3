"""Decoding by look-ahead beside the paper's definition written out: each candidate is looked ahead of to the end, token
by token, and the best is taken. The model is tiny and real; most of what it writes is in the form, not all."""

from collections.abc import Sequence
from itertools import takewhile

import numpy as np
import pytest

from org.procedures.flows import Book
from prompts import Message
from tests.tiny_model import write_babbler
from trag.flow.lookahead import decode
from trag.flow.prompting import CLOSE, LAST, OPENING, mark, messages, unit_of
from trag.flow.scoring import FLAP, Heuristic, Weights, score
from trag.llm.engine import Engine
from trag.llm.kv_cache import Context
from trag.llm.model import Candidate

THOUGHTS = ("I look for cars", "I order it", "Now a room")
NAMES = ("FindCar", "Order_", "Finish", "Boat", "the car")
QUERIES = ("a car please", "order it")
WIDTH, LENGTH, TOKENS = 5, 32, 56


def encode(texts: Sequence[str]) -> np.ndarray:
    """Texts that have words in common are alike."""
    rows = np.zeros((len(texts), 64))
    for row, text in zip(rows, texts, strict=True):
        for word in (text.casefold() or "-").split():
            row += np.random.default_rng([*word.encode()]).normal(size=64)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    units = [f"[thought] {thought}. [API] {name}()\n" for thought in THOUGHTS for name in NAMES]
    path = write_babbler(tmp_path_factory.mktemp("babbler") / "tiny.gguf", units)
    return Engine(str(path), "", 2048, 0)


class InProcess:
    """A search without the process that it is carried out in."""

    def __init__(self, engine: Engine, asked: tuple[Message, ...], between: tuple[Message, ...] = ()) -> None:
        self._engine, self._asked, self._between = engine, asked, between
        self._taken: tuple[str, ...] = ()
        self.computed = 0

    def look_ahead(self, k: int, length: int, ends: Sequence[str], ways: Sequence[int]) -> tuple[Candidate, ...]:
        if self._between:
            self._engine.held(self._between, (), lambda: False, lambda: None)
        held = self._engine.held(self._asked, self._taken, lambda: False, lambda: None)
        found = held.look_ahead(k, length, ends, ways)
        self.computed += held.usage.completion
        return found

    def take(self, text: str) -> None:
        self._taken += (text,)


def defined(engine: Engine, asked: tuple[Message, ...], heuristic: Heuristic) -> tuple[str, int]:
    """The plan, and how many tokens were computed."""
    # It reads in steps too: two tokens of a babbler are often about as likely, so that rounding would tell.
    alone, tokenizer, computed = Context(engine._model, None, 2048, sequences=2), engine.tokenizer, 0
    answering = tokenizer.answering(asked)
    text, unit, written = mark(), mark(), ""
    state = heuristic.start([unit.api for unit in OPENING])
    held = answering("")
    alone.read(held, lambda: False, lambda: None)
    logits = alone.logits().astype(float)
    for _ in range(TOKENS):
        tokens = answering(written)
        place = len(tokens)
        if tokens != held:
            same = min(
                sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(tokens, held, strict=False))), place - 1
            )
            alone.rewind(same)
            for at in range(same, place):
                logits = alone.step([(0, at, tokens[at])])[0].astype(float)
            held = tokens
        likely = np.exp(logits - logits.max()) / np.exp(logits - logits.max()).sum()
        best, chosen = -np.inf, ""
        for first in np.argsort(-likely, kind="stable")[:WIDTH].tolist():
            token, said = first, ""
            for number in range(LENGTH):
                if tokenizer.is_end(token):
                    break
                said += tokenizer.piece(token).decode()
                if CLOSE in said or number == LENGTH - 1:
                    break
                computed += 1
                token = int(alone.step([(0, place + number, token)])[0].argmax())
            alone.rewind(place)
            whole, end, _ = (unit + said).partition(CLOSE)
            (value,) = heuristic.values([unit_of(whole + end)], state)
            found = score(float(likely[first]), value, heuristic.weights)
            if found > best:
                best, chosen = found, "" if tokenizer.is_end(first) else tokenizer.piece(first).decode()
        if not chosen:
            break
        text, unit, written = text + chosen, unit + chosen, written + chosen
        if CLOSE in unit:
            whole, _, unit = unit.partition(CLOSE)
            done = unit_of(whole + CLOSE)
            state = heuristic.after(done, state) if done else state
            if done and done.api == LAST:
                break
    return text, computed


@pytest.mark.slow
@pytest.mark.parametrize(
    "weights", [FLAP["flap.1"], FLAP["flap.4"], Weights(heuristic=0.5)], ids=["flap.1", "flap.4", "more of the model"]
)
def test_the_plans_are_the_same_and_cost_less(engine: Engine, book: Book, weights: Weights) -> None:
    calls, before, now = 0, 0, 0
    for query in QUERIES:
        asked = messages(query, book.actions.values(), book.procedures.values())
        expected, computed = defined(engine, asked, Heuristic(book, query, encode, weights))
        found, search = planned(engine, asked, Heuristic(book, query, encode, weights))
        assert found == expected
        calls, before, now = calls + found.count(CLOSE), before + computed, now + search.computed
    assert calls >= 3, "what is compared are plans"
    assert now < before / 3


@pytest.mark.slow
def test_what_others_ask_meanwhile_changes_nothing(engine: Engine, book: Book) -> None:
    asked = messages(QUERIES[0], book.actions.values(), book.procedures.values())
    other = (Message("user", "another question " * 40),)
    plans = [
        planned(engine, asked, Heuristic(book, QUERIES[0], encode, Weights()), between, tokens=12)[0]
        for between in ((), other)
    ]
    assert plans[0] == plans[1]


def planned(
    engine: Engine,
    asked: tuple[Message, ...],
    heuristic: Heuristic,
    between: tuple[Message, ...] = (),
    tokens: int = TOKENS,
) -> tuple[str, InProcess]:
    search = InProcess(engine, asked, between)
    plan = decode(search, heuristic, width=WIDTH, length=LENGTH, max_tokens=tokens)  # type: ignore[arg-type]
    return plan.text, search
