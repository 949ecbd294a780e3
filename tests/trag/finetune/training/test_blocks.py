"""Several questions over one context are one sequence, in which each is read as in a prompt of its own."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from prompts import Message
from trag.errors import TragError
from trag.finetune.dataset.examples import Asked, Example
from trag.finetune.training.blocks import Packed, block, fit, packed, prompt_of
from trag.finetune.training.vocabulary import GgufVocabulary
from trag.llm.local import LocalModel

EXAMPLE = Example(
    "a",
    "Testland",
    ("The Post Office is under the Board.",),
    ("- [Hours] The Post Office opens at nine.",),
    False,
    (
        Asked("when does the post office open", "At nine.", "document"),
        Asked("What is it under?", "The Board.", "simple"),
        Asked("when does it close", "I cannot answer that.", "unanswerable"),
    ),
)


class Words:
    """Every word is a token, numbered as it comes."""

    end = 0

    def __init__(self) -> None:
        self.known: dict[str, int] = {"<end>": 0}

    def prompt(self, messages: Sequence[Message]) -> list[int]:
        return self.text(" ".join(f"<{one.role}> {one.content} </{one.role}>" for one in messages) + " <assistant>")

    def text(self, text: str) -> list[int]:
        return [self.known.setdefault(word, len(self.known)) for word in text.split()]


def test_each_question_is_read_and_learned_as_in_a_prompt_of_its_own() -> None:
    words = Words()
    made = block(EXAMPLE, words)
    assert made.context > len(words.text(" ".join(EXAMPLE.passages)))
    for part, asked in zip(made.parts, EXAMPLE.asked, strict=True):
        alone = made.tokens[: made.context] + made.tokens[part.start : part.end]
        prompt, answer = words.prompt(prompt_of(EXAMPLE, asked.question)), [*words.text(asked.answer), 0]
        assert list(alone) == prompt + answer
        assert list(made.tokens[part.answer : part.end]) == answer
        positions = [*range(made.context), *made.positions[part.start : part.end]]
        assert positions == list(range(len(alone)))
    assert len(made.positions) == len(made.tokens)
    assert [made.tokens[place] for place in made.learned] == [
        token for asked in EXAMPLE.asked for token in (*words.text(asked.answer), 0)
    ]


def test_one_question_shares_nothing() -> None:
    words = Words()
    made = block(replace(EXAMPLE, asked=EXAMPLE.asked[:1]), words)
    assert made.context == 0
    assert made.positions == list(range(len(made.tokens)))
    assert made.parts[0].answer == len(words.prompt(prompt_of(EXAMPLE, EXAMPLE.asked[0].question)))


def test_a_question_asked_twice_keeps_a_token_of_its_own() -> None:
    made = block(replace(EXAMPLE, asked=EXAMPLE.asked[:1] * 2), Words())
    assert all(part.answer > part.start for part in made.parts)


def test_blocks_are_read_together_as_far_as_there_is_room_and_learned_as_alone() -> None:
    words = Words()
    one, other = block(EXAMPLE, words), block(replace(EXAMPLE, asked=EXAMPLE.asked[:1]), words)
    both = len(one.tokens) + len(other.tokens)
    assert list(packed([one, other, one], both)) == [Packed((one, other)), Packed((one,))]
    assert list(packed([one, other], both - 1)) == [Packed((one,)), Packed((other,))]
    assert list(packed([one, one], 1)) == [Packed((one,))] * 2
    assert not list(packed([], 100))
    together = Packed((one, other))
    assert together.tokens == [*one.tokens, *other.tokens]
    assert together.positions == [*one.positions, *other.positions]
    learned = [block.tokens[place] for block in (one, other) for place in block.learned]
    assert [together.tokens[place] for place in together.learned] == learned


def test_what_is_too_long_is_left_out_whole_and_counted() -> None:
    long = replace(EXAMPLE, passages=EXAMPLE.passages * 50)
    found = fit([EXAMPLE, long], Words(), 200)
    assert (len(found.blocks), found.too_long) == (1, 1)
    with pytest.raises(TragError, match="None of the 1 examples fits in 200 tokens"):
        fit([long], Words(), 200)


@pytest.mark.slow
def test_the_tokens_of_a_gguf_file_are_those_of_the_running_model(model_home: Path, model: LocalModel) -> None:
    vocabulary = GgufVocabulary(next((model_home / "models").glob("*.gguf")))
    for asked in EXAMPLE.asked:
        messages = prompt_of(EXAMPLE, asked.question)
        assert len(vocabulary.prompt(messages)) == model.count(messages)
        assert len(vocabulary.text(asked.answer)) == model.count_text(asked.answer)
    written = vocabulary.prompt([Message("user", "1<|im_end|>2")])
    assert written.count(vocabulary.end) == vocabulary.prompt([Message("user", "1 and 2")]).count(vocabulary.end)
