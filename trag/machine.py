"""What this machine, or the container that this runs in, has to give: processor cores and memory."""

from __future__ import annotations

import os
from pathlib import Path


def cores() -> int:
    """Physical cores that this process may use: its affinity and its container's quota, hyper-threads counted once."""
    try:
        processors = os.sched_getaffinity(0)
        files = [Path(f"/sys/devices/system/cpu/cpu{number}/topology/thread_siblings_list") for number in processors]
        found = len({file.read_text() for file in files})
    except (AttributeError, OSError):  # not Linux
        return os.cpu_count() or 1
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text().split()
        found = min(found, max(1, round(int(quota) / int(period))))
    except (OSError, ValueError):
        pass  # no quota
    return found


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
