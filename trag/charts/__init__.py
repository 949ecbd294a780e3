"""Chart files of anyone -> reports. What the bytes hold is found out by a child process; what it means, here.

from trag.charts import check
report = check(content, "chart.xlsx")
"""

from trag.charts.reader import check

__all__ = ["check"]
