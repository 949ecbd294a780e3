"""What a training will take: memory and disk from the shape of the base, time from a measured step.

Refused before it starts where it cannot fit. `python -m trag.finetune.training.estimate FOLDER` measures for the
settings in FOLDER and trains nothing. Knows nothing about how a model learns.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from trag.errors import SHOWN, TragError
from trag.finetune.training.base import Shape

_PROGRAM = 600_000_000  # bytes of the libraries and of what the steps leave behind
_ROW, _INNER = 20, 5  # values kept for the way back, for each token and layer, by width and inner width; measured
_TRAINED = 16  # bytes of an adapted weight: itself, its gradient, and two averages of that
_PACKED = 0.56  # bytes of a 4-bit weight with its scales
_MIB = 1_048_576
_CONTAINER = Path("/sys/fs/cgroup")


@dataclass(frozen=True, slots=True)
class Needs:
    """Bytes that a training takes at most, and those that there are."""

    memory: int
    memory_free: int
    disk: int
    disk_free: int


@dataclass(frozen=True, slots=True)
class Estimate:
    """What it takes and how long, with the speed of a measured step; `too_long` examples are left out."""

    needs: Needs
    examples: int
    too_long: int
    steps: int
    tokens: int
    tokens_per_second: float
    seconds: float


def memory(shape: Shape, *, rank: int, longest: int, learned: int, weight_bytes: int, packed: bool) -> int:
    """Bytes for a longest sequence of `longest` tokens, of which `learned` are. Weights of `weight_bytes` each, or
    `packed` into 4 bits: then what one layer needs for the way back is computed again, and held for one layer only."""
    token = weight_bytes * (_ROW * shape.width + _INNER * shape.inner + shape.heads * longest // 2)
    kept = token + shape.layers * shape.width * weight_bytes if packed else token * shape.layers
    weights = _PACKED * (shape.weights - shape.outside) + 2 * shape.outside if packed else weight_bytes * shape.weights
    logits = 12 * learned * shape.vocabulary
    return int(_PROGRAM + weights + _TRAINED * _adapted(shape, rank) + longest * kept + logits)


def disk(shape: Shape, rank: int) -> int:
    """Bytes of a checkpoint and the one that replaces it, of the best weights likewise, and of the adapter."""
    return _adapted(shape, rank) * (2 * 12 + 2 * 4 + 4) + 16 * _MIB


def free_memory() -> int:
    """Bytes that this machine, or the container that this runs in, can still give."""
    free = [_meminfo()]
    try:
        most, used = (int((_CONTAINER / name).read_text()) for name in ("memory.max", "memory.current"))
        pairs = (line.split() for line in (_CONTAINER / "memory.stat").read_text().splitlines())
        # Files that were read count as used, and are given back where memory is short.
        files = sum(int(size) for name, size in pairs if name in ("active_file", "inactive_file"))
        free.append(most - used + files)
    except (OSError, ValueError):
        pass  # no limit
    return min(free)


def check(found: Needs) -> None:
    """Raises TragError when memory or disk is too small."""
    if found.memory > found.memory_free:
        raise TragError(
            f"This training needs about {_gigabytes(found.memory)} of memory, and {_gigabytes(found.memory_free)} are "
            "free.",
            "Take a smaller base, set a smaller `longest`, or train on a machine with more memory or with a GPU.",
        )
    if found.disk > found.disk_free:
        raise TragError(
            f"This training needs {_gigabytes(found.disk)} of disk, and {_gigabytes(found.disk_free)} are free.",
            "Free some space, or set TRAG_HOME to a larger disk.",
        )


def _adapted(shape: Shape, rank: int) -> int:
    """Weights of an adapter."""
    sides = 4 * shape.width + 2 * shape.heads * shape.head_width + 2 * shape.keys * shape.head_width
    return shape.layers * rank * (sides + 3 * (shape.width + shape.inner))


def _gigabytes(size: int) -> str:
    return f"{size / 10**9:.1f} GB"


def _meminfo() -> int:
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    raise TragError("/proc/meminfo does not say how much memory is free.", "Train on Linux.")


def main() -> None:
    """Measure for the settings in FOLDER; says an Estimate as JSON on stdout."""
    if len(sys.argv) != 2:
        sys.exit("Usage: python -m trag.finetune.training.estimate FOLDER")
    from trag.finetune.training import plan, run

    folder = Path(sys.argv[1])
    run.yield_to_others()
    try:
        found = run.measure(folder, plan.read(folder), lambda _: None)
    except SHOWN as error:
        print(error.message, error.hint, sep="\n", file=sys.stderr)  # noqa: T201
        sys.exit(1)
    sys.stdout.write(json.dumps(asdict(found)) + "\n")


if __name__ == "__main__":
    main()
