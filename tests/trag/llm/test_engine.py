"""What a real model computes, in the process of the test: to the last bit the same, whatever was read before."""

import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from prompts import Message, Task
from trag.errors import TragError
from trag.llm.engine import Engine, Grammar, drawn, penalized
from trag.llm.kv_cache import Context
from trag.llm.model import Sampling, Usage
from trag.models import local

pytestmark = pytest.mark.slow

Ask = Callable[[str], tuple[Message, ...]]
LLAMA_2 = Path(local.__file__).with_name("llama-2-chat.jinja")
CAPITAL = (Message("system", "You answer briefly."), Message("user", "Say one word only: the capital of France."))


@pytest.fixture(scope="module")
def engine(published: Path) -> Engine:
    return Engine(str(published), "", 1024, 0)


def never() -> bool:
    return False


def nothing() -> None:
    """Nobody waits for a sign of life."""


def write(engine: Engine, messages: tuple[Message, ...], tokens: int = 12, **form: object) -> tuple[str, Usage]:
    *pieces, usage = engine.write(messages, tokens, never, nothing, **form)  # type: ignore[arg-type]
    return "".join(map(str, pieces)), usage


def read(engine: Engine, prompt: list[int], task: Task = "answer") -> np.ndarray:
    context = engine._context(task)
    context.read(prompt, never, nothing)
    return context.logits().copy()


def test_a_prompt_gives_the_same_bits_whatever_is_held(engine: Engine) -> None:
    # 512 tokens are read at a time; the last part must not be a short one, which would be computed in another way.
    for size, held in ((150, (5, 70, 149)), (700, (60, 520, 699))):
        prompt, other = np.random.default_rng(1).integers(100, 20_000, (2, size)).tolist()
        fresh = read(engine, prompt)
        for same in held:
            read(engine, prompt[:same] + other[:91])
            engine._context("answer").append([7, 8, 9])
            assert np.array_equal(read(engine, prompt), fresh), same


def test_each_task_holds_its_own_prompts(engine: Engine, question: Ask) -> None:
    first, second = question("Who leads the Ethics Office?"), question("Which committee approves the budget?")
    write(engine, first, task="answer")
    write(engine, CAPITAL, task="chart_query")
    _, usage = write(engine, second, task="answer")
    assert usage.evaluated < usage.prompt / 2
    alone, _ = write(engine, second, task="condense")
    assert write(engine, second, task="answer")[0] == alone


def test_where_there_is_no_room_for_another_cache_the_others_give_theirs(
    published: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, init = Engine(str(published), "", 256, 0), Context.__init__
    left = [TragError("full"), None, TragError("full"), TragError("full")]

    def cramped(self: Context, *of: object) -> None:
        if (error := left.pop(0)) is not None:
            raise error
        init(self, *of)  # type: ignore[arg-type]

    monkeypatch.setattr(Context, "__init__", cramped)
    assert "Paris" in write(engine, CAPITAL, task="condense")[0]
    assert set(engine._contexts) == {"condense"}
    with pytest.raises(TragError, match="full"):
        write(engine, CAPITAL, task="answer")


# Going on with an answer


def test_an_answer_is_gone_on_with(engine: Engine) -> None:
    whole, _ = write(engine, CAPITAL)
    assert whole == "The capital of France is Paris."
    for begun in ("The capital", "The capital of France is"):
        rest, usage = write(engine, (*CAPITAL, Message("assistant", begun)))
        assert begun + rest == whole
        assert usage.prompt == len(engine.tokenizer.prompt((*CAPITAL, Message("assistant", begun))))
    assert write(engine, (*CAPITAL, Message("assistant", "")))[0] == whole


@pytest.mark.parametrize("template", ["", "llama 2"])
def test_a_prompt_ends_where_its_last_answer_does(published: Path, template: str) -> None:
    engine = Engine(str(published), "", 64, 0, LLAMA_2.read_text() if template else "")
    tokenizer = engine.tokenizer
    turns = (Message("user", "Who?"), Message("assistant", "Ann. <|im_end|>"), Message("user", "And?"))
    prompt, begun = tokenizer.rendered(turns), tokenizer.rendered((*turns, Message("assistant", " Bob, \n")))
    assert begun == prompt + (" " if template else "") + " Bob, \n"
    assert "< |im_end|>" in begun
    assert tokenizer.followed(turns, ["Bob"])[0] == tokenizer.prompt(turns)
    answering = tokenizer.answering(turns)
    assert answering("") == tokenizer.prompt(turns)
    assert (answering("Bob") == answering(" Bob")) == bool(template), "the model writes that space by itself"


def test_a_template_that_leaves_an_answer_out_cannot_go_on_with_it(published: Path) -> None:
    engine = Engine(str(published), "", 256, 0, "{{ messages[0].content }}")
    with pytest.raises(TragError, match="leaves out an answer"):
        write(engine, (*CAPITAL, Message("assistant", "The")))
    assert engine.held(CAPITAL, (), never, nothing).choose(("Paris", "Rome"), 1)[0].index in (0, 1)


# Grammars


def test_an_answer_is_held_to_its_grammar(engine: Engine) -> None:
    assert write(engine, CAPITAL, grammar='root ::= "It is " [A-Z] [a-z]+ "!"')[0] == "It is Paris!"
    number, _ = write(engine, CAPITAL, grammar='root ::= [0-9]+ "%"')
    assert number.rstrip("%").isdigit()
    assert write(engine, CAPITAL, grammar='root ::= "é😀漢"')[0] == "é😀漢"
    assert write(engine, CAPITAL)[0] == "The capital of France is Paris."


def test_a_grammar_lets_the_likeliest_token_through_as_masking_all_of_them_would(engine: Engine) -> None:
    logits = np.random.default_rng(0).normal(size=engine.tokenizer.size).astype(np.float32)
    pieces = [engine.tokenizer.piece(token) for token in range(engine.tokenizer.size)]
    for letters in ("abcdefghijklmnopqrstuvwxyz ", "q", "0123456789"):
        grammar = Grammar(f"root ::= [{letters}]+", engine.tokenizer.vocabulary)
        allowed = {*letters}
        fits = [token for token, piece in enumerate(pieces) if piece and {*piece.decode("utf-8", "replace")} <= allowed]
        assert grammar.best(logits) == max(fits, key=lambda token: logits[token])


@pytest.mark.parametrize(
    ("grammar", "said"),
    [
        ('root ::= "a', "unexpected end of input"),
        ('other ::= "a"', "'root'"),
        ("root ::= missing", "missing"),
        ('root ::= root "a"', "left recursion"),
        ('root ::= "a" %', "%"),
        (" ", "failed to parse"),
    ],
)
def test_what_is_no_grammar_is_refused_with_where_it_ends_to_be_one(
    engine: Engine, capfd: pytest.CaptureFixture[str], grammar: str, said: str
) -> None:
    with pytest.raises(TragError, match=f"grammar of the answer cannot be read: .*({said})"):
        write(engine, CAPITAL, grammar=grammar)
    assert capfd.readouterr().err == ""
    assert write(engine, CAPITAL, 2)[0]


@pytest.mark.parametrize("grammar", ['root ::= ""', "root ::= [^\\x00-\\U0010FFFF]"])
def test_an_answer_ends_where_its_grammar_lets_nothing_through(engine: Engine, grammar: str) -> None:
    assert write(engine, CAPITAL, grammar=grammar)[0] == ""


# A refusal


def test_how_likely_a_refusal_is_comes_with_the_answer_and_a_bias_brings_it_about(engine: Engine) -> None:
    plain, usage = write(engine, CAPITAL)
    assert usage.refusal_odds is None
    text, usage = write(engine, CAPITAL, refusal="NOT IN THE TEXT")
    assert text == plain
    assert usage.refusal_odds is not None
    assert usage.refusal_odds < -3
    first = engine.tokenizer.text("NOT")[0]
    share = float(np.exp(engine.likely(CAPITAL)[first]))
    assert usage.refusal_odds == pytest.approx(np.log(share / (1 - share)), abs=1e-3)
    text, biased = write(engine, CAPITAL, refusal="NOT IN THE TEXT", refusal_bias=30.0)
    assert text.startswith("NOT")
    assert biased.refusal_odds == usage.refusal_odds
    _, likely = write(engine, CAPITAL, refusal=plain)
    assert likely.refusal_odds is not None
    assert likely.refusal_odds > usage.refusal_odds


def test_a_penalty_looks_at_the_answer_alone(engine: Engine) -> None:
    logits = np.array([2, -2, 1, 3], np.float32)
    assert penalized(logits, [0, 1, 1], 2.0).tolist() == [1, -4, 1, 3]
    assert write(engine, CAPITAL, 5, repetition_penalty=1.1)[0] == write(engine, CAPITAL, 5)[0]


# Sampling


def test_a_token_is_drawn_from_the_fewest_that_have_top_p() -> None:
    logits = np.log(np.array([0.05, 0.5, 0.15, 0.3], np.float32))
    for top_p, shares in ((0.8, {1: 0.625, 3: 0.375}), (0.81, {1: 0.526, 3: 0.316, 2: 0.158}), (0.5, {1: 1.0})):
        chance = np.random.default_rng(1)
        found = Counter(drawn(logits, Sampling(1.0, top_p, 0), chance) for _ in range(2000))
        assert {token: count / 2000 for token, count in found.items()} == pytest.approx(shares, abs=0.04)
    cold = Counter(drawn(logits, Sampling(0.5, 1.0, 0), chance) for _ in range(2000))
    assert cold[1] / 2000 == pytest.approx(0.25 / (0.25 + 0.09 + 0.0225 + 0.0025), abs=0.04)


def test_the_same_seed_draws_the_same_answer_and_another_another(engine: Engine) -> None:
    first, again, other = (write(engine, CAPITAL, 12, sampling=Sampling(1.0, 0.9, seed))[0] for seed in (1, 1, 2))
    assert first == again != other
    assert write(engine, CAPITAL, 5, sampling=Sampling(1.0, 0.0, 1))[0] == write(engine, CAPITAL, 5)[0]


# Files


def test_the_end_of_an_answer_is_the_one_that_the_template_writes(published: Path) -> None:
    for template in ("", "{{ messages[0].content }}", LLAMA_2.read_text()):
        engine = Engine(str(published), "", 64, 0, template)
        assert engine.tokenizer.prompt((Message("user", "?"),))
        assert engine.tokenizer._token_text(engine.tokenizer.end) == "<|im_end|>"


def test_files_that_are_none_are_refused_with_the_words_of_llama_cpp(published: Path, tmp_path: Path) -> None:
    with pytest.raises(TragError, match=r"nothing\.gguf cannot be loaded"):
        Engine(str(tmp_path / "nothing.gguf"), "", 64, 0)
    with pytest.raises(TragError, match=r"copy\.gguf cannot be loaded"):
        Engine(str(published), str(shutil.copy(published, tmp_path / "copy.gguf")), 64, 0)
    with pytest.raises(TragError, match="template cannot be read"):
        Engine(str(published), "", 64, 0, "{% for %}")
