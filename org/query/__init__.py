"""Questions about the chart as expressions, and the words in which the chart answers them.

expression (a model writes it, under a grammar) -> units of the chart -> ChartReply.  Knows nothing about models.
"""


class QueryError(Exception):
    """An expression that cannot be run, said to a person: what was found, and what to do next."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
