"""Records as JSON lines: what is read, and that every bad line is told at once."""

from collections.abc import Mapping
from typing import Any

import pytest

from trag import json_lines
from trag.errors import TragError
from trag.json_lines import TEXTS, WORDS, BadLineError

SHAPES = {"name": WORDS, "tags": TEXTS}


def made(values: Mapping[str, Any]) -> str:
    if wrong := json_lines.wrong(values, SHAPES, ["name"]):
        raise BadLineError(wrong)
    return str(values["name"])


def test_what_is_written_is_read_again_whatever_stands_before_or_between() -> None:
    content = json_lines.write([{"name": "Ä", "tags": []}, {"name": "b"}])
    for around in (content, b"\xef\xbb\xbf" + content, content.replace(b"\n", b"\r\n\n  \n"), b""):
        assert json_lines.read(around, made, "no", "") == (("Ä", "b") if around else ())


def test_a_record_is_one_line_to_every_reader() -> None:
    name = "\u2028a\u2029b\x85c\r\nd\x0b\x0c\x1c\x1d\x1eä"
    content = json_lines.write([{"name": name}])
    assert len(content.decode().splitlines()) == 1
    assert json_lines.read(content, made, "no", "") == (name,)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b'{"name": "a"', "is no JSON ("),
        (b"[" * 100_000, "is no JSON ("),
        (b'{"name": "\xff"}', "is no UTF-8 text ("),
        (b'{"name": "\\ud800"}', "is no UTF-8 text ("),
        (b"[1]", "is no JSON object"),
        (b'{"nam": 1}', 'unknown key "nam"; needs "name"'),
        (
            b'{"name": " ", "tags": ["a", ""]}',
            '"name" must be a text that is not empty; "tags" must be a list of texts',
        ),
    ],
    ids=["cut", "nested", "bytes", "half a pair", "a list", "keys", "shapes"],
)
def test_every_bad_line_is_told_with_its_number(line: bytes, said: str) -> None:
    content = b'{"name": "a"}\n' + line + b'\n{"name": "b"}\n' + line
    with pytest.raises(TragError) as refused:
        json_lines.read(content, made, "a.jsonl cannot be used", "Mend it.")
    message = refused.value.message
    assert message.startswith("a.jsonl cannot be used: line 2: ")
    assert (message.count(said), message.count("line 4: ")) == (2, 1), message[:300]
