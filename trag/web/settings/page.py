"""The page Settings, for admins: what is still to do, what the organization shows of itself, and the settings of the
home.

GET shows and changes nothing; POST keeps what was typed, all of it or nothing, and then shows what was typed with what
is wrong with it.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, Response
from starlette.datastructures import UploadFile

from store import StoreError
from store.appearances import Appearance, differing
from trag import appearance
from trag.appearance import ACCENT, LARGEST_LOGO, LONGEST, MOST_DAYS, MOST_EXAMPLES
from trag.changed_settings import AT_ONCE, Setting, change, listed
from trag.errors import SHOWN, TragError
from trag.first_steps import first_steps
from trag.web.forms import Form, number
from trag.web.language import gettext as _
from trag.web.language import later
from trag.web.render import environment
from trag.web.responses import Notice, Notices, explain
from trag.web.settings import shown
from trag.web.visitors import named, where

if TYPE_CHECKING:
    from trag.home import Home
    from trag.retention import Retention

PATH = "/settings"
CALLED = {
    "organization": later("the name"),
    "accent": later("the accent colour"),
    "welcome": later("the welcome"),
    "examples": later("the example questions"),
    "contact": later("the contact"),
    "contact_at": later("the contact’s address"),
    "days_kept": later("how long conversations are kept"),
}
"""What two admins may both have changed, as it is told."""


@dataclass(frozen=True, slots=True)
class Filled:
    """What stands in the form of the appearance: `logo` is a new one that waits to be saved, a PNG in base64; `remove`
    is whether the one that is there is to go."""

    typed: Appearance
    logo: str = ""
    remove: bool = False


class SettingsPage:
    """What the routes share."""

    def __init__(self, home: Home, retention: Retention) -> None:
        self.home = home
        self.retention = retention
        self.notices = Notices()

    def router(self) -> APIRouter:
        router = APIRouter(prefix=PATH)
        router.get("")(self.show)
        router.post("/appearance")(self.save_appearance)
        router.post("/values")(self.save_values)
        return router

    def show(self, request: Request) -> Response:
        return self._page(notice=self.notices.said(request))

    # What the organization shows of itself

    async def save_appearance(self, request: Request) -> Response:
        """Keep it as a form says that may hold a file."""
        async with request.form() as form:
            file = form.get("logo")
            content = await file.read() if isinstance(file, UploadFile) else b""
            fields = {name: value for name, value in form.items() if isinstance(value, str)}
        return await run_in_threadpool(self._save_appearance, request, fields, content)

    def _save_appearance(self, request: Request, form: Mapping[str, str], content: bytes) -> Response:
        kept = self.home.records.appearances
        filled = _filled(form)
        logo = content or base64.b64decode(filled.logo) or (b"" if filled.remove else None)
        try:
            saved = appearance.save(self.home, filled.typed, logo=logo, by=named(request), where=where(request))
        except SHOWN as error:
            if content:
                with suppress(TragError):
                    filled = replace(filled, logo=appearance.logo_png(content))
            now = kept.current()
            if isinstance(error, StoreError) and now.version != filled.typed.version:
                return self._crossed(filled, now)
            return self._page(422, filled=filled, wrong=error)
        if saved.days_kept:
            self.retention.look_now()
        return self.notices.go(PATH, Notice(_("Saved. Pages show it when they are opened next.")))

    def _crossed(self, filled: Filled, now: Appearance) -> Response:
        """The form with what was typed, and what another admin has saved meanwhile wherever nothing was."""
        seen = self.home.records.appearances.version(filled.typed.version)
        changed = differing(seen, now)
        what = ", ".join(_(CALLED[name]) for name in changed) or _("the logo")
        problem = TragError(
            _("%(name)s saved meanwhile, and changed %(what)s. Nothing of yours is saved yet.")
            % {"name": now.by, "what": what},
            later(
                "What you typed stands below, with what was saved wherever you typed nothing. Look at it, and "
                "save again."
            ),
        )
        both = appearance.merged(filled.typed, seen, now)
        mine = [name for name in changed if getattr(both, name) != getattr(now, name)]
        theirs = [(_(CALLED[name])[:1].upper() + _(CALLED[name])[1:], _in_words(getattr(now, name))) for name in mine]
        return self._page(409, filled=replace(filled, typed=both), wrong=problem, theirs=theirs)

    # The settings of the home

    def save_values(self, request: Request, form: Form) -> Response:
        """Keep the settings that were typed otherwise than they were shown."""
        typed, seen = _beginning(form, "value."), _beginning(form, "seen.")
        try:
            changed = change(self.home, typed, seen, by=named(request), where=where(request))
        except SHOWN as error:
            return self._page(422, values=typed, refused=error)
        if not changed:
            return self.notices.go(PATH, Notice(_("Nothing was different.")))
        waits = [name for name in changed if name not in AT_ONCE]
        more = (_("After the next start of the assistant: %(names)s.") % {"names": ", ".join(waits)},) if waits else ()
        return self.notices.go(PATH, Notice(_("Saved: %(names)s.") % {"names": ", ".join(changed)}, more=more))

    def _page(
        self,
        status: int = 200,
        *,
        filled: Filled | None = None,
        wrong: Any = None,
        theirs: list[tuple[str, str]] | None = None,
        values: Mapping[str, str] | None = None,
        refused: Any = None,
        notice: Notice | None = None,
    ) -> Response:
        """The page; `wrong` and `refused` say what is wrong with the one and the other form, `theirs` what another
        admin has put where something else was typed."""
        saved = self.home.records.appearances.current()
        groups: dict[str, tuple[Setting, ...]] = {}
        try:
            groups = listed(self.home)
        except TragError as error:
            refused = refused or error
        steps = first_steps(self.home)
        filled = filled or Filled(saved)
        html = environment().get_template("settings/list.html")
        return HTMLResponse(
            html.render(
                here=PATH,
                steps=steps if not all(step.done for step in steps) else (),
                saved=saved,
                logo=appearance.logo_address(saved),
                filled=filled,
                accent=filled.typed.accent or ACCENT,
                chart_name=appearance.name_on_chart(self.home),
                longest=LONGEST,
                most_examples=MOST_EXAMPLES,
                most_days=MOST_DAYS,
                largest_logo=LARGEST_LOGO,
                wrong=wrong,
                theirs=theirs or (),
                groups=groups,
                waits=[each for group in groups.values() for each in group if each.running],
                values=values or {},
                refused=refused,
                notice=notice,
            ),
            status,
        )


def mount(app: FastAPI, home: Home, retention: Retention) -> None:
    """The routes of the page, and of what it changes on every page, in `app`."""
    app.include_router(SettingsPage(home, retention).router())
    shown.mount(app, home)
    explain(app)


def _filled(form: Mapping[str, str]) -> Filled:
    typed = Appearance(
        organization=form.get("organization", ""),
        accent=form.get("accent", ""),
        welcome=form.get("welcome", ""),
        examples=tuple(form.get("examples", "").splitlines()),
        contact=form.get("contact", ""),
        contact_at=form.get("contact_at", ""),
        days_kept=number(form.get("days_kept", "").strip() or "0", otherwise=-1),
        version=number(form.get("version", "")),
    )
    logo = form.get("new_logo", "")
    try:
        base64.b64decode(logo, validate=True)
    except ValueError:
        logo = ""
    return Filled(appearance.tidied(typed), logo, "remove" in form)


def _beginning(form: Mapping[str, str], start: str) -> dict[str, str]:
    """The fields whose names begin so, by the rest of their names."""
    return {name.removeprefix(start): value for name, value in form.items() if name.startswith(start)}


def _in_words(value: object) -> str:
    if isinstance(value, tuple):
        return "; ".join(value) or _("none")
    return str(value) or _("none")
