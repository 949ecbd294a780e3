"""Questions about the chart as expressions that code runs, and the words in which the chart answers them."""
