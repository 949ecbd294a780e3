"""The adapter that ships is the one that its manifest describes, and small enough for the repository."""

from trag.finetune import candidates
from trag.llm import files

MOST_BYTES = 12 * 1024 * 1024


def test_what_ships_is_small_and_the_one_that_is_described() -> None:
    file, manifest = files.SHIPPED / files.ADAPTER_FILE, candidates.shipped()
    assert manifest
    assert file.stat().st_size <= MOST_BYTES
    assert files.sha256_of(file) == manifest.adapter_sha256
    assert manifest.base_sha256 == files.base_sha256("")
