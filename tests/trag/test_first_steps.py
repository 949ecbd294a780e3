"""What is to do until an assistant is of use."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from shutil import copy

import pytest

from store.appearances import Appearance
from store.passage import Passage
from store.person import Newcomer
from trag.first_steps import count_open, first_steps
from trag.home import Home, open_home
from trag.settings import Settings
from trag.web import access


@pytest.fixture
def home(empty_database: Path, tmp_path: Path) -> Iterator[Home]:
    copy(empty_database, tmp_path)
    with open_home(Settings(home=tmp_path, model=str(tmp_path / "model.gguf"))) as home:
        yield home


def still(home: Home) -> list[str]:
    return [step.name for step in first_steps(home) if not step.done]


def test_each_step_is_done_where_it_is_and_what_others_need_comes_with_the_first_account(home: Home) -> None:
    assert still(home) == ["A language model", "The organization chart", "Documents", "Name and logo", "Accounts"]
    (home.folder / "model.gguf").write_bytes(b"GGUF")
    home.records.chart_versions.activate("v1", "chart.csv", "6" * 64, by="ada")
    home.records.library.put("a.md", "0" * 64, None, [Passage("p", "section", "a.md", "1", None, "Words.")])
    home.records.appearances.put(Appearance("Club"), by="ada")
    assert still(home) == ["Accounts"]
    home.records.people.add(Newcomer("ada", role="admin", state="active"), by="test")
    assert still(home) == ["An https:// address", "A reviewer"]
    assert count_open(home) == 2
    home.records.people.add(Newcomer("rita", role="reviewer", state="active"), by="test")
    home.settings = replace(home.settings, address="https://club.example.org")
    assert (still(home), count_open(home)) == ([], 0)


def test_each_leads_to_a_page_that_an_admin_may_open(home: Home) -> None:
    home.records.people.add(Newcomer("ada", role="admin", state="active"), by="test")
    for step in first_steps(home):
        assert access.needed("GET", step.path.partition("#")[0]) in ("employee", "admin"), step
