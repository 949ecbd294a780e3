"""The beginning of a GGUF file of anyone -> whether it is a chat model, in a child of `trag.sandbox`: what is wrong
with it is told as a refusal."""

from __future__ import annotations

import io
from pathlib import Path

from trag.errors import TragError
from trag.llm.files import check_model, header_of
from trag.sandbox import serve


def architecture(beginning: bytes, name: str, size: int, *, template: bool) -> str:
    """That of the model in a file called `name`, of `size` bytes in all; `template` is whether a chat template is
    beside it. Raises TragError, without the name, when it is no model that can answer."""
    path = Path(name)
    try:
        about = header_of(io.BytesIO(beginning), path, size)
        check_model(about, path, template=template)
    except TragError as error:
        said = error.message.removeprefix(f"{path} ")
        raise TragError(said, error.hint) from error
    return about.text("general.architecture")


if __name__ == "__main__":
    serve(lambda content, told: ascii(architecture(content, told[0], int(told[1]), template=told[2] == "template")))
