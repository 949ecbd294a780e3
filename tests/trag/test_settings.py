from dataclasses import fields
from pathlib import Path

import pytest

from trag.errors import TragError
from trag.settings import Settings, load

ROOT = Path(__file__).parent.parent.parent


def test_the_environment_counts_more_than_the_file_and_the_file_more_than_the_defaults(tmp_path: Path) -> None:
    (tmp_path / "trag.toml").write_text('context = 2048\nport = 9000\nmodel = "a.gguf"\n')
    settings = load({"TRAG_HOME": str(tmp_path), "TRAG_PORT": "9001"})
    assert (settings.home, settings.context, settings.port, settings.model) == (tmp_path, 2048, 9001, "a.gguf")
    assert settings.pairs == Settings().pairs


@pytest.mark.parametrize(("said", "meant"), [("true", True), ("False", False)])
def test_a_switch_is_true_or_false_and_nothing_else(said: str, meant: bool) -> None:
    assert load({"TRAG_MCP": said}).mcp is meant
    with pytest.raises(TragError, match="'mcp' must be bool"):
        load({"TRAG_MCP": "yes"})


def test_without_a_home_in_the_environment_it_is_var() -> None:
    assert load({}).home == Path("var")


def test_the_records_are_in_the_home_where_no_database_is_named(tmp_path: Path) -> None:
    home = {"TRAG_HOME": str(tmp_path)}
    assert load(home).database == f"sqlite:///{tmp_path / 'trag.db'}"
    assert load(home | {"TRAG_DATABASE_URL": "postgresql://h/d"}).database == "postgresql://h/d"


@pytest.mark.parametrize(
    ("settings", "able"),
    [(Settings(), False), (Settings(model="llama.gguf"), True), (Settings(model_url="http://127.0.0.1:1/v1"), True)],
    ids=["embedded", "file", "server"],
)
def test_only_a_configured_model_is_able(settings: Settings, able: bool) -> None:
    assert settings.able is able


def test_every_problem_is_reported_at_once(tmp_path: Path) -> None:
    (tmp_path / "trag.toml").write_text("contxt = 1\nport = true\n")
    with pytest.raises(TragError) as refused:
        load({"TRAG_HOME": str(tmp_path), "TRAG_WAITING": "many", "TRAG_NONSENSE": "1"})
    for part in ("'contxt', did you mean 'context'", "'port' must be int", "'waiting' must be int", "'nonsense'"):
        assert part in refused.value.message


@pytest.mark.parametrize("port", ["0", "-1", "65536", "99999"])
def test_a_port_that_there_is_not_is_reported_with_the_rest(port: str) -> None:
    with pytest.raises(TragError, match=f"port = {port}: a port is a number from 1 to 65535") as refused:
        load({"TRAG_PORT": port, "TRAG_NONSENSE": "1"})
    assert "'nonsense'" in refused.value.message
    assert load({"TRAG_PORT": "65535"}).port == 65535


@pytest.mark.parametrize(
    ("settings", "url"),
    [
        (Settings(), "http://127.0.0.1:7860"),
        (Settings(host="::1", port=80), "http://[::1]:80"),
        (Settings(host="::", address="https://assistant.example.org/"), "https://assistant.example.org"),
    ],
    ids=["here", "here by IPv6", "proxy"],
)
def test_the_address_that_people_open_is_one_that_a_browser_reads(settings: Settings, url: str) -> None:
    assert settings.url == url


def test_a_file_that_is_no_toml_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "trag.toml").write_text("port = = 1")
    with pytest.raises(TragError, match=r"trag\.toml"):
        load({"TRAG_HOME": str(tmp_path)})


def test_every_setting_is_in_the_documentation() -> None:
    text = (ROOT / "docs" / "operators.md").read_text(encoding="utf-8")
    assert [field.name for field in fields(Settings) if f"TRAG_{field.name.upper()}" not in text] == []
