"""Models as files: those that are known by name, fetched and checked, and those of this machine, tried before anybody
relies on them."""
