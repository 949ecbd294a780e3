"""Ingesting into real stores with the real embedder."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from store import StoreError
from trag.ingest.discovery import Ingested
from trag.sandbox import Limits

pytestmark = pytest.mark.slow  # the embedder takes seconds to load

FEES = "## Fees\n\nThe fee is 40 EUR a year.\n"
VOTES = "## Votes\n\nEach member has one vote.\n"
RULES = f"# Rules\n\n{FEES}\n{VOTES}"


def write(folder: Path, files: Mapping[str, str]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return folder


def pair(question: str, answer: str, **changes: str) -> str:
    row = {"question": question, "answer": answer, "type": "short_answer", "document": "rules.md", "section": "Fees"}
    return json.dumps(row | changes) + "\n"


def outcomes(results: tuple[Ingested, ...]) -> list[tuple[str, str]]:
    return [(result.name, result.outcome) for result in results]


def test_a_folder_is_read_sorted_and_one_bad_file_does_not_stop_the_others(shelf: Any, tmp_path: Path) -> None:
    folder = write(
        tmp_path / "in",
        {
            "b.txt": "Parking\n\nParking is free for all.",
            "a.md": RULES,
            "bad.pdf": "text",
            "data.xyz": "a,b",
            "header.md": "| A | B |\n|---|---|\n",
            "deep/c.md": "# C\n\nThe third one.",
            ".git/hidden.md": "hidden",
            ".hidden.md": "hidden",
        },
    )
    results = shelf.ingest(folder, tmp_path / "nowhere.md", folder / "data.xyz")
    assert outcomes(results) == [
        ("data.xyz", "skipped"),
        (str(tmp_path / "nowhere.md"), "failed"),
        ("data.xyz", "failed"),
        ("a.md", "indexed"),
        ("b.txt", "indexed"),
        ("bad.pdf", "failed"),
        ("c.md", "indexed"),
        ("header.md", "failed"),
    ]
    bad = results[5]
    assert bad.failed
    assert str(bad) == "failed: bad.pdf is not a PDF: it looks like plain text. Give it the suffix .txt, .md or .html."
    assert str(results[3]) == "indexed: a.md (2 passages)"
    assert shelf.in_line()
    assert shelf.nearest("how much is the membership fee") == "The fee is 40 EUR a year."
    assert len(shelf.originals()) == 3
    assert RULES in shelf.originals()


def test_what_leads_out_of_a_folder_is_not_read_and_named(shelf: Any, tmp_path: Path) -> None:
    out = write(tmp_path / "out", {"secret.md": "The word is marzipan.", "deep/more.md": "The vault is marzipan."})
    folder = write(tmp_path / "in", {"rules.md": RULES, ".env.md": "MARZIPAN=1", "sub/b.md": "The bar opens at five."})
    leads_out = {
        "away.md": out / "secret.md",
        "climbs.md": Path("../out/secret.md"),
        "env.txt": Path("/proc/self/environ"),
        "hidden.md": folder / ".env.md",
        "loop.md": tmp_path / "loop.md",
        "more": out / "deep",
        "proc": Path("/proc/self"),
        "sub/up": tmp_path,
        "twice.md": folder / "sub" / "up" / "out" / "secret.md",
    }
    (tmp_path / "loop.md").symlink_to("loop.md")
    for name, target in (leads_out | {"stays.md": folder / "sub" / "b.md", "z": Path("sub")}).items():
        (folder / name).symlink_to(target)
    results = shelf.ingest(folder)
    said = [each for each in results if each.outcome == "skipped"]
    assert [each.name for each in said] == sorted(leads_out)
    assert all("leads out of the folder" in each.reason for each in said)
    assert outcomes(tuple(each for each in results if each not in said)) == [
        ("rules.md", "indexed"),
        ("stays.md", "indexed"),
    ]
    assert "marzipan" not in "".join([*shelf.texts(), *shelf.originals()]).lower()
    assert outcomes(shelf.ingest(folder / "away.md")) == [("away.md", "indexed")], "who names a link has chosen it"
    (tmp_path / "named").symlink_to(out)
    assert outcomes(shelf.ingest(tmp_path / "named")) == [("more.md", "indexed"), ("secret.md", "skipped")]


def test_the_same_again_is_unchanged_and_other_content_wants_replace(shelf: Any, tmp_path: Path) -> None:
    rules = write(tmp_path, {"rules.md": RULES}) / "rules.md"
    shelf.ingest(rules)
    assert outcomes(shelf.ingest(rules)) == [("rules.md", "unchanged")]
    assert outcomes(shelf.ingest(rules, replace=True)) == [("rules.md", "unchanged")]
    rules.write_text(RULES.replace("40", "55"))
    (refused,) = shelf.ingest(rules)
    assert (refused.outcome, refused.reason) == ("failed", "rules.md is there already, with other content.")
    assert shelf.nearest("membership fee") == "The fee is 40 EUR a year."
    assert outcomes(shelf.ingest(rules, replace=True)) == [("rules.md", "replaced")]
    assert shelf.nearest("membership fee") == "The fee is 55 EUR a year."
    assert shelf.in_line()
    assert shelf.originals() == [RULES.replace("40", "55")], "the old original is gone"
    old = write(tmp_path / "in", {"rules.md": RULES.replace("40", "60"), "z.md": RULES.replace("40", "55")})
    assert outcomes(shelf.ingest(old, replace=True)) == [("rules.md", "replaced"), ("z.md", "indexed")]


def test_a_new_version_that_says_what_another_document_says_takes_the_place_of_the_old_one(
    shelf: Any, tmp_path: Path
) -> None:
    folder = write(tmp_path / "in", {"new.md": RULES.replace("40", "55"), "rules.md": RULES})
    shelf.ingest(folder)
    write(folder, {"rules.md": RULES.replace("40", "55")})
    assert outcomes(shelf.ingest(folder / "rules.md")) == [("rules.md", "failed")]
    assert outcomes(shelf.ingest(folder / "rules.md", replace=True)) == [("rules.md", "replaced")]
    assert shelf.texts("rules.md") == shelf.texts("new.md")
    assert shelf.in_line()


def test_only_the_passages_that_changed_are_embedded_again(shelf: Any, tmp_path: Path) -> None:
    rules = write(tmp_path, {"rules.md": RULES}) / "rules.md"
    shelf.ingest(rules)
    embedder, seen = shelf.embedder, []

    class Told:
        identity, dimension, embed_questions = embedder.identity, embedder.dimension, embedder.embed_questions

        def embed_passages(self, texts: list[str], progress: Any = None) -> Any:
            seen.extend(texts)
            return embedder.embed_passages(texts, progress)

    shelf.embedder = Told()
    rules.write_text(f"# Rules\n\nWhat binds us.\n\n{VOTES}\n{FEES.replace('40', '55')}")
    assert outcomes(shelf.ingest(rules, replace=True)) == [("rules.md", "replaced")]
    assert [text.split("\n")[-1] for text in seen] == ["What binds us.", "The fee is 55 EUR a year."]
    assert shelf.in_line()
    for question, answer in (("membership fee", "The fee is 55 EUR a year."), ("votes", "Each member has one vote.")):
        assert shelf.nearest(question) == answer


def test_a_new_version_that_cannot_be_read_leaves_the_old_one(shelf: Any, tmp_path: Path) -> None:
    rules = write(tmp_path, {"rules.md": RULES}) / "rules.md"
    shelf.ingest(rules)
    rules.write_bytes(b"\x89PNG\r\n\x1a\n")
    assert outcomes(shelf.ingest(rules, replace=True)) == [("rules.md", "failed")]
    assert shelf.nearest("membership fee") == "The fee is 40 EUR a year."


def test_names_tell_files_apart_and_the_same_content_is_there_once(shelf: Any, tmp_path: Path) -> None:
    others = {"b/rules.md": "# Other\n\nOther rules apply.", "c/own.md": "# Own\n\nText."}
    folder = write(tmp_path / "all", {"a/rules.md": RULES, "c/copy.md": RULES, **others})
    assert outcomes(shelf.ingest(folder, folder / "c" / "own.md")) == [
        ("a/rules.md", "indexed"),
        ("b/rules.md", "indexed"),
        ("copy.md", "skipped"),
        ("own.md", "indexed"),
    ]
    elsewhere = [write(tmp_path / place / "all", {"x.md": f"# X\n\n{place}."}) for place in ("one", "two")]
    found = [Path(result.name).parts[-3:] for result in shelf.ingest(*elsewhere)]
    assert found == [("one", "all", "x.md"), ("two", "all", "x.md")]
    nested = write(tmp_path / "nested", {f"{path}/policy.md": f"# Of {path}" for path in ("all/hr", "hr", "it")})
    assert outcomes(shelf.ingest(nested / "all", nested / "hr", nested / "it")) == [
        ("hr/policy.md", "indexed"),
        ((nested / "hr" / "policy.md").as_posix(), "indexed"),
        ("it/policy.md", "indexed"),
    ]
    spelt = write(
        tmp_path / "spelt", {"U\u0308bersicht.md": "# Old", "\u00dcbersicht.md": "# New", "U\u0308ber.md": "# Over"}
    )
    *same, over = shelf.ingest(spelt)
    assert [(result.outcome, result.hint) for result in same] == [("failed", "Rename one of them.")] * 2
    assert all("a name that reads the same as another file's" in result.reason for result in same)
    assert outcomes((over,)) == [("\u00dcber.md", "indexed")]


@pytest.mark.parametrize(
    "name", ["line\nend.md", "\u202egpj.md", "quo'te\"<b>.md", "-rf.md", "COM1.md", "ü" * 100 + ".md"]
)
def test_odd_names_are_kept_readable(shelf: Any, tmp_path: Path, name: str) -> None:
    (result,) = shelf.ingest(write(tmp_path / "odd", {name: RULES}))
    assert result.outcome == "indexed"
    assert str(result).isprintable()
    assert shelf.forget(result.name).left == ()


def test_pairs_are_searched_with_their_section_and_only_direct_ones(shelf: Any, tmp_path: Path) -> None:
    folder = write(
        tmp_path / "in",
        {
            "rules.md": RULES,
            "pairs.jsonl": pair("What do members pay?", "Members pay 40 EUR a year.")
            + pair("The fee is ____.", "The fee is 40 EUR.", type="fill_in_the_blank")
            + pair("Who may vote?", "Every member.", section="Nowhere"),
        },
    )
    results = shelf.ingest(folder)
    assert str(results[1]) == (
        "indexed: pairs.jsonl (2 pairs; 1 of types that are not searched, kept for training; "
        "line 3 names a section that the document does not have)"
    )
    assert [(passage.kind, passage.section) for passage in shelf.records.library.passages("rules.md")] == [
        ("section", "Rules > Fees"),
        ("section", "Rules > Votes"),
        ("qa", "Rules > Fees"),
        ("qa", "Nowhere"),
    ]
    assert shelf.nearest("What do members pay?") == "Members pay 40 EUR a year."
    assert shelf.in_line()
    assert outcomes(shelf.ingest(folder)) == [("rules.md", "unchanged"), ("pairs.jsonl", "unchanged")]


def test_the_pairs_of_one_call_are_all_that_a_document_has(shelf: Any, tmp_path: Path) -> None:
    folder = write(tmp_path / "in", {"rules.md": RULES, "1.jsonl": pair("One?", "1."), "2.jsonl": pair("Two?", "2.")})
    assert {outcome for _, outcome in outcomes(shelf.ingest(folder))} == {"indexed"}
    write(folder, {"2.jsonl": pair("Three?", "3.")})
    refused = shelf.ingest(folder)[1:]
    assert {(result.outcome, result.reason) for result in refused} == {("failed", "rules.md has other pairs already.")}
    assert {outcome for _, outcome in outcomes(shelf.ingest(folder, replace=True))[1:]} == {"replaced"}
    assert shelf.texts()[2:] == ["1.", "3."]
    assert shelf.in_line()


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (pair("Who?", "I.", document="gone.md"), "There is no document gone.md."),
        (
            pair("Who?", "I.") + "{}\n",
            "pairs.jsonl has lines that are no question-answer pairs: line 2 without text in question,",
        ),
        ("", "pairs.jsonl holds no question-answer pair."),
    ],
    ids=["of no document", "bad line", "empty"],
)
def test_pairs_that_cannot_be_used_are_said_and_none_of_them_kept(
    shelf: Any, tmp_path: Path, lines: str, said: str
) -> None:
    results = shelf.ingest(write(tmp_path / "in", {"rules.md": RULES, "pairs.jsonl": lines}))
    assert outcomes(results) == [("rules.md", "indexed"), ("pairs.jsonl", "failed")]
    assert results[1].reason.startswith(said)
    assert shelf.vectors.count("qa") == 0


def test_replacing_a_document_keeps_the_pairs_of_sections_that_did_not_change(shelf: Any, tmp_path: Path) -> None:
    pairs = pair("What is the fee?", "40 EUR.") + pair("How many votes?", "One.", section="Votes")
    folder = write(tmp_path / "in", {"rules.md": RULES, "pairs.jsonl": pairs})
    shelf.ingest(folder)
    write(folder, {"rules.md": f"# Rules\n\n## Preface\n\nNew.\n\n{FEES.replace('40', '55')}\n{VOTES}"})
    (result,) = shelf.ingest(folder / "rules.md", replace=True)
    assert str(result) == "replaced: rules.md (3 passages, 1 pair; 1 pair of changed sections to be looked at again)"
    assert [passage.text for passage in shelf.records.library.passages("rules.md") if passage.kind == "qa"] == ["One."]
    assert [pair.answer for pair in shelf.records.library.pairs(states=["review"])] == ["40 EUR."]
    assert shelf.in_line()


def test_a_file_that_is_too_large_fails_alone(shelf: Any, tmp_path: Path) -> None:
    folder = write(tmp_path / "in", {"large.md": RULES * 100, "small.md": RULES})
    results = shelf.ingest(folder, limits=Limits(file_bytes=1_000))
    assert outcomes(results) == [("large.md", "failed"), ("small.md", "indexed")]


def test_progress_tells_the_step_and_how_far_it_is(shelf: Any, tmp_path: Path) -> None:
    told: list[tuple[str, int, int]] = []
    folder = write(tmp_path / "in", {"a.md": RULES, "b.md": "# B\n\nText."})
    shelf.ingest(folder, progress=lambda *step: told.append(step))
    assert told[:2] == [("reading a.md", 0, 2), ("embedding a.md", 2, 2)]
    assert told[2:] == [("reading b.md", 1, 2), ("embedding b.md", 1, 1)]


def test_a_full_disk_stops_the_run_and_leaves_what_was_there(
    shelf: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write(tmp_path / "in", {"a.md": RULES})
    shelf.ingest(folder)

    def full(*_: object) -> None:
        raise StoreError("No space is left.", "Free some.")

    monkeypatch.setattr("store.files.write_atomic", full)
    with pytest.raises(StoreError):
        shelf.ingest(write(folder, {"a.md": "# New\n\nText."}), replace=True)
    assert shelf.nearest("membership fee") == "The fee is 40 EUR a year."
    assert shelf.in_line()
