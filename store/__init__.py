"""What lasts: vectors, records and files. Chroma and SQL are used nowhere else."""


class StoreError(Exception):
    """Something could not be kept or found, said to a person: what happened, and what to do next. `public` is what is
    said in place of a message that names a file or an address, to all but those who run the program."""

    def __init__(self, message: str, hint: str = "", public: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.public = public


def disk_full(place: str) -> StoreError:
    """The one way to say that there is no room, whichever of the stores ran out of it."""
    return StoreError(
        f"No space is left for {place}.",
        "Free some space on that disk and try again. What was saved before is intact.",
        "No space is left on the assistant's disk. What was saved before is intact.",
    )


def storable(text: str) -> str:
    """`text` with NUL and lone surrogates, which no store takes, replaced by U+FFFD."""
    return text.replace("\0", "\ufffd").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
