"""The ways in which answers say where units are, as patterns over signs (trag/verify/phrasings.txt).

M is a name, "," or "&" joins names, "*" begins an item of a list.  A pattern names its parts: `group` or `list` for the
units that are placed, `holder` for the one above them, `gap`, `rel` and `mid` for what stands between, `number` and
`noun` of a count.  Knows nothing about units.
"""

from __future__ import annotations

import re

_M = r"M(?:\([^()M]*\))?"
_ITEM = rf"[,&]+{_M}(?!=?h?n?[uUqovpPwh])"  # not the first name of what comes next: "A has B, and C is under D"
_NAMES = rf"{_M}(?:{_ITEM})*"
_BULLETS = r"[.,;]?(?:\*(?:[^*:]|:(?!\*))*)+"
_LIST = rf"(?P<list>{_NAMES}|{_BULLETS})"
_GROUP = rf"(?P<group>(?:{_M}[,&]+)*{_M}|[iw])"
_HOLDER = r"(?P<holder>M)(?!')"  # "under B's rules" places nothing
_INTRO = r"[=:,tcd#g&]{0,6}"  # before a list: "the following three teams:"
_MID = rf"(?P<mid>[=:]+{_INTRO})"
_IS = r"(?P<gap>[=:,n]+)"
_GAP = r"(?P<gap>(?:(?!xw)[^M.;:*hHi>])*?)"
_UNDER = (
    r"(?P<rel>(?:d?[uq](?:j?p)?|(?<=[=,(Mnzwdi&])U|(?<==t)U|(?<==xt)U|(?<=#t)U|(?<==)e|t[fe]|(?<=[,(])[ef])d?(?:j?p)?)"
)
_BEGIN = r"(?:(?<=[.;:])|^)"
_COUNTED = r"(?P<number>#)[dgx]{0,2}(?P<noun>[tc])(?P<after>[dg]*)"

_TABLE = (
    # A and B are part of C
    ("under", rf"{_GROUP}{_GAP}{_UNDER}(?P<holder>M|w(?=[.,;)]|$))(?!')"),
    # A is one of the units of B
    ("under", rf"{_GROUP}(?P<gap>[,(]?=?[dxn#f]{{0,3}})(?P<rel>tw?=?[ufeU]){_HOLDER}"),
    # A (B); A of B; B's A
    ("under", r"(?P<group>M)(?P<gap>)(?P<rel>\()(?P<holder>M)(?=\))"),
    ("loosely", rf"(?P<group>M)(?P<gap>)(?P<rel>[fe]){_HOLDER}"),
    ("under", r"(?P<holder>M)(?P<gap>)'(?P<group>M)"),
    # B, to which A belongs; B is where A reports
    ("under", r"(?P<holder>M)(?P<gap>[,=]{0,2}x?)w(?P<group>M)r"),
    # the parent of A is B; A's parent is B; its parent is B
    ("parent", rf"[pP][fe]?x?[&,]?x?(?P<group>{_NAMES})(?P<gap>[=:n,d]+){_HOLDER}"),
    ("parent", rf"{_GROUP}'[pP]{_IS}{_HOLDER}"),
    ("parent", rf"(?P<group>j)[pP]{_IS}{_HOLDER}"),
    # B is the parent of A; B is above A
    ("parent", rf"(?P<holder>M)(?P<gap>[,(]?[=n]+[xtdcn]{{0,3}})[pP][fe]?(?P<group>{_NAMES}|i)"),
    # B includes A and C; B has the following units: A, C; B has a unit for this, A, which
    (
        "over",
        r"(?P<holder>M|i|(?<=[M,])w)(?P<gap>[&,=nxd]{0,4})(?:o|v(?=[dtc#x*:]*[:*]|[#tc]*M))"
        rf"(?P<mid>{_INTRO}){_LIST}",
    ),
    ("over", r"(?P<holder>M|i)(?P<gap>)v(?P<mid>x?t[xdf]{0,3},)(?P<list>M)(?=,)"),
    # B's subunits are A and C; its subunits are A and C; the subunits of B are A and C
    ("over", rf"(?P<holder>M|i)(?P<gap>)'?[xd]?c{_MID}{_LIST}"),
    ("over", rf"(?P<holder>j)(?P<gap>)[xd]?c{_MID}{_LIST}"),
    ("over", rf"(?P<gap>)c[fe]?(?P<holder>M){_MID}{_LIST}"),
    # under B there are A and C; the units under B are A and C; under B, A and C
    (
        "over",
        rf"(?:{_BEGIN}|(?<=&))(?P<gap>[xcgt#,d]{{0,3}}w?=?)(?:d?[uUq]|t[fe]|c[fe]?|e){_HOLDER}"
        rf"(?:,?YM,?)?(?P<mid>(?:[=:]|(?=\*)|x?v){_INTRO}){_LIST}",
    ),
    ("over", rf"{_BEGIN}(?P<gap>)x?d?[uU](?P<holder>M|i|w)(?P<mid>,?){_LIST}"),
    ("over", rf"(?P<gap>[=tc#]+)d?[uUfe](?P<holder>M)(?P<mid>[=:]+){_LIST}"),
    # the siblings of A are B and C; A's siblings are B and C; A is beside B; B and C are siblings of A
    ("beside", rf"(?P<group>M|i)(?:'s|s|vs|vxs)t?{_IS}{_INTRO}{_LIST}"),
    ("beside", rf"(?P<group>j)st?{_IS}{_INTRO}{_LIST}"),
    ("beside", rf"st?[fe](?P<group>M){_IS}{_INTRO}{_LIST}"),
    ("beside", rf"(?P<group>M|i)(?P<gap>[=n,]*)y{_LIST}"),
    ("beside", rf"{_BEGIN}y(?P<group>M)(?P<gap>[=:,v]*){_INTRO}{_LIST}"),
    ("beside", rf"(?P<list>{_NAMES})(?P<gap>=[nxd]?)st?[fe](?P<group>M)"),
    # B has three teams; B, with its three teams; three teams are under B; under B there are three teams
    (
        "count",
        rf"(?P<holder>M|i|(?<=[M,])w)(?P<gap>[,&(i=dxg]{{0,3}}[ovc:=]|\(?iv|j)(?P<mid>[dgxo]{{0,2}}){_COUNTED}"
        r"(?![fx]*y)",
    ),
    ("count", rf"(?P<holder>M)(?P<gap>[,(]?x?)j(?P<mid>[dg]?){_COUNTED}"),
    (
        "count",
        r"(?P<number>#)[dg]{0,2}(?P<noun>[tc])(?P<mid>[gdwx=]{0,3})(?:[uq]|[dUgef]+)(?P<holder>M|i)"
        r"(?P<after>,?[gd]*)(?!')",
    ),
    ("count", rf"(?:^|(?<=[.,;:]))(?P<mid>[dg]*)[Uuegx]+(?P<holder>M)(?P<gap>,?)={_COUNTED}"),
    ("count", r"[xt]f(?P<noun>[tc])(?P<mid>[dg]?)[uUqef](?P<holder>M)=(?P<number>#)(?P<after>)"),
    # with three units under it, B
    ("count", r"(?P<number>#)[dg]{0,2}(?P<noun>[tc])(?P<mid>[gd]?)[uU]i(?P<after>,)(?P<holder>M)(?P<gap>)"),
)
PATTERNS = tuple((name, re.compile(pattern)) for name, pattern in _TABLE)
PATH = re.compile(r"M(?:>M)+")
NOT_UNDER = re.compile(r"[uUq](?:j?p)?M[,(&]*z[uUqe]?(?P<holder>M)")
"""Under B, not under C: said of the unit before it."""
