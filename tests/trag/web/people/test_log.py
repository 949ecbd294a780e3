"""The log of what was done: on the page, and taken away."""

import re

import pytest

from tests.pages import soup, texts
from tests.trag.web.people.conftest import Place, words

pytestmark = pytest.mark.slow


def test_the_log_is_shown_and_exported_and_its_own_export_is_in_it(place: Place) -> None:
    place.add("=cmd()")
    root = place.signed_in("root")
    root.get("/people/log?check=1")
    assert "follow from each other" in words(root.get("/people/log?check=1"))
    assert texts(soup(root, "/people/log?who=root"), "#all") == ["1 row"], "that root signed in"
    assert "'=cmd()" in root.get("/people/log.csv").text
    lines = root.get("/people/log.jsonl").text.splitlines()
    assert len(lines) == place.records.audit.count()
    assert ("root", "export", "audit log", "audit-log.csv") in place.done()
    assert root.get("/people/log?before=x&who=" + "a" * 300).status_code == 200


def test_the_log_reads_in_words_and_its_exports_keep_every_digit(place: Place) -> None:
    records, hashed = place.records, "0af" * 21 + "9"
    answer, gone = "ab" * 16, "cd" * 16
    records.save_answer(
        answer, records.start_conversation("x", "x").id, "How many days of leave are there?", "28.", "{}"
    )
    records.audit.add("ada", "judged", answer, result="right")
    records.audit.add("ada", "judged", gone, result=f"{answer}: wrong")
    records.audit.add("root (terminal)", "document added", "rules.md", result=hashed)
    records.audit.add("local", "sign-out")
    root = place.signed_in("root")
    page = soup(root, "/people/log")
    assert not re.search("[0-9a-f]{16}", page.get_text())
    assert texts(page, "[data-name=Who]")[1:5] == ["Before accounts", "Terminal (root)", "ada", "ada"]
    assert texts(page, "[data-name=About]")[2:5] == ["rules.md", "cdcdcdcd…", "“How many days of leave are there?”"]
    assert texts(page, "[data-name=Result]")[2:4] == ["0af0af0a…", "“How many days of leave are there?”: wrong"]
    [terminal] = page.select("[data-name=Who] a:-soup-contains('Terminal')")
    assert texts(soup(root, str(terminal["href"])), "#all") == ["1 row"]
    assert hashed in root.get("/people/log.csv").text
    place.add("local")
    assert texts(soup(root, "/people/log"), "[data-name=Who]").count("Before accounts") == 0
