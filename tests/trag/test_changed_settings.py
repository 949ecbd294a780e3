"""The settings that an admin changes: what may be changed, what is refused, what is written, and when it counts."""

import os
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from shutil import copy
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest

from tests.tiny_model import write_model
from trag.changed_settings import (
    AT_NEXT_START,
    AT_ONCE,
    GROUPS,
    Crossed,
    Setting,
    change,
    change_model,
    listed,
    model_change,
    model_held_by,
    shown,
)
from trag.errors import TragError
from trag.home import Home, open_home
from trag.llm.queue import RequestQueue
from trag.settings import Settings, load

FILE = """# of this machine
port = 9000  # the proxy knows it
waiting = 5 # few
model_key = "sk-1234"
database_url = ""
"""


@pytest.fixture
def home(empty_database: Path, tmp_path: Path) -> Iterator[Home]:
    copy(empty_database, tmp_path)
    (tmp_path / "trag.toml").write_text(FILE, encoding="utf-8")
    with open_home(load({"TRAG_HOME": str(tmp_path)})) as home:
        yield home


def text(home: Home) -> str:
    return (home.folder / "trag.toml").read_text(encoding="utf-8")


def found(home: Home, name: str, environment: dict[str, str] | None = None) -> Setting:
    settings = listed(home, environment or {})
    (one,) = (each for group in settings.values() for each in group if each.name == name)
    return one


def changed(home: Home, environment: dict[str, str] | None = None, **typed: str) -> tuple[str, ...]:
    seen = {each.name: each.typed for group in listed(home, environment or {}).values() for each in group}
    return change(home, typed, seen, by="ada", environment=environment or {})


def test_every_setting_stands_in_one_group_with_what_it_means(home: Home) -> None:
    names = [name for group in GROUPS.values() for name in group]
    assert sorted(names) == sorted(field.name for field in fields(Settings))
    settings = [each for group in listed(home, {}).values() for each in group]
    assert [each.name for each in settings if len(each.means) < 15] == []
    assert {each.name for each in settings if each.may} == AT_ONCE | AT_NEXT_START


def test_where_a_value_comes_from_is_said_and_a_secret_is_not(home: Home) -> None:
    environment = {"TRAG_MCP": "true", "TRAG_HOME": str(home.folder)}
    actual = {
        name: found(home, name, environment) for name in ("port", "mcp", "context", "model_key", "sso_secret", "home")
    }
    assert {name: (each.value, each.origin) for name, each in actual.items()} == {
        "port": ("9000", "trag.toml"),
        "mcp": ("on", "environment"),
        "context": ("4096", "default"),
        "model_key": ("set", "trag.toml"),
        "sso_secret": ("not set", "default"),
        "home": (str(home.folder), "environment"),
    }
    assert [each.may for each in actual.values()] == [""] * 6
    assert "sk-1234" not in repr(listed(home, {}))


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("database_url", "postgresql://ada:p@ss,w@h:5/d?password=x", "postgresql://…@h:5/d?…"),
        (
            "hooks",
            "a=https://u:p@h/x, b=https://h/y?key=1, c=https://h",
            "a=https://…@h/x, b=https://h/y?…, c=https://h",
        ),
        ("model_url", "http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1"),
        ("model", "~/a?b@c.gguf", "~/a?b@c.gguf"),
    ],
)
def test_passwords_in_addresses_are_not_shown(name: str, value: str, told: str) -> None:
    assert shown(name, value) == told


def test_what_is_changed_is_written_with_all_else_left_as_it_is(home: Home) -> None:
    assert changed(home, waiting="7", mcp="true", answer_tokens="256") == ("waiting", "mcp")
    assert text(home) == FILE.replace("waiting = 5 # few", "waiting = 7 # few") + "mcp = true\n"
    assert ((home.folder / "trag.toml").stat().st_mode & 0o077) == 0
    told = [(each.who, each.about, each.result) for each in home.records.audit.page(what="setting changed")]
    assert told == [("ada", "mcp", "off -> on"), ("ada", "waiting", "5 -> 7")]
    settings = load({"TRAG_HOME": str(home.folder)})
    assert (settings.waiting, settings.mcp, settings.port) == (7, True, 9000)


def test_what_each_question_reads_counts_at_once_and_the_rest_is_said_to_wait(home: Home) -> None:
    assistant: Any = SimpleNamespace(settings=home.settings, line=RequestQueue(1, 5))
    home.parts["assistant"] = assistant
    changed(home, waiting="0", answer_tokens="300", workflows="on")
    assert (home.settings.waiting, assistant.settings.answer_tokens, assistant.line.waiting) == (0, 300, 0)
    assert (home.settings.workflows, found(home, "workflows").running) == (False, "off")
    assert (found(home, "waiting").running, found(home, "workflows").value) == ("", "on")


def test_all_that_is_wrong_is_said_at_once_and_nothing_is_changed(home: Home) -> None:
    typed = {"waiting": "-1", "threshold": "2", "mcp": "maybe", "port": "80", "waitin": "3", "pairs": "many"}
    with pytest.raises(TragError) as caught:
        changed(home, {"TRAG_SECTIONS": "2"}, **typed, sections="4")
    for told in (
        '"waiting" must be 0 or more, found "-1"',
        '"threshold" must be 1 or less, found "2"',
        '"mcp" must be true or false, found "maybe"',
        '"pairs" must be a whole number, found "many"',
        'unknown setting "waitin", did you mean "waiting"?',
        "port is not changed on this page",
        "sections is set by TRAG_SECTIONS in the environment",
    ):
        assert told in caught.value.message
    assert text(home) == FILE
    assert home.records.audit.count() == 0


def test_an_answer_leaves_room_for_its_question(home: Home) -> None:
    with pytest.raises(TragError, match='"answer_tokens" may be half of the context, 2,048'):
        changed(home, answer_tokens="2049")
    assert changed(home, answer_tokens="2048") == ("answer_tokens",)


def test_the_second_of_two_is_told_what_the_first_has_changed(home: Home) -> None:
    seen = {"waiting": "5", "pairs": "3"}
    change(home, {"waiting": "9", "pairs": "3"}, seen, by="ada", environment={})
    with pytest.raises(Crossed, match=r"waiting is 9 now"):
        change(home, {"waiting": "8", "pairs": "2"}, seen, by="bo", environment={})
    assert (found(home, "waiting").value, found(home, "pairs").value) == ("9", "3")
    assert change(home, {"waiting": "5", "pairs": "2"}, seen, by="bo", environment={}) == ("pairs",)
    assert found(home, "waiting").value == "9", "who changed nothing of it takes nothing back"


def test_a_file_that_somebody_broke_meanwhile_is_told_and_left(home: Home) -> None:
    (home.folder / "trag.toml").write_text("waiting = = 3", encoding="utf-8")
    with pytest.raises(TragError, match=r"trag\.toml"):
        change(home, {"waiting": "9"}, {"waiting": "5"}, by="ada", environment={})
    with pytest.raises(TragError, match=r"trag\.toml"):
        listed(home, {})
    assert text(home) == "waiting = = 3"


def test_a_link_to_a_file_elsewhere_stays_one(home: Home, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("etc") / "trag.toml"
    (home.folder / "trag.toml").rename(elsewhere)
    (home.folder / "trag.toml").symlink_to(elsewhere)
    changed(home, waiting="6")
    assert (home.folder / "trag.toml").is_symlink()
    assert "waiting = 6 # few" in elsewhere.read_text(encoding="utf-8")


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everything")
def test_a_file_that_is_kept_from_the_program_is_left(home: Home) -> None:
    (home.folder / "trag.toml").chmod(0o400)
    with pytest.raises(TragError, match="may not be written by this program"):
        changed(home, waiting="6")
    assert text(home) == FILE


# The model


def test_a_model_answers_at_once_and_after_the_next_start(home: Home, tmp_path: Path) -> None:
    first, second = (str(write_model(tmp_path / f"{name}.gguf", name)) for name in ("llama", "qwen2"))
    assert model_change(home) is None
    for model, before in ((first, ""), (second, first)):
        change_model(home, model, by="ada", where="10.0.0.1", instead_of=before, environment={})
        assert (home.model.identity.name, home.settings.model) == (Path(model).stem, model)
    assert load({"TRAG_HOME": str(home.folder)}).model == second
    assert "port = 9000  # the proxy knows it" in text(home), "all else is left as it is"
    changed = model_change(home)
    assert changed
    assert (changed.before, changed.by) == (first, "ada")
    event, _ = home.records.audit.page(what="model changed")
    assert (event.who, event.about, event.where, event.result) == ("ada", "qwen2", "10.0.0.1", "llama -> qwen2")
    change_model(home, changed.before, by="ben", instead_of=second, environment={})
    assert (home.model.identity.name, model_change(home).before) == ("llama", second)  # type: ignore[union-attr]


def test_whatever_goes_wrong_leaves_the_model_before(home: Home, tmp_path: Path) -> None:
    good, before = str(write_model(tmp_path / "good.gguf", "llama")), text(home)
    (tmp_path / "cut.gguf").write_bytes(Path(good).read_bytes()[:-100])
    with pytest.raises(TragError, match="is cut short"):
        change_model(home, str(tmp_path / "cut.gguf"), by="ada", instead_of="", environment={})
    with pytest.raises(Crossed, match="answers now"):
        change_model(home, good, by="ada", instead_of="another.gguf", environment={})
    with pytest.raises(TragError, match="TRAG_MODEL says which model answers"):
        change_model(home, good, by="ada", instead_of="", environment={"TRAG_MODEL": "small"})
    assert (text(home), home.settings.model, model_change(home)) == (before, "", None)
    assert home.records.audit.page(what="model changed") == ()


def test_two_admins_at_once_do_not_overwrite_each_other(home: Home, tmp_path: Path) -> None:
    models = [str(write_model(tmp_path / f"{name}.gguf", "llama")) for name in "abc"]
    refused: list[str] = []

    def chosen(model: str) -> None:
        try:
            change_model(home, model, by=model, instead_of="", environment={})
        except Crossed:
            refused.append(model)

    threads = [Thread(target=chosen, args=(model,)) for model in models]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (left,) = {*models} - {*refused}
    assert home.settings.model == load({"TRAG_HOME": str(home.folder)}).model == left
    assert home.model.identity.name == Path(left).stem


def test_a_note_of_a_change_that_a_kill_cut_short_counts_for_nothing(home: Home) -> None:
    (home.folder / "models").mkdir()
    note = home.folder / "models" / ".changed.json"
    for content in ('{"model": "other", "before": "", "by": "ada", "at": "2026-11-28T10:00:00Z"}', "{", "[]"):
        note.write_text(content)
        assert model_change(home) is None


def test_what_holds_the_model_is_named(home: Home, tmp_path: Path) -> None:
    assert model_held_by(home, {}) == ""
    assert model_held_by(home, {"TRAG_MODEL": ""}) == "TRAG_MODEL"
    home.take_up(Settings(home=tmp_path, model_url="http://127.0.0.1:1/v1"))
    assert model_held_by(home, {}) == "model_url in trag.toml"
    assert model_held_by(home, {"TRAG_MODEL_URL": "http://127.0.0.1:1/v1"}) == "TRAG_MODEL_URL"
