"""JSON held against the types of records: what is read, that every bad line is told at once, and in plain words."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal

import pytest
from annotated_types import Ge, Le, MinLen

from trag import json_lines
from trag.errors import TragError
from trag.json_lines import Words


@dataclass(frozen=True, slots=True)
class Tag:
    name: Words
    weight: Annotated[float, Ge(0), Le(1)] = 1.0


@dataclass(frozen=True, slots=True)
class Thing:
    name: Words
    tags: Annotated[tuple[Tag, ...], MinLen(1)] = (Tag("x"),)
    size: int | str = 0
    state: Literal["on", "off"] = "on"
    made: datetime = datetime(2026, 1, 1, tzinfo=UTC)
    id: str = ""


def read(content: bytes) -> tuple[str, ...]:
    return tuple(one.name for one in json_lines.read(content, Thing, "", "Mend it.", name="a.jsonl"))


def test_what_is_written_is_read_again_whatever_stands_before_or_between() -> None:
    content = json_lines.write([{"name": "Ä"}, {"name": "b", "tags": [{"name": "c"}]}])
    for around in (content, b"\xef\xbb\xbf" + content, content.replace(b"\n", b"\r\n\n  \n"), b""):
        assert read(around) == (("Ä", "b") if around else ())


def test_a_record_is_one_line_to_every_reader() -> None:
    name = "\u2028a\u2029b\x85c\r\nd\x0b\x0c\x1c\x1d\x1eä"
    content = json_lines.write([{"name": name}])
    assert len(content.decode().splitlines()) == 1
    assert read(content) == (name,)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b'{"name": "a"', "is no JSON (EOF while parsing an object at character 12)"),
        (b"[" * 100_000, "is no JSON (recursion limit"),
        (b'{"name": "\xff"}', "is no UTF-8 text ("),
        (b'{"name": "\\ud800"}', "is no JSON ("),
        (b'{"name": ' + b"9" * 5_000 + b"}", "is no JSON ("),
        (b"[1]", "is no JSON object"),
        (b'{"nam": 1}', 'needs "name"; unknown key "nam"'),
        (b'{"[name]": 1, "name": "x"}', 'unknown key "[name]"'),
        (b'{"name": " ", "tags": 3}', '"name" must be a text that is not empty, found " "; "tags" must be a list'),
        (b'{"name": "a", "tags": []}', '"tags" must be a list that is not empty, found []'),
        (b'{"name": "a", "tags": [{"name": "b"}, "c"]}', '"tags" 2 must be an object, found "c"'),
        (b'{"name": "a", "tags": [{"nam": "b"}]}', 'line 2: "tags" 1 needs "name"; "tags" 1 unknown key "nam"'),
        (b'{"name": "a", "tags": [{"name": "b", "weight": 2}]}', '"tags" 1 "weight" must be 1 or less, found 2'),
        (b'{"name": "a", "size": true}', '"size" must be a whole number or a text, found true'),
        (b'{"name": "a", "state": "{0}"}', '"state" must be "on" or "off", found "{0}"'),
        (b'{"name": "a", "id": 7}', '"id" must be a text, found 7'),
    ],
)
def test_every_bad_line_is_told_with_its_number_in_plain_words(line: bytes, said: str) -> None:
    content = b'{"name": "a"}\n' + line + b'\n{"name": "b"}\n' + line
    with pytest.raises(TragError) as refused:
        read(content)
    message = refused.value.message
    assert message.startswith("a.jsonl cannot be used: line 2: ")
    assert said in message
    assert message.count("line 4: ") == 1, message[:300]
    assert "Input should" not in message
    assert len(message) < 500


def test_an_id_stands_once_and_what_else_is_wrong_is_told_with_it(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(b'{"name": "a", "id": "1"}\n{"name": "b"}\n{"name": "b"}\n{"name": "c", "id": "1"}\n')
    with pytest.raises(TragError) as refused:
        json_lines.read(file, Thing, "things", "", lambda one: ["is a c"] if one.name == "c" else [])
    assert refused.value.message == f'{file} cannot be used: line 4: is a c; the id "1" occurs twice'
    for name, said in (("empty", "holds no things"), ("gone", "cannot be read: No such file")):
        (tmp_path / "empty").touch()
        with pytest.raises(TragError, match=said):
            json_lines.read(tmp_path / name, Thing, "things", "")


def test_what_is_kept_is_read_again_without_the_keys_of_another_version() -> None:
    one = Thing("Ä", size="L", made=datetime(2026, 11, 30, tzinfo=UTC))
    kept = json_lines.to_keep(one)
    assert json_lines.kept(Thing, kept) == one
    assert json_lines.kept(Thing, kept.replace(b'"size"', b'"colour"')) == Thing("Ä", made=one.made)
    for damaged in (b"", b"{", b"[]", b"\xff", kept.replace(b"name", b"nam")):
        with pytest.raises(ValueError, match=r"."):
            json_lines.kept(Thing, damaged)
