from dataclasses import replace

import pytest

from prompts import NOT_FOUND, Message
from trag.errors import TragError
from trag.finetune.dataset.examples import LEAST_TO_LEARN, Example, questions, read, write

ONE = Example(
    source="travel.md > Claims",
    kind="document",
    question="how long for a claim?",
    messages=(
        Message("system", "Answer shortly."),
        Message("user", "[1] Claims: Within 30 days.\n\nQuestion: how long for a claim?"),
    ),
    answer="Within 30 days.",
)


def many(number: int, *, answer: str = "answer {0}") -> tuple[Example, ...]:
    return tuple(replace(ONE, question=f"question {each}", answer=answer.format(each)) for each in range(number))


def test_what_is_written_is_read_again() -> None:
    other = replace(ONE, source="Österdal", answer=NOT_FOUND)
    assert read(write([ONE, other]) + b"\n", "train.jsonl") == (ONE, other)
    assert questions((ONE, other)) == (ONE.question,)


def test_every_bad_line_is_told_at_once() -> None:
    whole = write([ONE]).decode()
    lines = [
        whole,
        "no json\n",
        "[]\n",
        whole.replace('"kind": "document"', '"kind": 3, "colour": 1'),
        whole.replace('"question": "how long for a claim?", ', ""),
        whole.replace('"answer": "Within 30 days."', '"answer": " "'),
        whole.replace('"role": "system"', '"role": "judge"'),
        whole.split('"messages"')[0] + '"messages": [], "answer": "x"}\n',
        whole.split('"messages"')[0] + '"messages": ["one"], "answer": "x"}\n',
        whole.replace("Within", "\\ud800"),
    ]
    with pytest.raises(TragError) as error:
        read("".join(lines).encode() + b'{"source": "\xff"}', "train.jsonl")
    told = error.value.message.split("\n")
    assert [line.partition(": ")[2] for line in told[1:2]] == ["is no JSON object"]
    assert told[0].startswith("train.jsonl cannot be used: line 2: is no JSON")
    assert told[2:8] == [
        'line 4: unknown key "colour"; "kind" must be a text, found 3',
        'line 5: needs "question"',
        'line 6: "answer" must be a text that is not empty, found " "',
        'line 7: "messages" 1 "role" must be "system", "user" or "assistant", found "judge"',
        'line 8: "messages" must be a list that is not empty, found []',
        'line 9: "messages" 1 must be an object, found "one"',
    ]
    assert [line.split(" (")[0] for line in told[8:]] == ["line 10: is no JSON", "line 11: is no UTF-8 text"]


@pytest.mark.parametrize(
    ("content", "least", "expected"),
    [
        (b"", 1, "train.jsonl holds no questions, and at least 1 are needed"),
        (b"\n\n", 1, "holds no questions"),
        (write(many(LEAST_TO_LEARN - 1)), LEAST_TO_LEARN, "holds 19 questions, and at least 20 are needed"),
        (write(many(30, answer="Yes.")), 1, 'one answer 30 times in 30: "Yes."'),
        (write(many(30, answer=NOT_FOUND)), 1, "Only that would be learned"),
        (write((*many(40, answer="Yes. "), *many(2))), 1, "one answer 40 times in 42"),
    ],
    ids=["empty", "blank", "too few", "one answer", "refusals", "nearly one answer"],
)
def test_too_little_to_learn_from_is_refused(content: bytes, least: int, expected: str) -> None:
    with pytest.raises(TragError) as error:
        read(content, "train.jsonl", least=least)
    assert expected in error.value.message
    assert error.value.hint
    assert read(write(many(5, answer="Yes.")), "held_out.jsonl"), "by chance a few may have one answer"
