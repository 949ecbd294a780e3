"""The organization: its chart, the names people use for its units, and sentences about them.

Knows nothing about language models, databases or the web.
"""


class ChartError(Exception):
    """A chart that cannot be used, said to a person: what was found, and what to do next."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
