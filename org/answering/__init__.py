"""What a question asks of the chart, and the words in which the chart answers it.

Knows nothing about models, documents or where a chart comes from.
"""
