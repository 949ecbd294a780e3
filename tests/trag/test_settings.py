from dataclasses import fields
from pathlib import Path

import pytest

from store.records import Records
from trag.errors import TragError
from trag.settings import Settings, load

ROOT = Path(__file__).parent.parent.parent


def test_the_environment_counts_more_than_the_file_and_the_file_more_than_the_defaults(tmp_path: Path) -> None:
    (tmp_path / "trag.toml").write_text('context = 2048\nport = 9000\nmodel = "a.gguf"\n')
    settings = load({"TRAG_HOME": str(tmp_path), "TRAG_PORT": "9001"})
    assert (settings.home, settings.context, settings.port, settings.model) == (tmp_path, 2048, 9001, "a.gguf")
    assert settings.pairs == Settings().pairs


@pytest.mark.parametrize(("said", "meant"), [("true", True), ("False", False), ("on", True), ("0", False)])
def test_a_switch_is_on_or_off_and_nothing_else(said: str, meant: bool) -> None:
    assert load({"TRAG_MCP": said}).mcp is meant
    with pytest.raises(TragError, match='"mcp" must be true or false, found "maybe"'):
        load({"TRAG_MCP": "maybe"})


def test_the_records_are_in_the_home_where_no_database_is_named(tmp_path: Path) -> None:
    assert load({}).home == Path("var")
    home = {"TRAG_HOME": str(tmp_path)}
    assert load(home).database == f"sqlite:///{tmp_path / 'trag.db'}"
    assert load(home | {"TRAG_DATABASE_URL": "postgresql://h/d"}).database == "postgresql://h/d"


def test_the_records_are_in_the_home_whatever_it_is_called(tmp_path: Path) -> None:
    home = tmp_path / "what? 100%20 #1 a b@c:d \u00fcber"
    home.mkdir()
    Records(load({"TRAG_HOME": str(home)}).database).close()
    assert [*tmp_path.rglob("*.db")] == [home / "trag.db"]


def test_every_problem_is_reported_at_once(tmp_path: Path) -> None:
    (tmp_path / "trag.toml").write_text("contxt = 1\nport = true\n")
    with pytest.raises(TragError) as refused:
        load({"TRAG_HOME": str(tmp_path), "TRAG_WAITING": "many", "TRAG_NONSENSE": "1"})
    for part in (
        'trag.toml: unknown setting "contxt", did you mean "context"?',
        'trag.toml: "port" must be a whole number, found "True"',
        'environment TRAG_*: "waiting" must be a whole number, found "many"',
        'environment TRAG_*: unknown setting "nonsense"',
    ):
        assert part in refused.value.message


@pytest.mark.parametrize(
    ("name", "value", "must"),
    [
        *(("port", port, "1 or more") for port in ("0", "-1")),
        *(("port", port, "65,535 or less") for port in ("65536", "99999")),
        ("gpu_layers", "-2", "-1 or more"),
        ("context", "0", 'more than "answer_tokens" = 256'),
        ("context", "256", 'more than "answer_tokens" = 256'),
        ("answer_tokens", "0", "1 or more"),
        ("pairs", "-3", "0 or more"),
        ("sections", "-1", "0 or more"),
        ("statement_tokens", "-1", "0 or more"),
        ("waiting", "-1", "0 or more"),
        *(("threshold", value, "1 or less") for value in ("nan", "20.0")),
        ("threshold", "-1.5", "-1 or more"),
    ],
)
def test_a_number_that_cannot_be_is_reported_with_the_rest(name: str, value: str, must: str) -> None:
    with pytest.raises(TragError, match=f'"{name}" must be {must}, found "?{value}') as refused:
        load({f"TRAG_{name.upper()}": value, "TRAG_NONSENSE": "1"})
    assert '"nonsense"' in refused.value.message


@pytest.mark.parametrize(
    ("name", "value"), [("port", 65_535), ("waiting", 0), ("pairs", 0), ("gpu_layers", 0), ("context", 257)]
)
def test_the_last_number_that_can_be_is_taken(name: str, value: int) -> None:
    assert getattr(load({f"TRAG_{name.upper()}": str(value)}), name) == value


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


def test_settings_that_cannot_be_read_name_the_file(tmp_path: Path) -> None:
    file = tmp_path / "trag.toml"
    file.write_text("port = = 1")
    with pytest.raises(TragError, match=r"trag\.toml"):
        load({"TRAG_HOME": str(tmp_path)})
    file.unlink()
    file.mkdir()
    with pytest.raises(TragError, match=r"trag\.toml cannot be read: Is a directory"):
        load({"TRAG_HOME": str(tmp_path)})


@pytest.mark.parametrize("home", ["file", "file/home", "link", "~nobody-of-that-name/home"])
def test_a_home_that_can_be_no_folder_is_named(home: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("not a home")
    (tmp_path / "link").symlink_to("a disk that is not there")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TragError, match=f"TRAG_HOME = {home}"):
        load({"TRAG_HOME": home})


def test_every_setting_is_in_the_documentation() -> None:
    text = (ROOT / "docs" / "operators.md").read_text(encoding="utf-8")
    assert [field.name for field in fields(Settings) if f"TRAG_{field.name.upper()}" not in text] == []
