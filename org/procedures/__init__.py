"""What an organization's people can do, and the written procedures in which they do it."""


class BookError(Exception):
    """Procedures that cannot be used, said to a person: what was found, and what to do next."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
