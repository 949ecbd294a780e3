"""A home in one file and back: while it is written to, killed at any moment, and from files that are no backups."""

from __future__ import annotations

import errno
import gzip
import io
import signal
import subprocess
import sys
import tarfile
import threading
import time
from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path
from shutil import copy, copytree
from unittest.mock import Mock

import pytest

from store import StoreError
from store.person import Newcomer
from store.records import Records
from trag.backup import FOLDERS, back_up, restore
from trag.embed import open_embedder
from trag.errors import TragError
from trag.home import open_home
from trag.review.verdicts import put_label
from trag.settings import Settings
from trag.terminal.main import main

ROOT = Path(__file__).parents[2]
FILES = {
    f"{folder}/é {number}/file{number}": f"{folder} {number}".encode() for folder in FOLDERS for number in range(2)
}
LEFT_OUT = ("trag.toml", "models/a.gguf", "cache/page.png", "chroma/data", "documents/.x.unfinished")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a home with something of everything, and its backup."""
    folder = tmp_path_factory.mktemp("template")
    settings = Settings(home=folder / "old")
    for name in (*FILES, *LEFT_OUT):
        path = settings.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(FILES.get(name, b"canary-of-what-is-left-out"))
    (settings.home / "documents" / "link").symlink_to("/etc/passwd")
    with closing(Records(settings.database)) as records:
        records.people.add(Newcomer("ada", role="admin", state="active", secret="$argon2id$1"), by="ada")
        for number in range(3):
            records.save_answer(f"a{number}", None, "q", "w", "{}")
            put_label(records, f"a{number}", "rita", "Correct", "", "")
    back_up(settings, folder / "backup.tar")
    return folder


@pytest.fixture
def old(template: Path, tmp_path: Path) -> Settings:
    """A home with something of everything."""
    return Settings(home=copytree(template / "old", tmp_path / "old", symlinks=True))


@pytest.fixture
def new(tmp_path: Path) -> Settings:
    """A home that is not there yet."""
    return Settings(home=tmp_path / "new")


@pytest.fixture
def made(template: Path, tmp_path: Path) -> Path:
    """Its backup."""
    return Path(copy(template / "backup.tar", tmp_path))


def held(home: Path) -> dict[str, bytes]:
    return {
        path.relative_to(home).as_posix(): path.read_bytes()
        for folder in FOLDERS
        for path in (home / folder).rglob("*")
        if path.is_file() and not path.is_symlink() and not path.name.endswith(".unfinished")
    }


def labels(settings: Settings) -> list[str]:
    with closing(Records(settings.database)) as records:
        assert records.audit.verify() is None
        return [label.answer for label in records.labels()]


def test_a_restored_home_holds_all_that_was_backed_up_and_nothing_else(
    old: Settings, new: Settings, made: Path, tmp_path: Path
) -> None:
    manifest = restore(new, made)
    assert held(new.home) == held(old.home) == FILES
    assert back_up(new, tmp_path / "again.tar").files == manifest.files, "each row of each table too"
    assert {path.name for path in new.home.iterdir()} == {*FOLDERS, "trag.db", "lock"}
    assert labels(new) == labels(old) == ["a0", "a1", "a2"]
    assert b"canary-of-what-is-left-out" not in made.read_bytes()
    with open_home(new) as home:
        assert home.records.people.find("ADA")


@pytest.mark.slow
def test_a_backup_is_made_while_the_home_is_owned_and_written_to(old: Settings, new: Settings, tmp_path: Path) -> None:
    acknowledged: list[int] = []
    over = threading.Event()

    def write() -> None:
        while not over.is_set():
            put_label(home.records, "a0", "rita", "Correct", str(len(acknowledged)), "")
            acknowledged.append(len(acknowledged))

    with open_home(old) as home:
        writer = threading.Thread(target=write)
        writer.start()
        while len(acknowledged) < 5:
            time.sleep(0.01)
        before = len(acknowledged)
        back_up(old, tmp_path / "backup.tar")
        over.set()
        writer.join()
    assert (tmp_path / "backup.tar").stat().st_mode & 0o777 == 0o600
    assert {path.name for path in tmp_path.iterdir()} == {"old", "backup.tar"}
    restore(new, tmp_path / "backup.tar")
    with closing(Records(new.database)) as records:
        comments = [label.comment for label in records.label_history("a0", "rita")][1:]
        assert records.audit.verify() is None
    assert comments == [str(number) for number in range(len(comments))]
    assert before <= len(comments) <= len(acknowledged)


@pytest.mark.parametrize(
    ("name", "message"), [("old", "already a file"), ("nowhere/b.tar", "no folder")], ids=["there", "no folder"]
)
def test_a_backup_overwrites_nothing(old: Settings, tmp_path: Path, name: str, message: str) -> None:
    with pytest.raises(TragError, match=message):
        back_up(old, tmp_path / name)


def rewritten(made: Path, change: Callable[[dict[str, bytes]], None], *more: tarfile.TarInfo) -> None:
    """Change what is in a backup, and leave its manifest as it was."""
    with tarfile.open(made) as tar:
        contents = {member.name: tar.extractfile(member).read() for member in tar}  # type: ignore[union-attr]
    change(contents)
    with tarfile.open(made, "w") as tar:
        for name, content in contents.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
        for info in more:
            tar.addfile(info, io.BytesIO(b"x" * info.size))


def member(name: str, kind: bytes = tarfile.REGTYPE) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname, info.size = kind, "/etc/passwd", int(kind == tarfile.REGTYPE)
    return info


FIRST = next(iter(FILES))


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda made: made.write_bytes(b""), id="empty"),
        pytest.param(lambda made: made.write_bytes(b"no archive at all" * 100), id="no archive"),
        pytest.param(lambda made: made.write_bytes(made.read_bytes()[:1000]), id="cut in the first file"),
        pytest.param(lambda made: made.write_bytes(made.read_bytes()[: made.stat().st_size // 2]), id="cut in half"),
        pytest.param(lambda made: made.write_bytes(gzip.compress(made.read_bytes())[:-300]), id="cut and packed"),
        pytest.param(lambda made: rewritten(made, lambda held: held.pop("manifest.json")), id="no manifest"),
        pytest.param(lambda made: rewritten(made, lambda held: held.update({"manifest.json": b"[]"})), id="manifest"),
        pytest.param(lambda made: rewritten(made, lambda held: held.pop(FIRST)), id="a file is missing"),
        pytest.param(lambda made: rewritten(made, lambda held: held.update({FIRST: b"other"})), id="a file is other"),
        pytest.param(
            lambda made: rewritten(made, lambda held: held.update({"records/labels.jsonl": b'["number"]\n'})),
            id="other records",
        ),
        *(
            pytest.param(lambda made, name=name: rewritten(made, lambda _: None, member(name)), id=name)
            for name in (
                "documents/more",
                "../x",
                "/etc/x",
                "documents/../../x",
                "documents//x",
                "trag.toml",
                "x",
                FIRST,
            )
        ),
        *(
            pytest.param(lambda made, kind=kind: rewritten(made, lambda _: None, member("documents/x", kind)), id=name)
            for name, kind in (
                ("symbolic link", tarfile.SYMTYPE),
                ("link", tarfile.LNKTYPE),
                ("device", tarfile.CHRTYPE),
                ("pipe", tarfile.FIFOTYPE),
                ("folder", tarfile.DIRTYPE),
            )
        ),
    ],
)
def test_what_is_no_whole_backup_is_refused_before_anything_is_written(
    new: Settings, made: Path, spoil: Callable[[Path], object]
) -> None:
    spoil(made)
    with pytest.raises(TragError, match="no backup, or is damaged") as caught:
        restore(new, made)
    assert "nothing was restored" in caught.value.hint
    assert not new.home.exists()


@pytest.mark.slow
def test_a_packed_backup_is_restored_as_it_is(new: Settings, made: Path) -> None:
    made.write_bytes(gzip.compress(made.read_bytes()))
    restore(new, made)
    assert held(new.home) == FILES


@pytest.mark.parametrize("there", ["trag.db", "documents/x", "results/run/run.json", "chroma/data"])
def test_only_an_empty_home_is_restored_into(new: Settings, made: Path, there: str) -> None:
    path = new.home / there
    path.parent.mkdir(parents=True)
    path.write_bytes(b"mine")
    with pytest.raises(TragError, match=f"not empty: it holds {there.split('/')[0]}"):
        restore(new, made)
    assert [each for each in new.home.rglob("*") if each.is_file() and each.name != "lock"] == [path]
    assert path.read_bytes() == b"mine"


def test_settings_and_prepared_models_may_be_there_before(new: Settings, made: Path) -> None:
    (new.home / "models").mkdir(parents=True)
    (new.home / "models" / "m.gguf").write_bytes(b"m")
    (new.home / "trag.toml").write_text("port = 1\n")
    restore(new, made)
    assert held(new.home) == FILES


def test_a_home_in_use_is_not_restored_into(new: Settings, made: Path) -> None:
    with open_home(new), pytest.raises(StoreError, match="already in use"):
        restore(new, made)


def test_a_home_that_cannot_be_made_is_said(new: Settings, made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "mkdir", Mock(side_effect=OSError(errno.EROFS, "Read-only file system")))
    with pytest.raises(StoreError, match="Read-only file system"):
        restore(new, made)


@pytest.mark.slow
def test_a_full_disk_leaves_no_backup_of_that_name(old: Settings, tmp_path: Path) -> None:
    (old.home / "documents" / "large").write_bytes(b"x" * 2_000_000)
    code = (
        "import resource, sys; from pathlib import Path\n"
        "from trag.backup import back_up; from trag.settings import Settings\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1_500_000, resource.RLIM_INFINITY))\n"
        "back_up(Settings(home=Path(sys.argv[1])), Path(sys.argv[2]))"
    )
    file = tmp_path / "backup.tar"
    child = subprocess.run(
        [sys.executable, "-c", code, str(old.home), str(file)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert "StoreError: No space is left" in child.stderr, child.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["old"]


@pytest.mark.slow
def test_both_are_a_word_in_the_terminal(
    old: Settings, new: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TRAG_HOME", str(old.home))
    (old.home / "trag.toml").unlink()
    assert main(["backup", str(tmp_path / "b.tar")]) == 0
    assert f"b.tar holds 0 documents, 3 answers, 3 labels, 1 people and {len(FILES)} files" in capsys.readouterr().out
    assert main(["restore", str(tmp_path / "b.tar")]) == 1
    assert "is not empty: it holds" in capsys.readouterr().err
    monkeypatch.setenv("TRAG_HOME", str(new.home))
    assert main(["restore", str(tmp_path / "b.tar")]) == 0
    assert f"{new.home} holds again 0 documents, 3 answers" in capsys.readouterr().out
    assert main(["restore", str(tmp_path / "none.tar")]) == 1
    assert "There is no file" in capsys.readouterr().err


def test_conversations_are_forgotten_from_the_terminal(
    old: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (old.home / "trag.toml").unlink()
    monkeypatch.setenv("TRAG_HOME", str(old.home))
    with closing(Records(old.database)) as records:
        ada = records.people.find("ada")
        assert ada is not None
        records.save_answer("b", records.start_conversation(ada.id, "t").id, "q", "w", "{}")
    assert main(["forget", "--older-than", "1"]) == 0
    assert main(["forget", "--person", "Ada"]) == 0
    assert capsys.readouterr().out == (
        "0 conversations and 0 answers forgotten\n1 conversations and 1 answers forgotten\n"
    )
    for words, message in (
        (["--person", "eve"], "Nobody is called eve"),
        (["--older-than", "0"], "1 to 36,500 days"),
        (["--older-than", "800000"], "1 to 36,500 days"),
    ):
        assert main(["forget", *words]) == 1
        assert message in capsys.readouterr().err
    assert labels(old) == ["a0", "a1", "a2"]


KILLED = """
import os, signal, sys
from pathlib import Path
from trag import backup
from trag.settings import Settings
act, home, file, last = sys.argv[1:]
done = 0
def step(event, arguments):
    global done
    if event in ("open", "os.mkdir", "os.remove", "os.rename", "sqlite3.connect"):
        done += str(Path(home).parent) in str(arguments[0])
        if done == int(last):
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(step)
getattr(backup, act)(Settings(home=Path(home)), Path(file))
print(done)
"""


def killed(act: str, home: Path, file: Path, step: int) -> int:
    """Back up or restore in a child that is killed before that step on the disk, 0 for never; how many there are."""
    command = [sys.executable, "-c", KILLED, act, str(home), str(file), str(step)]
    child = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert child.returncode == (-signal.SIGKILL if step else 0), child.stderr
    return int(child.stdout or 0)


def spread(steps: int) -> list[int]:
    """Some of them, and the last ones."""
    return [*range(5, steps - 3, max(1, steps // 4)), steps - 2, steps - 1, steps]


@pytest.mark.slow
def test_a_killed_backup_or_restore_leaves_nothing_that_looks_whole(old: Settings, tmp_path: Path) -> None:
    file, whole = tmp_path / "backup.tar", tmp_path / "whole.tar"
    for step in spread(killed("back_up", old.home, whole, 0)):
        killed("back_up", old.home, file, step)
        if file.exists():  # its name is there, and only the folder was to be synced yet
            restore(Settings(home=tmp_path / f"of{step}"), file)
            file.unlink()
    assert labels(old) == ["a0", "a1", "a2"]
    with open_home(old):
        pass  # what killed backups left in the home goes
    assert not list(old.home.glob(".records*"))
    steps = killed("restore", tmp_path / "other", whole, 0)
    for step in spread(steps):
        new = Settings(home=tmp_path / f"into{step}")
        for last in (step, steps // 3):  # and once more while what the first has left is removed
            killed("restore", new.home, whole, last)
            if (new.home / ".restoring").exists():
                with pytest.raises(TragError, match="only partly restored"), open_home(new):
                    pass
            else:
                assert not (new.home / "trag.db").exists(), step
        restore(new, whole)
        assert held(new.home) == held(old.home)
        assert labels(new) == ["a0", "a1", "a2"]


@pytest.mark.slow
def test_a_restored_home_finds_what_the_old_one_found(
    new: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trag.home.open_embedder", cache(open_embedder))
    (tmp_path / "boats.md").write_text("# Boats\n\n## Keys\n\nThe boat keeper locks the archive before six.\n")
    settings = Settings(home=tmp_path / "real")
    question = "Who locks the archive?"

    def found(home_settings: Settings) -> list[tuple[str, str]]:
        with open_home(home_settings) as home:
            vector = home.embedder.embed_questions([question])[0]
            passages = home.vectors.search(vector, question, kinds=("section",), k=3, readers=None)
            return [(passage.id, passage.text) for passage in passages]

    with open_home(settings) as home:
        home.ingest([tmp_path / "boats.md"], replace=False, progress=lambda *_: None)
    before = found(settings)
    assert before
    manifest = back_up(settings, tmp_path / "b.tar")
    assert manifest.missing == ()
    restore(new, tmp_path / "b.tar")
    assert found(new) == before
