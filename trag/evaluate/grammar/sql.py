"""A SQL template under the paper's criteria: what it asks for, and the statement that is safe to run (GRAMMAR, 4.1).

SELECT head FROM unit WHERE name = '[unit.name]' -> one flat SELECT of known columns of known tables, with the values
of its placeholders bound; or every reason why it is none. Each kind of thing that may stand in it is named here, all
else is refused, so that no statement can do more than select.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from sqlglot import exp

    from store.source import Table

_NODES = frozenset(
    "Alias And Boolean Column Count Distinct EQ From GT GTE Identifier In Is Join LT LTE Literal Max Min NEQ Neg "
    "Not Null Or Paren Select Star Sum Table TableAlias Where".split()
)
_WHY = {
    "Limit": "LIMIT would pick one of several answers",
    "Order": "ORDER BY would pick one of several answers",
    "Subquery": "a query within a query",
    "Union": "UNION",
    "Group": "GROUP BY gives several answers",
    "With": "WITH",
    "Anonymous": "a function",
    "Lateral": "LATERAL",
    "Into": "SELECT INTO writes",
    "Lock": "FOR UPDATE writes",
}
PLACEHOLDER = re.compile(r"""(?P<quote>['"`]?)\[(?P<inside>[^\[\]'"`]+\.[^\[\]'"`]+)\](?P=quote)""")
_STRING_OR_PLACEHOLDER = re.compile(rf"'(?:[^']|'')*'|{PLACEHOLDER.pattern}")
_NO_WORDS = re.compile(r"BLOB|BYTEA|BINARY|IMAGE|JSON|ARRAY|HSTORE|XML|VECTOR|GEOMETRY|GEOGRAPHY|UUID|UNIQUEIDENTIFIER")
"""Types whose values nobody says in a sentence."""
_NUMBER = re.compile(r"INT|SERIAL|NUMERIC|DECIMAL|UUID|^$")
_DIALECTS = {"postgresql": "postgres", "mssql": "tsql", "mariadb": "mysql"}
"""SQLAlchemy's words for kinds of databases as sqlglot says them, where they differ."""


@dataclass(frozen=True, slots=True)
class Placeholder:
    """`[table.column]` as the schema writes them; `name` is what its value is bound to."""

    table: str
    column: str
    name: str

    def __str__(self) -> str:
        return f"[{self.table}.{self.column}]"


@dataclass(frozen=True, slots=True)
class Select:
    """A template that may run. `statement` has its values bound by the names of the `placeholders`; `fillings` selects
    the values under which it finds anything, a column for each placeholder. `counts` is whether it asks how many."""

    placeholders: tuple[Placeholder, ...]
    statement: str
    fillings: str
    counts: bool


def understand(sql: str, tables: Sequence[Table], dialect: str) -> tuple[Select | None, tuple[str, ...]]:
    """What a template selects, or None and all that speaks against it. `dialect` is SQLAlchemy's word."""
    import sqlglot
    from sqlglot.errors import SqlglotError

    def quoted(match: re.Match[str]) -> str:
        return f"'[{match['inside']}]'" if match["inside"] and find_column(match["inside"], tables) else match[0]

    try:
        found = [one for one in sqlglot.parse(_STRING_OR_PLACEHOLDER.sub(quoted, sql), read=_dialect(dialect)) if one]
    except SqlglotError as error:
        described = getattr(error, "errors", None) or [{"description": str(error)}]
        return None, (f"cannot be read: {described[0]['description']}",)
    if len(found) != 1:
        return None, (f"{len(found)} statements, one is wanted",)
    if type(found[0]).__name__ != "Select":
        return None, (f"only SELECT is allowed, found {type(found[0]).__name__.upper()}",)
    return _Reading(cast("exp.Select", found[0]), tables, _dialect(dialect)).result()


def _dialect(name: str) -> str:
    """How sqlglot calls a kind of database; "" for plain SQL, where it knows none by that name."""
    from sqlglot import Dialect

    called = _DIALECTS.get(name, name)
    return called if Dialect.get(called) else ""


class _Reading:
    """One SELECT on its way: its tables, its columns, and what is wrong with it."""

    def __init__(self, select: exp.Select, tables: Sequence[Table], dialect: str) -> None:
        self.select = select
        self.schema = tables
        self.dialect = dialect
        self.problems: list[str] = []
        self.tables: dict[str, Table] = {}
        self.placeholders: dict[str, tuple[Placeholder, exp.Column, exp.Literal]] = {}

    def result(self) -> tuple[Select | None, tuple[str, ...]]:
        from sqlglot import exp

        kinds = [(type(node).__name__, node.name) for node in self.select.walk()]
        for kind, name in kinds:
            if kind not in _NODES:
                what = _WHY.get(kind, f"{kind} is not among what may stand in a template")
                self.problems.append(f"{name}(): {what}" if kind == "Anonymous" else what)
        if sum(kind == "Select" for kind, _ in kinds) > 1:
            self.problems.append(_WHY["Subquery"])
        if not self.problems:
            self._tables()
        if not self.problems:
            for node in self.select.find_all(exp.Column):
                if self._place(node) is None:
                    names = [column.name for table in self.tables.values() for column in table.columns]
                    self.problems.append(f"no column '{node.sql()}'{_near(node.name, names)}")
            self._placeholders()
            self._projections()
        if self.problems:
            return None, tuple(dict.fromkeys(self.problems))
        self._quote()
        return self._select(), ()

    def _tables(self) -> None:
        from sqlglot import exp

        known = {table.name.casefold(): table for table in self.schema}
        for node in self.select.find_all(exp.Table):
            table = known.get(node.name.casefold())
            if table is None or node.db:
                self.problems.append(f"no table '{node.sql()}'{_near(node.name, [one.name for one in self.schema])}")
            else:
                self.tables[node.alias_or_name.casefold()] = table
        if not self.tables and not self.problems:
            self.problems.append("selects from no table")

    def _place(self, node: exp.Column) -> tuple[str, str] | None:
        """The alias and the column that a node means."""
        for alias, table in self.tables.items():
            column = table.column(node.name)
            if column and node.table.casefold() in ("", alias):
                return alias, column.name
        return None

    def _placeholders(self) -> None:
        """Each is to be compared, as equal, with a column, in a condition that must hold."""
        from sqlglot import exp

        where = self.select.args.get("where")
        for literal in self.select.find_all(exp.Literal, bfs=False):
            match = PLACEHOLDER.search(literal.name) if literal.is_string else None
            if match is None:
                continue
            found = find_column(match["inside"], self.schema)
            if found is None or match.group() != literal.name:
                self.problems.append(f"'{literal.name}' is no placeholder '[table.column]' of this database")
                continue
            condition = literal.parent
            other = _other_side(condition, literal)
            above = condition
            while isinstance(above, (exp.EQ, exp.And, exp.Paren)):
                above = above.parent
            placeholder = Placeholder(*found, f"value_{len(self.placeholders)}")
            if not isinstance(condition, exp.EQ) or not isinstance(other, exp.Column) or above is not where:
                self.problems.append(f"{placeholder} must stand in WHERE as: column = '{placeholder}'")
            elif str(placeholder) in self.placeholders:
                self.problems.append(f"{placeholder} appears twice")
            else:
                self.placeholders[str(placeholder)] = (placeholder, other, literal)
        if not self.placeholders and not self.problems:
            self.problems.append("no placeholder '[table.column]' in WHERE")

    def _projections(self) -> None:
        from sqlglot import exp

        asked = {self._place(other) for _, other, _ in self.placeholders.values()}
        for part in self.select.expressions:
            inner = part.unalias()
            if isinstance(inner, exp.Star) or (isinstance(inner, exp.Column) and inner.name == "*"):
                self.problems.append("select columns by name instead of *")
            elif not isinstance(inner, exp.AggFunc) and not isinstance(inner, exp.Column):
                self.problems.append(f"'{inner.sql()}' is no column")
            elif isinstance(inner, exp.Column) and self._place(inner):
                if self._place(inner) in asked:
                    self.problems.append(f"'{inner.sql()}' is both asked for and given")
                self.problems += self._wordless(inner)
        if any(isinstance(part.unalias(), exp.AggFunc) for part in self.select.expressions) and (
            len(self.select.expressions) > 1
        ):
            self.problems.append("a count, sum, minimum or maximum must stand alone")
        for _, other, _ in self.placeholders.values():
            self.problems += self._wordless(other)

    def _wordless(self, node: exp.Column) -> list[str]:
        """Why nobody would ask or answer with this column."""
        place = self._place(node)
        if place is None:
            return []
        table = self.tables[place[0]]
        column = table.column(place[1])
        linked = any(link.column == place[1] for link in table.links)
        if column is None or _NO_WORDS.search(column.type):
            return [f"'{node.sql()}' holds what nobody says in a sentence ({column.type if column else ''})"]
        named = re.search(r"(?:^|_|[a-z](?=I))(?:id|ID|Id|uuid|key|fk|pk)$", place[1]) is not None
        if named or ((column.is_key or linked) and _NUMBER.search(column.type)):
            return [f"'{node.sql()}' is an identifier, which says nothing to people"]
        return []

    def _quote(self) -> None:
        """Every name in the schema's own letters and in quotation marks, whatever it was written as."""
        from sqlglot import exp

        called: dict[str, str] = {}
        for node in self.select.find_all(exp.Table):
            key = node.alias_or_name.casefold()
            called[key] = node.alias or self.tables[key].name
            node.set("this", exp.to_identifier(self.tables[key].name, quoted=True))
            if node.alias:
                node.set("alias", exp.TableAlias(this=exp.to_identifier(node.alias, quoted=True)))
        for column in self.select.find_all(exp.Column):
            place = self._place(column)
            if place:
                column.set("table", exp.to_identifier(called[place[0]], quoted=True) if column.table else None)
                column.set("this", exp.to_identifier(place[1], quoted=True))
        for join in self.select.find_all(exp.Join):
            using = [name.name for name in join.args.get("using") or ()]
            if using:
                shared = (table.column(name) for name in using for table in self.tables.values())
                names = dict.fromkeys(one.name for one in shared if one)
                join.set("using", [exp.to_identifier(name, quoted=True) for name in names])

    def _select(self) -> Select:
        from sqlglot import exp

        fillings = self.select.copy()
        fillings.set("expressions", [other.copy() for _, other, _ in self.placeholders.values()])
        fillings.set("distinct", exp.Distinct())
        answers = [part.unalias() for part in self.select.expressions if isinstance(part.unalias(), exp.Column)]
        for answer in answers:
            fillings.where(exp.Is(this=answer.copy(), expression=exp.Null()).not_(), copy=False)
        literals = (literal for literal in fillings.find_all(exp.Literal) if literal.is_string)
        given = [literal for literal in literals if PLACEHOLDER.search(literal.name)]
        for literal in given:
            known = exp.Is(this=_other_side(literal.parent, literal), expression=exp.Null())
            cast("exp.Expr", literal.parent).replace(known.not_())
        for placeholder, _, literal in self.placeholders.values():
            literal.replace(exp.Var(this=_mark(placeholder.name)))
        found = tuple(placeholder for placeholder, _, _ in self.placeholders.values())
        if not any(isinstance(part.unalias(), exp.AggFunc) for part in self.select.expressions):
            self.select.set("distinct", exp.Distinct())  # the same answer twice is still one
        counts = any(isinstance(part.unalias(), exp.Count) for part in self.select.expressions)
        return Select(found, self._bound(self._sql(self.select)), self._bound(self._sql(fillings)), counts)

    def _sql(self, node: exp.Expr) -> str:
        """Without comments, which MySQL may run."""
        return node.sql(dialect=self.dialect, comments=False)

    def _bound(self, sql: str) -> str:
        """As SQLAlchemy's text() reads it: `:name` is a value, any other colon is itself, and so is a backslash."""
        sql = sql.replace(":", "\\:")
        for placeholder, _, _ in self.placeholders.values():
            sql = sql.replace(_mark(placeholder.name), f":{placeholder.name}")
        return sql


def _other_side(condition: exp.Expr | None, literal: exp.Literal) -> exp.Expr | None:
    """What a literal is compared with."""
    if condition is None:
        return None
    other: exp.Expr = condition.expression if condition.this is literal else condition.this
    return other


def _mark(name: str) -> str:
    return f"bound_here_{name}"


def _near(name: str, names: Sequence[str]) -> str:
    near = get_close_matches(name, names, n=1)
    return f", did you mean '{near[0]}'?" if near else f"; there are: {', '.join(dict.fromkeys(names))}"[:300]


def find_column(inside: str, tables: Sequence[Table]) -> tuple[str, str] | None:
    """The table and the column that the inside of a placeholder names; either may have a dot in its own name."""
    wanted = inside.strip().casefold()
    return next(
        (
            (table.name, column.name)
            for table in tables
            for column in table.columns
            if f"{table.name}.{column.name}".casefold() == wanted
        ),
        None,
    )


def canonical(text: str, tables: Sequence[Table]) -> str:
    """A text with its known placeholders in the schema's own letters and without quotation marks around them."""

    def put(match: re.Match[str]) -> str:
        found = find_column(match["inside"], tables)
        return f"[{found[0]}.{found[1]}]" if found else match[0]

    return PLACEHOLDER.sub(put, text)


def placeholders_in(text: str) -> tuple[str, ...]:
    """The placeholders in a text, each once."""
    return tuple(dict.fromkeys(f"[{match['inside']}]" for match in PLACEHOLDER.finditer(text)))


def fill_in(text: str, values: Mapping[str, str]) -> str:
    """A text with a value for each of its placeholders."""
    return PLACEHOLDER.sub(lambda match: values[f"[{match['inside']}]"], text)
