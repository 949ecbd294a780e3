"""Chart files, read and checked: bytes -> table -> rows -> lineage -> chart, with every problem on the way."""
