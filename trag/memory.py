"""How much memory there is to take."""

from __future__ import annotations

from pathlib import Path

_CONTAINER = Path("/sys/fs/cgroup")


def free_memory() -> int | None:
    """Bytes that this machine, or the container that this runs in, can still give; None where neither says."""
    try:
        said = Path("/proc/meminfo").read_text().splitlines()
        free = [int(line.split()[1]) * 1024 for line in said if line.startswith("MemAvailable:")]
    except OSError:  # not Linux
        return None
    try:
        most, used = (int((_CONTAINER / name).read_text()) for name in ("memory.max", "memory.current"))
        pairs = (line.split() for line in (_CONTAINER / "memory.stat").read_text().splitlines())
        # Files that were read count as used, and are given back where memory is short.
        files = sum(int(size) for name, size in pairs if name in ("active_file", "inactive_file"))
        free.append(most - used + files)
    except (OSError, ValueError):
        pass  # no limit
    return min(free, default=None)
