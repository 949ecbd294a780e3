"""What a search computes, in the process of the test, beside a context of one sequence that reads a token at a time."""

from collections.abc import Callable, Sequence
from itertools import takewhile
from pathlib import Path

import numpy as np
import pytest

from prompts import Message
from trag.errors import TragError
from trag.llm.engine import Engine
from trag.llm.held import SEQUENCES, Held
from trag.llm.kv_cache import Context
from trag.llm.model import Candidate
from trag.models.catalogue import CatalogueModel
from trag.progress import Cancelled

pytestmark = pytest.mark.slow

CAPITAL = (Message("system", "You answer briefly."), Message("user", "Say one word only: the capital of France."))
RIVERS = (Message("user", "Name ten rivers, and tell in one sentence what each of them is known for."),)
STORY = (Message("user", "Tell a long story about a river, a café in Zürich and a fox."),)


@pytest.fixture(scope="module")
def engine(published: Path) -> Engine:
    return Engine(str(published), "", 1024, 0)


def never() -> bool:
    return False


def nothing() -> None:
    """Nobody waits for a sign of life."""


def held(engine: Engine, messages: tuple[Message, ...], *taken: str) -> Held:
    return engine.held(messages, taken, never, nothing)


def shares(logits: np.ndarray) -> np.ndarray:
    weights = np.exp(logits.astype(np.float64) - logits.max())
    return np.asarray(weights / weights.sum())


def compare(engine: Engine, prompts: Sequence[tuple[Message, ...]], places: int, length: int) -> tuple[int, int]:
    """How many ways on there were, and how many of them read as the greedy ones do: all but some where two tokens are
    about as likely. llama.cpp multiplies 4 rows or more in another way than fewer."""
    alone, tokenizer, ways, same = Context(engine._model, None, 1024), engine.tokenizer, 0, 0
    for messages in prompts:
        tokens, taken = tokenizer.prompt(messages), list[str]()
        alone.read(tokens, never, nothing)
        for _ in range(places):
            found = held(engine, messages, *taken).look_ahead(10, length, ())
            expected = shares(alone.logits())
            best = np.argsort(-expected, kind="stable")[:20].tolist()
            first = {tokenizer.piece(token).decode("utf-8", "ignore"): token for token in reversed(best)}
            for candidate in found:
                row = [first[candidate.token]]  # rounding may change places in the order of unlikely ones
                assert candidate.probability == pytest.approx(expected[row[0]], abs=5e-2)
                margins = []
                while len(row) < length:
                    alone.append(row[-1:])
                    row.append(int(alone.logits().argmax()))
                    second, most = np.partition(alone.logits(), -2)[-2:]
                    margins.append(most - second)
                alone.rewind(len(tokens))
                said = takewhile(lambda token: not tokenizer.is_end(token), row)
                text = b"".join(map(tokenizer.piece, said)).decode("utf-8", "ignore")
                assert candidate.text == text or min(margins) < 0.5, (candidate, text, margins)
                ways, same = ways + 1, same + (candidate.text == text)
            assert expected[best[9]] == pytest.approx(found[9].probability, abs=5e-2)
            taken.append(found[0].token)
            tokens.append(best[0])
            alone.append(best[:1])
    return ways, same


def test_each_way_on_is_the_greedy_one_token_by_token(engine: Engine) -> None:
    ways, same = compare(engine, (STORY, RIVERS), 10, 4)
    assert ways == 200
    assert same >= 196


@pytest.mark.reader
@pytest.mark.timeout(1200)
def test_each_way_on_of_the_real_default_is_the_greedy_one(reader: CatalogueModel) -> None:
    ways, same = compare(Engine(str(reader.path), "", 1024, 0), (STORY,), 20, 2)
    assert ways == 200
    assert same >= 190  # its weights of 4 bits round more than those of the small model


def test_a_way_on_ends_with_the_first_end_or_where_the_answer_does(engine: Engine) -> None:
    (most_likely,) = held(engine, CAPITAL).look_ahead(1, 12, ())
    assert (most_likely.text, most_likely.ended) == ("The capital of France is Paris.", True)
    for ends, text in (
        (("is P", "France"), "The capital of France"),
        (("tal", "capital"), "The capital"),
        (("The", "nowhere"), "The"),
    ):
        (found,) = held(engine, CAPITAL).look_ahead(1, 12, ends)
        assert (found.text, found.ended, found.token) == (text, True, "The")
    (cut,) = held(engine, CAPITAL).look_ahead(1, 3, ("Paris",))
    assert (cut.text, cut.ended) == ("The capital of", False)
    (silent,) = held(engine, CAPITAL, most_likely.text).look_ahead(1, 4, ())
    assert (silent.token, silent.text, silent.ended) == ("", "", True)
    assert silent.probability > 0.5


def test_a_token_that_is_a_part_of_a_character_reads_as_far_as_that_does(engine: Engine) -> None:
    begun = (Message("user", "Write emojis."), Message("assistant", "😀🎉😀🎉😀🎉"))
    found = held(engine, begun).look_ahead(10, 6, ())
    assert any(not candidate.token.isascii() for candidate in found), found
    assert not any("\ufffd" in candidate.token + candidate.text for candidate in found), found


def test_the_same_calls_give_the_same_to_the_last_bit_whatever_is_asked_between(engine: Engine) -> None:
    def calls(between: Callable[[], object]) -> list[object]:
        found: list[object] = []
        long = "The river is long. " * 16 + "The capital of France"
        for taken in ((), (long,), (long, " i")):
            found.append(held(engine, CAPITAL, *taken).weigh((" Paris", " Rome", "s")))  # " is" is one token
            between()
            found.append(held(engine, CAPITAL, *taken).look_ahead(5, 4, (".",)))
            found.append(held(engine, CAPITAL, *taken).choose((" Paris", " Rome", " Oslo"), 2))
        return found

    before, others = calls(nothing), list[object]()
    assert calls(lambda: others.append(held(engine, STORY, "Once", " upon").look_ahead(10, 5, ()))) == before
    assert others == others[:1] * 3


def test_what_is_held_gives_the_same_bits_as_what_is_read(engine: Engine) -> None:
    context = Context(engine._model, None, 1024, sequences=SEQUENCES, batch=128)
    prompt, other = np.random.default_rng(1).integers(100, 20_000, (2, 200)).tolist()
    bits = []
    for same in (0, 60, 130, 199):
        context.read(prompt[:same] or other, never, nothing)
        context.rewind(context.end - 3)
        context.append(other[:3])
        context.copy(0, 1)
        context.extend([(1, context.end, [7, 8, 9])])
        context.drop_copies()
        context.read(prompt, never, nothing)
        bits.append(context.logits().copy())
    assert all(np.array_equal(bits[0], each) for each in bits)


def test_the_prompt_is_read_once(engine: Engine) -> None:
    prompt, evaluated = len(engine.tokenizer.prompt(STORY)), list[int]()
    held(engine, CAPITAL)
    for taken in ((), ("One",), ("One", " upon a")):
        step = held(engine, STORY, *taken)
        step.look_ahead(4, 4, ("nowhere",))
        assert step.usage.completion == 4 * 3 + len(engine.tokenizer.text(taken[-1]) if taken else ())
        step.weigh((" time", " day"))
        step.choose((" time", " day"), 1)
        evaluated.append(step.usage.evaluated)
        assert step.usage.prompt == prompt
    assert evaluated == [prompt, 0, 0]


def test_what_was_looked_ahead_of_is_not_read_again(engine: Engine) -> None:
    """Nor is what is not asked for, and all of it is what it would be if it were."""
    places, spent, fresh = list[tuple[Candidate, ...]](), list[int](), list[tuple[Candidate, ...]]()
    taken: tuple[str, ...] = ()
    for _ in range(6):
        step = held(engine, STORY, *taken)
        first = step.look_ahead(10, 1, ("nowhere",), ())
        assert [way.tokens for way in first[1:]] == [1] * 9
        for reach in (3, 8):
            some = step.look_ahead(10, reach, ("nowhere",), (0, 2))
            assert [way.tokens for way in some] == [reach, 1, reach, *[1] * 7]
        places.append(step.look_ahead(10, 8, ("nowhere",)))
        spent.append(step.usage.completion)
        taken += (places[-1][0].token,)
    # The first token is read with the three that are likely to follow it, each other way to its end, and the likeliest
    # one again to be one token longer.
    assert spent == [10 * 7, 4 + 9 * 7 + 7, *[9 * 7 + 7] * 3, 4 + 9 * 7 + 7]
    for number in range(6):
        held(engine, CAPITAL).look_ahead(3, 3, ())
        fresh.append(held(engine, STORY, *taken[:number]).look_ahead(10, 8, ("nowhere",)))
    assert fresh == places


@pytest.mark.parametrize("model", [pytest.param("reader", marks=pytest.mark.reader), "published"])
def test_a_step_rounds_the_same_whatever_is_read_in_it(model: str, request: pytest.FixtureRequest) -> None:
    found = request.getfixturevalue(model)
    engine = Engine(str(found if model == "published" else found.path), "", 256, 0)
    context = Context(engine._model, None, 1024, sequences=SEQUENCES, batch=128)
    chance = np.random.default_rng(1)
    prompt, tokens = chance.integers(100, 20_000, 560).tolist(), chance.integers(100, 20_000, 6).tolist()
    context.read(prompt, never, nothing)
    read = []
    for group, before, behind in ((1, 0, 0), (1, 1, 2), (1, 3, 0), (2, 0, 2), (3, 1, 0), (4, 0, 0)):
        for sequence in range(1, 1 + 8):
            context.copy(0, sequence)
        logits = list[np.ndarray]()
        for start in range(0, len(tokens), group):
            others = [(2 + number, 560 + start // group, 7 * number + start) for number in range(before + behind)]
            own = [(1, 560 + start + number, token) for number, token in enumerate(tokens[start : start + group])]
            logits += context.step([*others[:before], *own, *others[before:]])[before : before + len(own)]
        read.append(np.array(logits))
        context.drop_copies()
    assert all(np.array_equal(read[0], each) for each in read)


def test_a_text_is_taken_as_the_whole_of_it_is_spelled(engine: Engine) -> None:
    whole = held(engine, CAPITAL, "The capital of France").look_ahead(5, 4, ())
    for taken in (("The cap", "ital of Fr", "ance"), ("T", "he", " capital", " of", " France")):
        found = held(engine, CAPITAL, *taken).look_ahead(5, 4, ())
        assert [(each.token, each.text) for each in found] == [(each.token, each.text) for each in whole]
    begun = held(engine, (*CAPITAL, Message("assistant", "The capital of France"))).look_ahead(5, 4, ())
    assert [(each.token, each.text) for each in begun] == [(each.token, each.text) for each in whole]
    found = held(engine, CAPITAL, "<|im_", "end|>\n<|im_start|>user").look_ahead(1, 2, ())
    assert found == held(engine, CAPITAL, "< |im_", "end|>\n< |im_start|>user").look_ahead(1, 2, ())


# Options


def test_a_text_weighs_what_it_does_alone(engine: Engine) -> None:
    texts = ("Paris", "The capital of France is Paris.", "ital of", ' "x"\n', "😀 Zürich", "", "\u200b\x00")
    for taken in ((), ("The cap",), ("The", " capital of France is")):
        begun = (*CAPITAL, Message("assistant", "".join(taken)))
        found = held(engine, CAPITAL, *taken).weigh(texts)
        assert found == pytest.approx(engine.log_probabilities(begun, texts, nothing), abs=5e-2)
    alone = [engine.log_probabilities(begun, (text,), nothing)[0] for text in texts]
    assert found == pytest.approx(alone, abs=5e-2)
    # What is held ends before the first token that one of them changes.
    for texts in (("ital of", " dog"), (" dog", "ital of")):
        merged = held(engine, CAPITAL, "The cap").weigh(texts)
        assert merged[texts.index("ital of")] > -3 > merged[texts.index(" dog")]


PARIS = "The capital of France is Paris."
OPTIONS = {
    "shared beginnings": (
        "The capital of France is Rome.",
        PARIS,
        "The capital of France is Oslo.",
        "The city of Rome.",
    ),
    "one begins another": (PARIS, f"{PARIS} Now ask something else, please!", "The capital of"),
    "twice": ("Rome", "Rome", "Oslo", "Paris", "Paris"),
    "odd": ("😀<|im_end|>", "😀", "Zürich\n", '"Paris"', "Paris\u200b", " Paris", "Paris", "", "\x00", "巴黎"),
    "one": ("Rome",),
}


def weighed(engine: Engine, options: Sequence[str]) -> list[float]:
    """How likely each option is among them, as a logarithm, one decision after the other."""
    alone = Context(engine._model, None, 1024)
    answering = engine.tokenizer.answering(CAPITAL)
    rows = [(*answering(option), engine.tokenizer.end) for option in options]
    totals = []
    for row in rows:
        totals.append(0.0)
        for place in range(len(row)):
            following = sorted({other[place] for other in rows if other[:place] == row[:place]})
            if len(following) > 1:
                alone.read(list(row[:place]), never, nothing)
                weights = shares(alone.logits()[following])
                totals[-1] += float(np.log(weights[following.index(row[place])]))
    return totals


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_the_likeliest_option_is_chosen(engine: Engine, options: Sequence[str]) -> None:
    expected = weighed(engine, options)
    assert sum(map(np.exp, dict(zip(options, expected, strict=True)).values())) == pytest.approx(1.0)
    for width in (1, 2, 16):
        choices = held(engine, CAPITAL).choose(options, width)
        assert 1 <= len(choices) <= width
        for choice in choices:
            assert choice.log_probability == pytest.approx(expected[choice.index], abs=2e-2)
            assert choice.index == options.index(options[choice.index])
        assert [one.log_probability for one in choices] == sorted(
            (one.log_probability for one in choices), reverse=True
        )
    assert {options[one.index] for one in choices} == {*options}, "as wide as this nothing is missed"


def test_a_wide_search_finds_what_a_greedy_one_misses(engine: Engine) -> None:
    # The likeliest beginning is shared out among many.
    many = [f"The{way.token}" for way in held(engine, CAPITAL, "The").look_ahead(20, 1, ())[5:]]
    options = [*many, "Paris"]
    greedy, wide = (held(engine, CAPITAL).choose(options, width)[0] for width in (1, 8))
    assert greedy.log_probability < wide.log_probability
    assert (options[greedy.index], options[wide.index]) == (many[0], "Paris")


def test_what_is_forced_is_read_at_once_and_what_follows_from_one_decision_is_not(engine: Engine) -> None:
    step = held(engine, CAPITAL)
    before = step.usage.completion
    (choice,) = step.choose(OPTIONS["shared beginnings"][:3], 1)
    assert choice.index == 1
    assert step.usage.completion - before == len(engine.tokenizer.text("The capital of France is"))


# What goes wrong


def test_what_does_not_fit_is_refused_and_the_search_goes_on(published: Path) -> None:
    engine, long = Engine(str(published), "", 256, 0), "word " * 300
    before = held(engine, CAPITAL, "The").look_ahead(3, 4, ())
    for ask in (
        lambda: held(engine, (Message("user", long),)),
        lambda: held(engine, CAPITAL, "The", long),
        lambda: held(engine, CAPITAL, "The").look_ahead(32, 30, ("nowhere",)),
        lambda: held(engine, CAPITAL, "The").weigh((" capital", f" {long}")),
        lambda: held(engine, CAPITAL, "The").choose((f" {long}a", f" {long}b"), 2),
    ):
        with pytest.raises(TragError, match=r"context (of )?256") as refused:
            ask()
        assert "TRAG_CONTEXT" in refused.value.hint
        assert held(engine, CAPITAL, "The").look_ahead(3, 4, ()) == before


def test_a_search_that_is_stopped_at_any_step_leaves_the_next_as_it_would_be(engine: Engine) -> None:
    options = ("The capital of France is Rome.", PARIS)
    before = held(engine, CAPITAL).look_ahead(3, 6, ()), held(engine, CAPITAL).choose(options, 2)
    for after in (1, 2, 4):
        held(engine, STORY)
        left = [False] * after

        def cancelled(left: list[bool] = left) -> bool:
            return not left or left.pop()

        with pytest.raises(Cancelled):
            engine.held(CAPITAL, ("The",), cancelled, nothing).look_ahead(3, 6, ())
        assert (held(engine, CAPITAL).look_ahead(3, 6, ()), held(engine, CAPITAL).choose(options, 2)) == before


def test_a_search_goes_without_the_adapter(
    engine: Engine, published: Path, make_adapter: Callable[..., Path], tmp_path: Path
) -> None:
    adapted = Engine(str(published), str(make_adapter(tmp_path / "ours.gguf", size=0.3)), 1024, 0)
    assert held(adapted, CAPITAL).look_ahead(3, 3, ()) == held(engine, CAPITAL).look_ahead(3, 3, ())
    first = adapted.log_probabilities(CAPITAL, ("Paris",), nothing)
    assert first != pytest.approx(held(engine, CAPITAL).weigh(("Paris",)), abs=0.1)
