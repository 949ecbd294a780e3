"""What answers now: the model, its adapter and where that comes from, on what it runs, how fast.

home -> Answering.  Knows nothing about requests or pages.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from store.versions import Promotion
from trag import adapters
from trag.errors import SHOWN, in_one_line
from trag.finetune import gate
from trag.finetune.candidates import Against, Manifest, shipped
from trag.llm import files
from trag.llm.local import LocalModel
from trag.record import AnswerRecord
from trag.web.models.speed import Speed, speed

if TYPE_CHECKING:
    from trag.home import Home

SHIPPED = files.SHIPPED.name
"""What the adapter that comes with the program is called."""
_LATE = 200
"""Answers that are looked at for their speed."""


@dataclass(frozen=True, slots=True)
class Answering:
    """What answers. `adapter` is "" for none; `manifest` says where it comes from, where that is known; `promotion` is
    the last one. `on_gpu` is None while the model is not loaded, `remote` is one behind an address, and `ships` whether
    an adapter for the model came with the program. `left_out` says why the promoted adapter does not answer, `fixed`
    which setting says what does, `problem` why nothing can answer. `against` is what adapters are compared with, None
    where there is nothing."""

    model: str
    sha256: str
    context: int
    adapter: str
    promoted: str
    manifest: Manifest | None = None
    promotion: Promotion | None = None
    speed: Speed | None = None
    on_gpu: bool | None = None
    remote: bool = False
    ships: bool = False
    left_out: str = ""
    fixed: str = ""
    problem: str = ""
    against: Against | None = None


def answering(home: Home) -> Answering:
    """Opens the model where it is not open yet, and loads nothing."""
    promotions, settings = home.records.promotions, home.settings
    promoted, last = promotions.current(), next(iter(promotions.all()), None)
    fixed = adapters.fixed_by(settings)
    try:
        model, left_out = home.model, adapters.left_out(settings, promoted, home.candidates)
    except SHOWN as error:
        return Answering("", "", 0, "", promoted, promotion=last, fixed=fixed, problem=in_one_line(error))
    identity = model.identity
    records = (AnswerRecord.from_json(each.record_json) for each in home.records.newest_answers(_LATE))
    return Answering(
        model=identity.name,
        sha256=identity.sha256,
        context=model.context,
        adapter=identity.adapter,
        promoted=promoted,
        manifest=_manifest(home, identity.adapter),
        promotion=last,
        speed=speed(records, sha256=identity.sha256, adapter=identity.adapter),
        on_gpu=model.runs_on_gpu if isinstance(model, LocalModel) else None,
        remote=not isinstance(model, LocalModel),
        ships=bool(files.adapter_file(settings.model, "")),
        left_out=left_out,
        fixed=fixed,
        against=gate.answering(home),
    )


def _manifest(home: Home, adapter: str) -> Manifest | None:
    if adapter == SHIPPED:
        return shipped()
    return next((each for each in home.candidates.all() if each.id == adapter), None)
