"""What there is to compute with: how many processors, and in what precision they are fast."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


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


def fast_precision(gpu: bool) -> torch.dtype:
    """What weights are held and computed in: bfloat16 where that is fast, else float32.

    A processor that does not multiply in bfloat16 takes several times as long with it.
    """
    import torch

    can = torch.cpu.get_capabilities()
    is_fast = gpu or any(can.get(name) for name in ("avx512_bf16", "amx_bf16", "bf16"))
    return torch.bfloat16 if is_fast else torch.float32
