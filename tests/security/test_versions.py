"""No package is older than the version in which a hole that reaches us was closed."""

from __future__ import annotations

import re
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FLOORS = {
    "gradio": ("6.25.0", "an async dependency let everybody in; CORS and /config passed the dependency by"),
    "starlette": ("1.3.1", "Range in squared time, Host not looked at, limits of forms passed by"),
    "python-multipart": ("0.0.26", "forms that take for ever"),
    "jinja2": ("3.1.6", "a way out of the sandbox"),
    "llama-cpp-python": ("0.3.35", "a chat template that runs; GGUF headers that overflow"),
    "langchain-core": ("1.2.22", "objects out of JSON, attributes out of templates, paths out of the folder"),
    "langchain-text-splitters": ("0.3.9", "entities in XML"),
    "torch": ("2.10.0", "code out of weights, although only weights were asked for"),
    "python-docx": ("0.8.6", "entities in XML"),
    "cryptography": ("46.0.0", "a floor of our own: what is still mended; authlib brings it"),
    "argon2-cffi": ("25.1.0", "a floor of our own: what is still mended"),
}
FORBIDDEN = {
    "nltk": "advisories that nobody has mended",
    "pdfminer.six": "code out of a PDF's character maps",
    "langchain-community": "loaders that read what they should not",
    "unstructured": "many parsers in one process",
}


def numbers(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", text)[:3])


@pytest.mark.parametrize("package", FLOORS)
def test_a_package_is_as_new_as_its_last_hole_that_reaches_us(package: str) -> None:
    floor, why = FLOORS[package]
    assert numbers(version(package)) >= numbers(floor), why


def test_every_requirement_is_pinned_and_none_is_of_those_we_do_without() -> None:
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    wanted = [line.partition("#")[0].split()[0] for line in lines if line.partition("#")[0].strip()]
    assert [line for line in wanted if not re.fullmatch(r"[\w.-]+(\[\w+\])?==[\w.]+", line)] == []
    names = {re.split(r"[=\[]", line)[0].lower() for line in wanted}
    assert not names & set(FORBIDDEN)
