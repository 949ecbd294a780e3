"""The organization: its chart, the names people use for its units, and what the chart answers about them."""
