"""What the pages of the chart and of the procedures share: the one in use, those that were, and files that wait to be
looked at, discarded or activated."""

from __future__ import annotations

import logging
import threading
from abc import ABC, abstractmethod
from typing import Any, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from store.versions import Version
from trag.errors import SHOWN, TragError, later
from trag.version_files import VersionFiles
from trag.web.forms import Form
from trag.web.responses import Denied, attachment, there
from trag.web.visitors import named
from trag.web.waiting_files import Waiting, WaitingFiles

log = logging.getLogger(__name__)

Kind = Literal["uploads", "versions"]
Subject = Waiting | Version


class VersionedPage(ABC):
    """The routes under `path` of what is `kept`; `waiting` are the files that were uploaded."""

    path: str

    def __init__(self, kept: VersionFiles[Any], waiting: WaitingFiles) -> None:
        self.kept = kept
        self.waiting = waiting
        self._one_at_a_time = threading.Lock()

    @abstractmethod
    def activated(self, subject: Waiting, form: Form, by: str, against: str) -> Version | None:
        """Activate what a file holds, None where it holds nothing that can be. Raises what that raises."""

    def unconfirmed(self, subject: Subject, form: Form, against: str) -> TragError | None:
        """Why more has to be said in the form than that this is to be in use, None where that is enough."""
        return None

    def query(self, form: Form) -> list[tuple[str, str]]:
        """What a form says of how a file is read, for the address of its page."""
        return []

    def add_routes(self, router: APIRouter) -> None:
        router.post("/uploads/{id}/discard")(self.discard)
        router.post("/{kind}/{id}/activate")(self.activate)
        router.get("/versions/{version}/original")(self.original)

    def original(self, version: str) -> Response:
        """The file that a version was given in, to be kept and never shown."""
        kept = there(self.version(version))
        return attachment(there(self.kept.original(version)), kept.name, "application/octet-stream")

    def discard(self, id: str) -> Response:
        self.waiting.discard(id)
        return RedirectResponse(self.path, 303)

    def activate(self, request: Request, form: Form, kind: Kind, id: str) -> Response:
        """Have this in use, unless another was activated since the admin looked. A second press waits for the first
        one, and finds it done."""
        against, by, back = form.get("against", ""), named(request), f"{self.path}/{kind}/{id}"
        with self._one_at_a_time:
            if form.get("version") and form["version"] == self.active():
                return self._in_use(form["version"])
            subject = self.subject(kind, id)
            if subject is None:
                raise TragError(
                    later("This file is no longer here."), later("It was discarded, or activated in another window.")
                )
            try:
                if missing := self.unconfirmed(subject, form, against):
                    raise missing
                if isinstance(subject, Version):
                    done = self.kept.roll_back(subject.version, by=by, instead_of=against)
                else:
                    found = self.activated(subject, form, by, against)
                    if found is None:
                        return RedirectResponse(f"{back}?{urlencode(self.query(form))}", 303)
                    done = found
                    self.waiting.discard(subject.id)
            except SHOWN:
                if self.active() == against:
                    raise
                return RedirectResponse(f"{back}?{urlencode([*self.query(form), ('seen', against)])}", 303)
        log.info("%s activated %s of %s (%s)", by, done.version, self.path, done.name)
        return self._in_use(done.version)

    def subject(self, kind: Kind, id: str) -> Subject | None:
        """What an address names, None where it is not there."""
        return self.waiting.find(id) if kind == "uploads" else self.version(id)

    def version(self, version: str) -> Version | None:
        """A version that was activated once, None where there is none."""
        return next((kept for kept in self.kept.versions.all() if kept.version == version), None)

    def active(self) -> str:
        """The version in use, "" for none."""
        active = self.kept.versions.active()
        return active.version if active else ""

    def asked(self, kind: Kind, id: str) -> Subject:
        """What an address names. Raises Denied where it is not there."""
        subject = self.subject(kind, id)
        if subject is None:
            raise Denied
        return subject

    def _in_use(self, version: str) -> Response:
        return RedirectResponse(f"{self.path}?{urlencode({'now': version})}", 303)
