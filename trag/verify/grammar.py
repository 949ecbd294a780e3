"""The ways in which answers say where units are, as patterns over signs (trag/verify/phrasings.txt).

M is a name, "," or "&" joins names, "*" begins an item of a list.  A pattern names its parts: `group` or `list` for the
units that are placed, `holder` for the one above them, `gap`, `rel` and `mid` for what stands between, `number` and
`noun` of a count.  Knows nothing about units.
"""

from __future__ import annotations

import re

_M = r"M(?:\([^()M]*\))?"
_ITEM = rf"[,&]+{_M}(?!=?h?n?[uUqlLovVpPwh])"  # not the first name of what comes next: "A has B, and C is under D"
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
    r"(?P<rel>(?:d?[uql](?:j?p)?|(?<=[=,(Mnzwdi&'])[UL]|(?<==t)U|(?<==xt)U|(?<=#t)U|(?<==)(?<!'x=)e|t[fe]|(?<=[,(])[ef])"
    r"d?(?:j?p)?)"
)
_BEGIN = r"(?:(?<=[.;:])|^)"
_COUNTED = r"(?P<number>#)[dgx]{0,2}(?P<noun>[tc])(?P<after>[dg]*)"

_TABLE = (
    # A and B are part of C
    ("under", rf"{_GROUP}{_GAP}{_UNDER}(?P<holder>M|w(?=[.,;)]|$))(?!')"),
    # A is one of the units of B
    ("under", rf"{_GROUP}(?P<gap>[,(]?=?[dxn#f]{{0,3}})(?P<rel>[tc]w?=?[ufeU]){_HOLDER}"),
    # A is one of B's units; A is a B unit
    ("under", rf"(?:{_BEGIN}|(?<=[,;&*]))(?P<group>M)(?P<gap>[=n]+[d#]{{0,2}})(?P<holder>M)'?[xd]?[tc]"),
    # A, which B oversees
    ("under", r"(?P<group>M)(?P<gap>,?)w(?P<holder>M)o(?=[,.;]|$)"),
    # A (B); A of B; B's A
    ("under", r"(?P<group>M)(?P<gap>)(?P<rel>\()(?P<holder>M)(?=\))"),
    ("loosely", rf"(?P<group>M)(?P<gap>'?)(?P<rel>[fe]){_HOLDER}"),
    ("loosely", r"(?P<holder>M)(?P<gap>)'(?P<group>M)"),
    # A has been moved to B
    ("loosely", rf"(?<![fe'&])(?<!M,)(?P<group>{_NAMES})(?P<gap>[,(]?w?n?)m{_HOLDER}"),
    # B, to which A belongs; B is where A reports
    ("under", r"(?P<holder>M)(?P<gap>[,=]{0,2}x?)w(?P<group>M)r"),
    # the parent of A is B; A's parent is B; its parent is B
    ("parent", rf"[pP][fe]?x?[&,]?x?(?P<group>{_NAMES})(?P<gap>[=:n,d]+){_HOLDER}"),
    ("parent", rf"{_GROUP}'[xd]?[pP]{_IS}{_HOLDER}"),
    ("parent", rf"(?P<group>j)[pP]{_IS}{_HOLDER}"),
    # A has B as its parent; A has B above it
    ("parent", r"(?P<group>M|i)(?P<gap>n?)v(?P<holder>M)(?:xj[xd]?[pP]|Pi)"),
    # B is the parent of A; B is above A; B is A's parent
    ("parent", rf"(?P<holder>M)(?P<gap>[,(]?[=n]+[xtdcn]{{0,3}})[pP][fe]?(?P<group>{_NAMES}|i)"),
    ("parent", r"(?P<holder>M)(?P<gap>[,(]?[=n]+)(?P<group>M)'[xd]?[pP]"),
    # B includes A and C; B has the following units: A, C; B has a unit for this, A, which
    (
        "over",
        r"(?P<holder>M|i|(?<=[M,])w)(?P<gap>[&,=nxd]{0,4})(?:o|[vV](?=[dtc#x*:]*[:*]|[#tc]*M(?!(?:xj[xd]?)?[pP])))"
        rf"(?P<mid>{_INTRO}){_LIST}(?!')",
    ),
    ("over", r"(?P<holder>M|i)(?P<gap>)v(?P<mid>x?t[xdf]{0,3},)(?P<list>M)(?=,)"),
    # B, with A under it
    ("over", rf"(?P<holder>M)(?P<gap>),?x(?P<mid>)(?P<list>{_NAMES})Ui"),
    # B's subunits are A and C; its subunits are A and C; the subunits of B are A and C
    ("over", rf"(?P<holder>M|i)(?P<gap>)(?:'?[xd]?c|'[xd#]?t){_MID}{_LIST}"),
    ("over", rf"(?P<holder>j)(?P<gap>)[xd#]?[tc]{_MID}{_LIST}"),
    ("over", rf"(?P<gap>)c[fe]?(?P<holder>M){_MID}{_LIST}"),
    # under B there are A and C; the units under B are A and C; under B, A and C
    (
        "over",
        rf"(?:{_BEGIN}|(?<=&))(?P<gap>[xcgt#,d]{{0,3}}w?=?)(?:d?[uUqlL]|t[fe]|c[fe]?|e){_HOLDER}"
        rf"(?:,?YM,?)?(?P<mid>(?:[=:]|(?=\*)|x?v){_INTRO}){_LIST}",
    ),
    ("over", rf"{_BEGIN}(?P<gap>)x?d?[uUlL](?P<holder>M|i|w)(?P<mid>,?){_LIST}"),
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
        rf"(?P<holder>M|i|(?<=[M,])w)(?P<gap>[,&(i=dxg]{{0,3}}[ovVc:=]|\(?iv|j|')(?P<mid>[dgxo]{{0,2}}){_COUNTED}"
        r"(?![fx]*y)",
    ),
    ("count", rf"(?P<holder>M)(?P<gap>[,(]?x?)j(?P<mid>[dg]?){_COUNTED}"),
    (
        "count",
        r"(?P<number>#)[dg]{0,2}(?P<noun>[tc])(?P<mid>[gdwx=]{0,3})(?:[uql]|[dULgef]+)(?P<holder>M|i)"
        r"(?P<after>,?[gd]*)(?!')",
    ),
    ("count", rf"(?:^|(?<=[.,;:]))(?P<mid>[dg]*)[Uuegx]+(?P<holder>M)(?P<gap>,?)={_COUNTED}"),
    ("count", r"[xt]f(?P<noun>[tc])(?P<mid>[dg]?)[uUqef](?P<holder>M)=(?P<number>#)(?P<after>)"),
    # with three units under it, B
    ("count", r"(?P<number>#)[dg]{0,2}(?P<noun>[tc])(?P<mid>[gd]?)[uU]i(?P<after>,)(?P<holder>M)(?P<gap>)"),
)
PATTERNS = tuple((name, re.compile(pattern)) for name, pattern in _TABLE)
PATH = re.compile(r"M(?:>M)+")
NOT_UNDER = re.compile(r"[uUqlL](?:j?p)?M[,(&]*z[uUqlLe]?(?P<holder>M)")
"""Under B, not under C: said of the unit before it."""
