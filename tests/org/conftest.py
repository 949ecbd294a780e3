"""A small organization as messy as real ones: slugs, shared names, people's offices, several scripts, acronyms."""

from __future__ import annotations

import pytest

from org.chart import Chart
from org.linking.entities import EntityFinder
from org.reading.charts import load

MESSY = """\
name,parent,type,aliases,description
The Harbour Trust,,trust,THT|Harbour Trust,A trust for the old harbour.
Board of Governors,The Harbour Trust,board,The Governors,Governs the trust.
Audit & Risk Committee,Board of Governors,committee,ARC,Oversees the accounts.
Secretariat,Board of Governors,office,,Serves the board.
Chief Executive,The Harbour Trust,position,CEO,
Office of Jane O'Neill,Chief Executive,office,,
Deputy Director for Docks,Chief Executive,position,DDD,
Deputy Director for People,Chief Executive,position,,
Legal Affairs & Ethics Division,Chief Executive,division,LAED|Legal Division,Gives legal advice.
Data Protection Office,Legal Affairs & Ethics Division,office,DPO,Handles personal data.
Ethics Office,Legal Affairs & Ethics Division,office,EO,Advises on conduct.
Speak-Up Line,Ethics Office,team,Hotline,
Secretariat,Legal Affairs & Ethics Division,office,,
Health Division,Deputy Director for People,division,,
Communications,Health Division,unit,,Health news.
Patient Stories Desk,Health Division > Communications,team,,
Water/Sanitation Working Group,Health Division,working group,WASH,
"Finance, Pay and Tax Office",Deputy Director for People,office,FPT,
Human Resources Department,Deputy Director for People,department,HR,Hires people.
Information Technology Department,Deputy Director for Docks,department,IT,
Communications,Deputy Director for Docks,unit,Corporate Communications,
Cyber-Security Centre,Information Technology Department,centre,CSC,
platform-infra,Information Technology Department,team,,Runs the machines.
wg-data-policy,Information Technology Department,working group,,
Monitoring and Yield Unit,Deputy Director for Docks,unit,MAY,
World Harbours Observatory,Deputy Director for Docks,office,WHO,
The Otter,Deputy Director for Docks,unit,,The canteen.
École de l'eau,Health Division,school,School of Water,
Toplum Sağlığı Ekibi,Health Division,team,Community Health Team,
المكتب الإقليمي للمشرق,Chief Executive,office,Levant Office,
東アジア連絡室,Chief Executive,office,East Asia Liaison,
Zentrum für Küstenforschung,Deputy Director for Docks,centre,ZFK,
"""


@pytest.fixture(scope="session")
def chart() -> Chart:
    return load(MESSY.encode(), "chart.csv")


@pytest.fixture(scope="session")
def finder(chart: Chart) -> EntityFinder:
    return EntityFinder(chart)
