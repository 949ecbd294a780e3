"""Whether answers are right, by gold and rules.

Shares no code with what answers, nor with what checks answers: a mistake there must not hide itself here.
"""

from trag.evaluate.scoring.verdict import LONGEST, Score, declines, score

__all__ = ["LONGEST", "Score", "declines", "score"]
