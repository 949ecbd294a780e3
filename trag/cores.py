"""How many processors there are to compute with."""

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
