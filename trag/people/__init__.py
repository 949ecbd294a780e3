"""People: who may come in, as whom, and with which password; the rules, without the web."""

from trag.people.permissions import CurrentUser as CurrentUser
