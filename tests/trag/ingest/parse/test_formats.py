import io
import zipfile

import pytest

from trag.errors import TragError
from trag.ingest.parse.formats import recognise


def archive(*names: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as container:
        for name in names:
            container.writestr(name, "<x/>")
    return file.getvalue()


OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


@pytest.mark.parametrize(
    ("content", "suffix", "kind"),
    [
        (b"# Title", ".md", "markdown"),
        (b"Title", ".TXT", "text"),
        (b"<p>Text", ".htm", "html"),
        (b"no tag at all", ".html", "text"),
        (b"\n<!DOCTYPE html><p>x", ".md", "html"),
        (b"A <b>word</b> of HTML", ".md", "markdown"),
        (b"%PDF-1.7", ".pdf", "pdf"),
        (archive("word/document.xml"), ".docx", "docx"),
        (archive("xl/workbook.xml"), ".xlsx", "xlsx"),
        (archive("ppt/presentation.xml"), ".PPTX", "pptx"),
        (b"Post,Limit", ".csv", "csv"),
        (b"Post\tLimit", ".tsv", "csv"),
        (b"<html><table>", ".csv", "html"),
        ("Ärger".encode("utf-16"), ".txt", "text"),
        (b"MZUZU CLUB", ".txt", "text"),
    ],
)
def test_the_format_is_known_by_content_and_name(content: bytes, suffix: str, kind: str) -> None:
    assert recognise(content, suffix) == kind


@pytest.mark.parametrize(
    ("content", "suffix", "said"),
    [
        (b"", ".md", "is empty"),
        (b"\xef\xbb\xbf \n\t", ".txt", "is empty"),
        (b"\x89PNG\r\n\x1a\n....", ".pdf", "looks like a PNG picture"),
        (b"%PDF-1.7", ".docx", "looks like a PDF"),
        (b"%PDF-1.7", ".txt", "looks like a PDF"),
        (b"plain words", ".pdf", "is not a PDF"),
        (b"<html>", ".docx", "is not a Word document"),
        (archive("xl/workbook.xml"), ".docx", "an Excel workbook"),
        (archive("word/document.xml"), ".xlsx", "looks like a Word document"),
        (b"Post,Limit", ".xlsx", "is not an Excel workbook"),
        (archive("xl/workbook.bin"), ".xlsx", "a binary Excel workbook"),
        (archive("META-INF/manifest.xml"), ".docx", "an OpenDocument file"),
        (archive("readme.txt"), ".docx", "a ZIP archive"),
        (b"PK\x03\x04 cut short", ".docx", "damaged ZIP"),
        (OLE + "EncryptedPackage".encode("utf-16-le"), ".docx", "encrypted with a password"),
        (OLE, ".docx", "an old Office file"),
        (b"MZ\x90\x00" + bytes(100), ".pdf", "a Windows program"),
        (bytes(range(256)), ".txt", "data that is not text"),
        (b"x", ".xyz", "has the suffix '.xyz'"),
    ],
)
def test_what_cannot_be_read_is_named_for_what_it_is(content: bytes, suffix: str, said: str) -> None:
    with pytest.raises(TragError) as caught:
        recognise(content, suffix)
    assert said in caught.value.message
    assert caught.value.hint
