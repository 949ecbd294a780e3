"""What the steps of a workflow do for real: by the program itself, by another program, or by people.

Each action is kept before it is done, and after it with what came of it. A run that goes on after it waited is walked
from its beginning again, and what was done then is not done again: its outputs are read.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from org.procedures.actions import Action
from store.notices import Notice
from store.workflow_runs import Effect
from trag.errors import SHOWN
from trag.progress import Cancelled
from trag.workflow import built_in, hooks
from trag.workflow.built_in import Doing, text_of
from trag.workflow.record import WorkflowStep
from trag.workflow.running import Paused, StepFailed
from trag.workflow.tasks import asked, unit_called

if TYPE_CHECKING:
    from collections.abc import Callable

SECONDS = 600.0
"""That a built-in step may take, a model that has to start and the line before it among them."""
_DURATION = re.compile(r"P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?")


class Performing:
    """A `Perform` of `trag.workflow.running` for one run; `doing` says for which, and `until` when a WAIT of it ends.
    Raises Cancelled once `ending` says that the program ends."""

    def __init__(self, doing: Doing, ending: Callable[[], bool]) -> None:
        self.until: datetime | None = None
        self._doing, self._ending, self._place = doing, ending, 0
        self._runs = doing.home.records.workflow_runs
        self._hooks = hooks.addresses(doing.home.settings)
        self._done = {each.place: each for each in self._runs.effects(doing.run.id)}
        self._stop = threading.Event()

    def cancel(self) -> None:
        """End what is being done early, where it can be."""
        self._stop.set()

    def __call__(self, step: WorkflowStep, inputs: Mapping[str, object]) -> Mapping[str, object]:
        place, run = self._place, self._doing.run.id
        self._place += 1
        effect = self._done.get(place)
        if effect and (effect.step, effect.name) != (step.step, step.name):
            raise StepFailed(f"The run did {effect.name} here before, and cannot go on.")
        if effect and effect.outputs_json is not None:
            if effect.failed:
                raise StepFailed(effect.failed)
            outputs: Mapping[str, object] = json.loads(effect.outputs_json)
            return outputs
        if self._ending():
            raise Cancelled
        if effect is None:
            effect = Effect(place, step.step, step.name, datetime.now(UTC))
            self._runs.begin_effect(run, effect)
        try:
            outputs = self._does(step, inputs, effect)
        except SHOWN as error:
            failure = StepFailed(error.message)
            self._runs.end_effect(run, place, {}, str(failure))
            raise failure from error
        except StepFailed as failure:
            self._runs.end_effect(run, place, {}, str(failure) or "failed")
            raise
        except Cancelled:
            self._runs.drop_effect(run, place)
            raise
        self._runs.end_effect(run, place, outputs)
        return outputs

    def _does(self, step: WorkflowStep, inputs: Mapping[str, object], effect: Effect) -> Mapping[str, object]:
        action = self._doing.book.actions.get(step.name)
        if action is None:
            return self._wait(text_of(inputs.get("duration")), effect.begun)
        if action.runs == "person":
            return self._asked(action, inputs, effect.place)
        if action.runs == "hook":
            return self._called(action, inputs, effect)
        if action.id not in built_in.BUILT_IN:
            raise StepFailed(f"The program cannot do {action.id} yet.")
        return self._built_in(action, inputs, effect.place)

    def _built_in(self, action: Action, inputs: Mapping[str, object], place: int) -> Mapping[str, object]:
        """What an action gives, which is one thing at most; the book says under which name."""
        if not self._ending():
            self._stop.clear()
        late = threading.Timer(SECONDS, self._stop.set)
        late.daemon = True
        late.start()
        try:
            given = built_in.do(action.id, replace(self._doing, place=place, stop=self._stop), inputs)
        except Cancelled:
            if self._ending():
                raise
            raise StepFailed(f"It took longer than {SECONDS:.0f} seconds.") from None
        finally:
            late.cancel()
        found: Mapping[str, object] = json.loads(json.dumps(dict.fromkeys(action.gives[:1], given)))
        return found

    def _called(self, action: Action, inputs: Mapping[str, object], effect: Effect) -> Mapping[str, object]:
        if action.id not in self._hooks:
            raise StepFailed(f"No address is set that does {action.id}.")
        run = self._doing.run
        sent = {"id": f"{run.id}-{effect.place}", "run": run.id, "action": action.id, "inputs": inputs}
        return hooks.call(self._hooks[action.id], sent, action.gives)

    def _asked(self, action: Action, inputs: Mapping[str, object], place: int) -> Mapping[str, object]:
        """What the people of an action's unit fill in, or whoever set the run off where it is nobody's."""
        records, chart, run = self._doing.home.records, self._doing.home.organization.chart, self._doing.run
        about = "\n".join(f"{name}: {text_of(value)}" for name, value in inputs.items())
        text = "\n".join(filter(None, (action.title, action.description, about)))
        gives = dict.fromkeys(action.gives, ())
        asking = Notice(text, run=run.id, place=place, gives=gives, state="open")
        if action.unit:
            unit = unit_called(action.unit, chart)
            return asked(records, replace(asking, unit=unit.id), unit.name)
        return asked(records, replace(asking, person=run.person or run.activator), run.by or "who activated it")

    def _wait(self, duration: str, begun: datetime) -> Mapping[str, object]:
        found = _DURATION.fullmatch(duration)
        if not found or not any(found.groups()):
            raise StepFailed(f"{duration!r} is no duration.")
        weeks, days, hours, minutes, seconds = (int(each or 0) for each in found.groups())
        try:
            over = begun + timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds)
        except OverflowError as error:
            raise StepFailed(f"{duration!r} is too long.") from error
        if over <= datetime.now(UTC):
            return {}
        self.until = over
        raise Paused(f"Waits until {over:%-d %B %Y, %H:%M} UTC.")
