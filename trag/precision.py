"""In what precision a network computes (torch). Knows no network."""

from __future__ import annotations

import torch


def fast(gpu: bool) -> torch.dtype:
    """What weights are held and computed in: bfloat16 where that is fast, else float32.

    A processor that does not multiply in bfloat16 takes several times as long with it.
    """
    can = torch.cpu.get_capabilities()
    return (
        torch.bfloat16 if gpu or any(can.get(name) for name in ("avx512_bf16", "amx_bf16", "bf16")) else torch.float32
    )
