"""The models that are recommended beside the embedded one: each one file of one revision, with its published sha256.

Knows nothing about fetching.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from trag.errors import TragError

HUB = "https://huggingface.co"


@dataclass(frozen=True, slots=True)
class Recommended:
    """A GGUF file on a hub. `template` is the chat template that the file itself lacks, "" where it has one."""

    name: str
    repository: str
    revision: str
    file: str
    sha256: str
    bytes: int
    licence: str
    said: str
    template: str = ""

    def address(self, hub: str = HUB) -> str:
        """Where the file is on a hub."""
        return f"{hub.rstrip('/')}/{self.repository}/resolve/{self.revision}/{self.file}"


MODELS = (
    Recommended(
        name="llama-2-7b-chat",
        repository="TheBloke/Llama-2-7B-Chat-GGUF",
        revision="191239b3e26b2882fb562ffccdd1cf0f65402adb",
        file="llama-2-7b-chat.Q4_K_M.gguf",
        sha256="08a5566d61d7cb6b420c3e4387a39e0078e1f2fe5f055f3a03887385304d4bfa",
        bytes=4_081_004_224,
        licence="Llama 2 Community License",
        said="The model of the T-RAG paper. Wants a GPU, or patience.",
        template=(Path(__file__).parent / "llama-2-chat.jinja").read_text(encoding="utf-8"),
    ),
    Recommended(
        name="smollm2-1.7b-instruct",
        repository="HuggingFaceTB/SmolLM2-1.7B-Instruct-GGUF",
        revision="2d4a76a30b4af41ecd395c35725ac11688d4cfe4",
        file="smollm2-1.7b-instruct-q4_k_m.gguf",
        sha256="decd2598bc2c8ed08c19adc3c8fdd461ee19ed5708679d1c54ef54a5a30d4f33",
        bytes=1_055_609_536,
        licence="Apache-2.0",
        said="The embedded model's larger sister: bearable on a CPU, and can be fine-tuned here.",
    ),
    Recommended(
        name="qwen2.5-1.5b-instruct",
        repository="Qwen/Qwen2.5-1.5B-Instruct-GGUF",
        revision="91cad51170dc346986eccefdc2dd33a9da36ead9",
        file="qwen2.5-1.5b-instruct-q4_k_m.gguf",
        sha256="6a1a2eb6d15622bf3c96857206351ba97e1af16c30d7a74ee38970e434e9407e",
        bytes=1_117_320_736,
        licence="Apache-2.0",
        said="Answers well in many languages, on a CPU too. Cannot be fine-tuned here.",
    ),
)


def named(name: str) -> Recommended:
    """Raises TragError when no model is called so."""
    for model in MODELS:
        if model.name == name:
            return model
    raise TragError(f"No model {name} is recommended.", f"There are: {', '.join(model.name for model in MODELS)}.")
