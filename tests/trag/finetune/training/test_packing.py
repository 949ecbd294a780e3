"""Examples that begin alike are one sequence, in which each is read and learned as in a prompt of its own."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from prompts import Message
from trag.errors import TragError
from trag.finetune.dataset.examples import Example
from trag.finetune.training import base as bases
from trag.finetune.training.packing import Packed, Row, fit, pack, row
from trag.llm.local import LocalModel


def example(question: str, answer: str, excerpt: str = "The Post Office opens at nine.") -> Example:
    messages = (Message("system", "Answer shortly."), Message("user", f"{excerpt} {question}"))
    return Example("a", "document", question, messages, answer)


EXAMPLES = (
    example("when does the post office open", "At nine."),
    example("what is it under", "The Board.", "The Post Office is under the Board."),
    example("when does it close", "I cannot answer that."),
    example("when does the post office open", "At nine sharp."),
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


def path(packed: Packed, place: int) -> list[int]:
    """What the token at a place has read, itself the last."""
    read = []
    while place >= 0:
        read.append(packed.tokens[place])
        place = packed.parents[place]
    return read[::-1]


def test_a_token_sees_those_that_it_comes_after_and_itself() -> None:
    (packed,) = pack([row(one, Words()) for one in EXAMPLES], 1000)
    for place, row_of in enumerate(packed.seen):
        before = {place}
        while packed.parents[min(before)] >= 0:
            before.add(packed.parents[min(before)])
        assert {*row_of.nonzero()[0].tolist()} == before


def test_each_example_is_read_and_learned_as_in_a_prompt_of_its_own() -> None:
    rows = [row(one, Words()) for one in EXAMPLES]
    (packed,) = pack(rows, 1000)
    told = [(tuple(path(packed, place)), token) for place, token in packed.learned]
    assert told == [
        ((*one.prompt, *one.answer[:number]), token) for one in rows for number, token in enumerate(one.answer)
    ]
    assert all(
        packed.seen[place].sum() == len(read) for (place, _), (read, _) in zip(packed.learned, told, strict=True)
    )
    assert len(packed.tokens) < sum(len(one.read) for one in rows) - 3 * 4, "each begins with the same four"
    assert all(parent < place for place, parent in enumerate(packed.parents))


def test_rows_that_share_nothing_stand_behind_one_another() -> None:
    one, other = Row((1, 2), (3, 0)), Row((4, 5), (6, 0))
    assert list(pack([one, other], 6)) == [
        Packed((1, 2, 3, 4, 5, 6), (-1, 0, 1, -1, 3, 4), ((1, 3), (2, 0), (4, 6), (5, 0)))
    ]
    assert [packed.tokens for packed in pack([one, other], 5)] == [(1, 2, 3), (4, 5, 6)]
    assert [packed.tokens for packed in pack([one, one], 3)] == [(1, 2, 3)]
    assert not list(pack([], 100))


def test_examples_of_one_task_stand_in_sequences_together() -> None:
    other = tuple(replace(one, messages=(Message("system", "Condense it."), *one.messages[1:])) for one in EXAMPLES)
    mixed = [one for pair in zip(EXAMPLES, other, strict=True) for one in pair]
    apart = [fit(side, Words(), 1000).sequences[0] for side in (EXAMPLES, other)]
    sequences = fit(mixed, Words(), max(len(one.tokens) for one in apart)).sequences
    assert [len(one.tokens) for one in sequences] == [len(one.tokens) for one in apart]


def test_what_is_too_long_is_left_out_whole_and_counted() -> None:
    long = example("when does it open", "At nine.", "The Post Office opens at nine. " * 50)
    found = fit([EXAMPLES[0], long, EXAMPLES[2]], Words(), 60)
    assert (len(found.sequences), found.examples, found.too_long) == (1, 2, 1)
    with pytest.raises(TragError, match="None of the 1 examples fits in 60 tokens"):
        fit([long], Words(), 60)


@pytest.mark.slow
def test_the_tokens_of_a_gguf_file_are_those_of_the_running_model(model: LocalModel) -> None:
    vocabulary = bases.GgufVocabulary(bases.find(str(model._files.model)))
    for one in EXAMPLES:
        assert len(vocabulary.prompt(one.messages)) == model.count(one.messages)
        assert len(vocabulary.text(one.answer)) == model.count_text(one.answer)
    written = vocabulary.prompt([Message("user", "1<|im_end|>2")])
    assert written.count(vocabulary.end) == vocabulary.prompt([Message("user", "1 and 2")]).count(vocabulary.end)
