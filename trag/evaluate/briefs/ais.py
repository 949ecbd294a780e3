"""Attribution to identified sources: Strict, Macro and Micro over texts (Plan-based retrieval, section 4.3).

the verdict on each sentence of each text -> shares with bootstrap intervals; cited and uncited sentences apart
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal, TypeVar, get_args

Kind = Literal["attributed", "misattributed", "stitched", "unsupported"]
KINDS: tuple[Kind, ...] = get_args(Kind)
_DRAWS, _SEED = 1_000, 1
_OUTSIDE = 0.025  # of the draws on either side of an interval


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the judge says of one sentence. `cited` are the places of the passages that the text cites for it, `by`
    those of the passages that support it alone; `together` is whether all passages read as one support it."""

    sentence: str
    cited: tuple[int, ...] = ()
    by: tuple[int, ...] = ()
    together: bool = False

    @property
    def kind(self) -> Kind:
        """Attributed: supported by a passage that is cited, by any where none is. Misattributed: by others than the
        cited ones. Stitched: by several passages only together."""
        if self.by:
            return "attributed" if not self.cited or {*self.cited} & {*self.by} else "misattributed"
        return "stitched" if self.together else "unsupported"


Text = Sequence[Verdict]
"""The verdicts on the sentences of one text, in order."""


@dataclass(frozen=True, slots=True)
class Share:
    """A share, 0 to 1, and the 95% interval of it: percentiles of shares over texts drawn with replacement (Efron
    1979)."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Ais:
    """Section 4.3: a sentence counts where any one passage supports it, cited or not.

    `strict` is the share of texts all of whose sentences count, `macro` the mean over texts of the share of sentences
    that do, `micro` the share over all sentences. `cited` and `uncited` are the shares of each kind among the sentences
    that cite something and those that do not, empty where there are none. A text without sentences, such as a refusal,
    is in no share, but in `empty`.
    """

    texts: int
    empty: int
    sentences: int
    strict: Share
    macro: Share
    micro: Share
    cited: Mapping[Kind, float]
    uncited: Mapping[Kind, float]


def ais(texts: Sequence[Text]) -> Ais:
    """The measures of some texts. Raises ValueError where none of them has a sentence."""
    written = [text for text in texts if text]
    if not written:
        raise ValueError("no text has a sentence")
    counted = [(sum(bool(one.by) for one in text), len(text)) for text in written]
    every = [one for text in written for one in text]
    return Ais(
        texts=len(written),
        empty=len(texts) - len(written),
        sentences=len(every),
        strict=share(counted, lambda some: fmean(right == all for right, all in some)),
        macro=share(counted, lambda some: fmean(right / all for right, all in some)),
        micro=share(counted, lambda some: sum(right for right, _ in some) / sum(all for _, all in some)),
        cited=_kinds([one for one in every if one.cited]),
        uncited=_kinds([one for one in every if not one.cited]),
    )


T = TypeVar("T")


def share(items: Sequence[T], measure: Callable[[Sequence[T]], float]) -> Share:
    """What `measure` makes of the items, one for each text, with its interval; the same draws each time."""
    chance = random.Random(_SEED)
    drawn = sorted(measure(chance.choices(items, k=len(items))) for _ in range(_DRAWS))
    beyond = round(_OUTSIDE * _DRAWS)
    return Share(measure(items), drawn[beyond], drawn[-beyond - 1])


def _kinds(verdicts: Sequence[Verdict]) -> Mapping[Kind, float]:
    counts = Counter(one.kind for one in verdicts)
    return {kind: counts[kind] / len(verdicts) for kind in KINDS} if verdicts else {}
