"""Words that would be SQL, lines of a log or formulas: they are kept, found and told as the words that they are."""

from __future__ import annotations

import csv
import io
import json
import logging
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from store.passage import Passage
from store.person import Newcomer
from store.records import Records
from trag.sandbox import shown
from trag.settings import Settings
from trag.web.gate import Gate
from trag.web.people.authentication import Authenticator
from trag.web.people.log import as_csv, as_json

WORDS = [
    "' OR '1'='1",
    "'; DROP TABLE people; --",
    '" OR ""="',
    "1; DELETE FROM audit",
    "x' UNION SELECT hash FROM secrets --",
    "%' AND 1=CAST((SELECT hash FROM secrets) AS int) --",
    "\\'; SELECT pg_sleep(10); --",
    "admin'/*",
    "%",
    "_",
    "\\",
    "100%",
    ":name",
    "{0}",
    "$1",
    "?",
    "\x1a\x00\x1b[2J",
    "a\r\nb\nroot  sign-in  signed in",
    "\u2028second line\u2029third\x85fourth",
    "\ud800",
    '{"$gt": ""}',
    "__proto__",
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-1-1",
    "@SUM(1)",
    "\t=1+1",
    "\r=1+1",
    "＝1+1",
    "\x00=1+1",
]


@pytest.fixture(scope="module")
def records(empty_database: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Records]:
    with closing(Records(f"sqlite:///{shutil.copy(empty_database, tmp_path_factory.mktemp('words'))}")) as records:
        records.people.add(Newcomer("root", role="admin", state="active", secret="$argon2id$kept"), by="test")
        records.library.put("a.md", "1" * 64, None, [Passage("a", "section", "a.md", "1", None, "Kept.")], by="test")
        yield records


def test_words_are_bound_and_never_run(records: Records) -> None:
    kept = [each.replace("\0", "\ufffd").replace("\ud800", "\ufffd") for each in WORDS]
    for words in WORDS:
        assert records.people.find(words) is None
        assert records.people.all(search=words, state=words, role=words) == ()
        assert records.library.pairs(words, words=words) == ()
        assert records.audit.page(who=words, what=words, about=words) == ()
        assert records.conversations(words) == ()
        assert records.answer(words) is None
        assert (records.sessions.find(words), records.tokens.find(f"trag_{words}"), records.links.find(words)) == (
            None, None, None,
        )  # fmt: skip
        records.start_conversation("anna", words)
        records.audit.add(words, words, words, where=words, result=words)
    titles = [each.title for each in records.conversations("anna")]
    assert len(titles) == len(WORDS)
    assert not set(kept) - set(titles) - {each for each in kept if "\ufffd" in each}
    assert records.people.count() == 1
    assert records.library.document("a.md")
    assert records.audit.verify() is None


def test_the_log_of_what_was_done_is_one_event_a_line_and_no_formula(records: Records) -> None:
    for words in WORDS:
        records.audit.add(words, words, words, where=words, result=words)
    events = tuple(records.audit.all())
    lines = "".join(as_json(events)).splitlines()
    assert [json.loads(line)["number"] for line in lines] == [event.number for event in events]
    rows = list(csv.reader(io.StringIO("".join(as_csv(events)).lstrip("\ufeff"), newline="")))
    assert len(rows) == len(events) + 1
    begun = {cell.lstrip("'")[:1] for row in rows for cell in row if cell[:1] != "'"}
    assert not begun & set("=+-@\t\r＝")


@pytest.mark.parametrize("path", ["/x\n2026-01-01 root signed in", "/x\r\nINFO", "/\x1b[2J", "/\u2028x", "/%0aINFO"])
def test_what_is_refused_is_one_line_of_the_log(path: str, caplog: pytest.LogCaptureFixture, records: Records) -> None:
    app = FastAPI()
    app.add_middleware(Gate, door=Authenticator(records, Settings()), functions={})
    with caplog.at_level(logging.WARNING):
        assert TestClient(app, base_url="http://127.0.0.1").get(quote(path)).status_code in (400, 404)
    told = [record.getMessage() for record in caplog.records if record.name == "trag.web.gate"]
    assert told
    assert all(line.isprintable() for line in told)


@pytest.mark.parametrize(
    "name",
    ["../../x.pdf", "C:\\x.pdf", "x\0.pdf", "x" * 4_000, "con", "-rf", "gpj\u202eexe.pdf", "<img src=x>", '"x".pdf',
     "a\nb.pdf", "\x1b[31mred", "x\ud800"],
)  # fmt: skip
def test_the_name_of_a_file_is_one_short_line_of_a_message(name: str) -> None:
    told = shown(name)
    assert told.isprintable()
    assert len(told) <= 200
