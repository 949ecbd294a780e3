"""The words that say what kind of unit a name is for, in their canonical form (see names.py): "office", "board".

Knows words; knows nothing about names or charts.
"""

from __future__ import annotations

_OFFICES_ABROAD = frozenset((
    "abteilung", "bereich", "buro", "buero", "dezernat", "fachbereich", "gruppe", "referat", "sachgebiet",
    "stabsstelle", "zentrum",
    "agence", "cellule", "direction", "equipe", "pole", "unite",
    "centro", "departamento", "direccion", "direcao", "divisao", "escritorio", "gabinete", "gerencia", "nucleo",
    "oficina", "seccion", "secretaria", "servicio", "servico", "setor", "unidad", "unidade",
    "direzione", "dipartimento", "settore", "ufficio",
    "baskanligi", "birimi", "dairesi", "ekibi", "merkezi", "mudurlugu", "ofisi", "subesi",
))  # fmt: skip
_BODIES_ABROAD = frozenset((
    "ausschuss", "beirat", "comision", "comissao", "comitato", "conseil", "consejo", "conselho",
    "consiglio", "junta", "komitesi", "komisyonu", "kurulu", "kommission",
))  # fmt: skip
KINDS_ABROAD = _OFFICES_ABROAD | _BODIES_ABROAD
# Words that say what kind of unit a name is for. Employees swap them within a family: "the finance department" for the
# Finance Division; never across: a finance committee is not the Finance Division.
OFFICES = frozenset((
    "agency", "area", "branch", "bureau", "cell", "center", "clinic", "cluster", "crew", "department", "desk",
    "directorate", "division", "facility", "function", "group", "hub", "institute", "laboratory", "office", "program",
    "project", "secretariat", "section", "sector", "service", "squad", "subdivision", "subsection", "subteam",
    "subunit", "taskteam", "team", "tribe", "unit",
    *_OFFICES_ABROAD,
    "اداره", "دايره", "شعبه", "فريق", "قسم", "قطاع", "مركز", "مكتب", "وحده",
))  # fmt: skip
BODIES = frozenset((
    "assembly", "board", "circle", "commission", "committee", "conference", "congress", "council", "court", "forum",
    "group", "jury", "network", "panel", "parliament", "senate", "steeringgroup", "subcommission", "subcommittee",
    "subgroup", "subpanel", "taskforce", "tribunal", "union", "workinggroup", "workingparty",
    *_BODIES_ABROAD,
    "لجنه", "مجلس", "هييه",
))  # fmt: skip
# Words for any unit, even where a chart has one of them as a type.
GENERAL = frozenset(("unit", "entity", "body", "element", "organ", "level"))
LESSER = frozenset(("deputy", "vice", "assistant", "associate", "sub"))
"""Words before a post that make it another: a deputy director is no director."""
