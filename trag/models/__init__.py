"""Models as files: those that are recommended, fetched from a hub where one can be reached, and those of this machine,
tried before anybody relies on them."""
