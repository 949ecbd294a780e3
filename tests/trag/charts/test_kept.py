"""The chart files of a home."""

from pathlib import Path

import pytest

from org.reading.charts import load
from trag.charts import files
from trag.errors import TragError


def test_a_chart_that_would_be_too_large_to_be_read_again_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = b"name,parent\nClub,\nBar,Club\n"
    chart = load(original, "club.csv")
    monkeypatch.setattr("org.reading.table.MAX_BYTES", len(original))
    with pytest.raises(TragError, match=r"club\.csv is too large: kept as JSON"):
        files.keep(chart, "club.csv", original, tmp_path / "charts")
    assert not (tmp_path / "charts").exists()
