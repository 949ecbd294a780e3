"""An adapter that ships is the one that its manifest describes, for the default model, and small enough for the
repository."""

from trag.llm import files
from trag.models import adapters
from trag.models.catalogue import CatalogueModel

MOST_BYTES = 20 * 1024 * 1024


def test_what_ships_is_small_and_the_one_that_is_described(reader: CatalogueModel) -> None:
    file, manifest = files.SHIPPED / files.ADAPTER_FILE, adapters.shipped()
    assert file.exists() is (manifest is not None)
    if manifest:
        assert file.stat().st_size <= MOST_BYTES
        assert files.sha256_of(file) == manifest.adapter_sha256
        assert manifest.base_sha256 == reader.sha256
