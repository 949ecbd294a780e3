"""A home: what is put into it is there when it is opened again, and what was damaged is made good."""

from pathlib import Path

import pytest

from store import StoreError
from trag.errors import TragError
from trag.home import open_home
from trag.settings import Settings

CHART = b"name,parent,type\nClub,,club\nBoard,Club,board\n"


def silent(step: str, done: int, total: int) -> None:
    """Progress that nobody watches."""


def test_a_new_home_has_nothing_to_answer_from(tmp_path: Path) -> None:
    with open_home(Settings(home=tmp_path / "new" / "home")) as home:
        assert home.state().empty


def test_a_chart_is_there_after_the_home_was_closed(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path)
    with open_home(settings) as home:
        version = home.activate_chart(CHART, "club.csv").version
    with open_home(settings) as home:
        assert (home.organization.name, home.organization.version) == ("Club", version)
        assert not home.state().empty


def test_a_chart_whose_file_is_gone_is_said_with_what_to_do(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path)
    with open_home(settings) as home:
        home.activate_chart(CHART, "club.csv")
    for file in (tmp_path / "charts").iterdir():
        file.unlink()
    with pytest.raises(TragError, match="no longer in") as refused, open_home(settings):
        pass
    assert "chart activate FILE" in refused.value.hint


@pytest.mark.slow
def test_an_index_that_is_gone_is_made_again_from_the_records(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path / "home")
    (tmp_path / "rules.md").write_text("# Rules\n\n## 1 Fees\n\nThe fee is 20 LMD a year.\n")
    with open_home(settings) as home:
        home.ingest([tmp_path / "rules.md"], replace=False, progress=silent)
        before = home.vectors.ids()
    for file in sorted((tmp_path / "home" / "chroma").rglob("*"), reverse=True):
        file.unlink() if file.is_file() else file.rmdir()
    with open_home(settings) as home:
        assert home.vectors.ids() == before


@pytest.mark.slow
def test_another_encoder_is_an_error_until_the_index_is_made_again(tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer

    from trag.embed import _embedded

    other = tmp_path / "other-encoder"
    SentenceTransformer(str(_embedded()), local_files_only=True).save(str(other))
    home_folder = tmp_path / "home"
    (tmp_path / "rules.md").write_text("# Rules\n\nThe fee is 20 LMD a year.\n")
    with open_home(Settings(home=home_folder)) as home:
        home.ingest([tmp_path / "rules.md"], replace=False, progress=silent)
    changed = Settings(home=home_folder, embedder=str(other))
    with open_home(changed) as home, pytest.raises(StoreError, match="embedder in use") as refused:
        home.vectors  # noqa: B018
    assert "--reindex" in refused.value.hint
    with open_home(changed) as home:
        assert home.reindex(silent) == 1
        assert home.vectors.count() == 1
