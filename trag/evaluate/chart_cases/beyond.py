"""Questions that no chart answers: private things about people, and units that do not exist.

Material -> Facts, to refuse.
"""

from __future__ import annotations

from collections.abc import Iterator

from trag.evaluate.chart_cases.calling import BODIES, near
from trag.evaluate.chart_cases.facts import Fact, Material, gold
from trag.evaluate.chart_cases.names import words

_CANNOT = "The chart does not say."
_INVENTED = (
    "Falconry Desk", "Perfume Archive", "Volcano Liaison Office", "Department of Lighthouses", "Submarine Pool",
    "Circus Relations Team", "Unicorn Grants Section", "Bagpipe Workshop", "Division of Meteorites", "Origami Board",
    "Truffle Inspection Unit", "Glacier Bookings Desk", "Ventriloquism Council", "Beekeeping Directorate",
    "Office of Fireworks", "Gondola Committee", "Tapestry Repair Squad", "Marzipan Secretariat", "Haiku Review Panel",
    "Jousting Service", "Saxophone Bureau", "Alchemy Branch", "Zeppelin Programme", "Hammock Working Group",
    "Department of Riddles", "Ballooning Section", "Puppetry Unit", "Igloo Maintenance Team", "Kaleidoscope Centre",
    "Sorcery Compliance Office", "Treasure Hunting Division", "Walrus Outreach Group", "Yodelling Faculty",
)  # fmt: skip


def private(material: Material) -> Iterator[Fact]:
    """Something about people that no organization writes down, asked of a real unit; phrasings.txt says what."""
    form = "unanswerable: private"
    for unit in material.units:
        yield Fact(form, gold(form, _CANNOT, refuse=True), unit)


def invented(material: Material) -> Iterator[Fact]:
    """A unit of whose name no word is near any in the chart."""
    form = "unanswerable: invented"
    told = " ".join(unit.description for unit in material.ground.order).casefold()
    for name in material.chance.sample(_INVENTED, len(_INVENTED)):
        own = [word for word in words(name) if word not in ("of", *BODIES)]
        if not any(word in told or any(map(material.names.has_word, near(word))) for word in own):
            yield Fact(form, gold(form, _CANNOT, refuse=True), noun=name)
