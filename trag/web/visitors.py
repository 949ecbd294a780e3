"""Who is here, and what they may read.

Until there are accounts, everybody who reaches this machine at its own address is one person, who may read everything.
"""

from __future__ import annotations

from typing import Any

from store.passage import Audience


def visitor(request: Any) -> str:
    """Who sent a request, be it a page's or Gradio's."""
    return "local"


def may_read(who: str, audience: Audience) -> bool:
    """Whether somebody may read a document of that audience. The one place that decides it for every page."""
    return True
