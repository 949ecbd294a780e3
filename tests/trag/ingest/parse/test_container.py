"""What every Office format refuses or says, whatever is in it."""

import io
import re
import socket
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.trag.ingest.made import picture, slides, word, workbook
from trag.errors import TragError
from trag.ingest.parse import parse
from trag.ingest.reading import Reading

RELATION = '<Relationship Id="rId99" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/{}" '


def titled(presentation: Any) -> None:
    presentation.slides.add_slide(presentation.slide_layouts[5]).shapes.title.text = "Some text."


FILES = {
    ".docx": (word(lambda document: document.add_paragraph("Some text.")), "word/document.xml"),
    ".xlsx": (workbook(lambda book: book.active.append(("Some text.",))), "xl/workbook.xml"),
    ".pptx": (slides(titled), "ppt/presentation.xml"),
}


def repacked(content: bytes, name: str, change: Callable[[bytes], bytes], packed: int = zipfile.ZIP_DEFLATED) -> bytes:
    """The same container with one entry changed, or added."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(file, "w", packed) as new:
        for entry in old.infolist():
            data = old.read(entry)
            new.writestr(entry.filename, change(data) if entry.filename == name else data)
        if name not in old.namelist():
            new.writestr(name, change(b""))
    return file.getvalue()


def with_relation(content: bytes, main: str, kind: str, target: str) -> bytes:
    """The same container with one more relation of its main part."""
    name = f"{Path(main).parent}/_rels/{Path(main).name}.rels"
    added = RELATION.format(kind) + target + "/></Relationships>"
    return repacked(content, name, lambda xml: xml.replace(b"</Relationships>", added.encode()))


def locked(content: bytes, main: str) -> bytes:
    """The same container with the mark that its entries are encrypted."""
    changed = bytearray(content)
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = changed.find(signature)
        while at >= 0:
            changed[at + offset] |= 1
            at = changed.find(signature, at + 4)
    return bytes(changed)


ENTITY = b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]>'
BAD = {
    "packed 1000 to 1": ("media/x.xml", lambda _: bytes(30_000_000), "ZIP bomb"),
    "entities": ("", lambda xml: ENTITY + xml[55:], "declares XML entities"),
    "entities over the end of a piece": (
        "x.xml",
        lambda _: b" " * (2**20 - 5) + b"<!DOCTYPE a>",
        "declares XML entities",
    ),
    "entities in utf-16": ("x.xml", lambda _: "\ufeff<!DOCTYPE a>".encode("utf-16-le"), "declares XML entities"),
    "broken XML": ("", lambda xml: xml[:200], "damaged"),
    "no table of contents": ("[Content_Types].xml", lambda _: b"", "damaged"),
}
"""What is wrong in a container: the entry, "" for the main part, what becomes of it, and what is said."""
SPOILT: dict[str, tuple[Callable[[bytes, str], bytes], str]] = {
    **{
        name: (lambda file, main, entry=entry, change=change: repacked(file, entry or main, change), said)
        for name, (entry, change, said) in BAD.items()
    },
    "bzip2": (lambda file, _: repacked(file, "x", lambda _: b"y", zipfile.ZIP_BZIP2), "packed in a way"),
    "encrypted": (locked, "encrypted with a password"),
    "truncated": (lambda file, _: file[:-300], "damaged"),
}


@pytest.mark.parametrize("suffix", FILES)
@pytest.mark.parametrize("bad", SPOILT)
def test_a_hostile_or_damaged_container_is_refused(bad: str, suffix: str) -> None:
    spoil, said = SPOILT[bad]
    with pytest.raises(TragError) as caught:
        parse(spoil(*FILES[suffix]), suffix)
    assert said in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize("suffix", FILES)
def test_a_container_of_too_many_parts_is_refused(suffix: str) -> None:
    file = io.BytesIO(FILES[suffix][0])
    with zipfile.ZipFile(file, "a") as container:
        for number in range(5_001):
            container.writestr(f"media/{number}.png", b"")
    with pytest.raises(TragError, match="ZIP bomb"):
        parse(file.getvalue(), suffix)


@pytest.mark.parametrize(("make", "suffix"), [(word, ".docx"), (workbook, ".xlsx"), (slides, ".pptx")], ids=[*FILES])
def test_a_file_without_text_is_refused(make: Callable[..., bytes], suffix: str) -> None:
    with pytest.raises(TragError, match="holds no text"):
        parse(make(lambda _: None), suffix)


def read(content: bytes, suffix: str) -> Reading:
    reading = parse(content, suffix)
    assert [block.text for block in reading.blocks] == ["Some text."]
    return reading


@pytest.mark.parametrize("suffix", FILES)
def test_names_inside_are_never_written_to(suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    content = FILES[suffix][0]
    for name in ("../../evil.xml", "/tmp/evil-of-the-tests.xml", "C:\\evil.xml", "x" * 300 + ".xml"):
        content = repacked(content, name, lambda _: b"<evil/>")
    assert read(content, suffix).notes == ()
    assert list(tmp_path.iterdir()) == []
    assert not Path("/tmp/evil-of-the-tests.xml").exists()


@pytest.mark.parametrize("suffix", FILES)
@pytest.mark.parametrize(
    ("kind", "target", "notes"),
    [
        (
            "attachedTemplate",
            'Target="http://127.0.0.1:9/x.dotm" TargetMode="External"',
            ("1 link to content outside the file not followed",),
        ),
        (
            "image",
            'Target="\\\\127.0.0.1\\x.png" TargetMode="External"',
            ("1 link to content outside the file not followed",),
        ),
        ("hyperlink", 'Target="http://127.0.0.1:9/" TargetMode="External"', ()),
    ],
)
def test_no_link_is_followed_and_those_to_content_are_said(
    suffix: str, kind: str, target: str, notes: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket, "socket", None)
    monkeypatch.setattr(socket, "getaddrinfo", None)
    assert read(with_relation(*FILES[suffix], kind, target), suffix).notes == notes


@pytest.mark.parametrize("suffix", FILES)
def test_macros_are_said(suffix: str) -> None:
    assert read(repacked(FILES[suffix][0], "x/vbaProject.bin", lambda _: b"x"), suffix).notes == ("macros not run",)


RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
OF_STRICT = re.compile(rb"http://schemas\.openxmlformats\.org/(officeDocument|\w+ml)/2006/")


@pytest.mark.parametrize("suffix", FILES)
def test_the_strict_form_is_read_as_the_usual_one(suffix: str) -> None:
    content = FILES[suffix][0]
    with zipfile.ZipFile(io.BytesIO(content)) as container:
        names = [name for name in container.namelist() if name.endswith((".xml", ".rels"))]
    for name in names:
        content = repacked(content, name, lambda xml: OF_STRICT.sub(rb"http://purl.oclc.org/ooxml/\1/", xml))
    assert RELATIONS.encode() not in zipfile.ZipFile(io.BytesIO(content)).read("_rels/.rels")
    assert read(content, suffix).notes == ()


@pytest.mark.parametrize(
    ("suffix", "usual", "given"),
    [
        (".docx", b"document.main", b"template.main"),
        (".docx", b"openxmlformats-officedocument.wordprocessingml.document.", b"ms-word.document.macroEnabled."),
        (".pptx", b"presentation.main", b"slideshow.main"),
        (".pptx", b"presentation.main", b"template.main"),
    ],
)
def test_templates_shows_and_files_with_macros_are_read(suffix: str, usual: bytes, given: bytes) -> None:
    content = repacked(FILES[suffix][0], "[Content_Types].xml", lambda xml: xml.replace(usual, given))
    assert content != FILES[suffix][0]
    assert read(content, suffix).notes == ()


@pytest.mark.parametrize("suffix", FILES)
@pytest.mark.parametrize("target", ["media/gone.png", "/media/gone.png", "NULL"])
def test_a_part_that_is_missing_is_said_and_the_rest_read(suffix: str, target: str) -> None:
    content = with_relation(*FILES[suffix], "image", f'Target="{target}"')
    assert read(content, suffix).notes == ("1 part missing in the file",)


def test_the_document_may_have_another_name() -> None:
    content = FILES[".docx"][0]
    moved = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(moved, "w") as new:
        for entry in old.infolist():
            name = entry.filename.replace("document.xml", "document2.xml")
            new.writestr(name, old.read(entry).replace(b"document.xml", b"document2.xml"))
    assert read(moved.getvalue(), ".docx").notes == ()


def test_a_part_that_cannot_be_unpacked_is_a_damaged_file() -> None:
    content = bytearray(word(lambda document: document.add_picture(picture(200))))
    with zipfile.ZipFile(io.BytesIO(content)) as container:
        entry = next(each for each in container.infolist() if each.filename.endswith(".png"))
    begin = entry.header_offset + 30 + len(entry.filename)
    content[begin : begin + entry.compress_size] = b"\xff" * entry.compress_size
    with pytest.raises(TragError, match="damaged"):
        parse(bytes(content), ".docx")
