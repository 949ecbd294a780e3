"""From sections to checked question-answer pairs: by rules, or by a configured model in the paper's three passes.

Knows nothing about files, the index or the web.
"""

from trag.pairs.made import Made
from trag.pairs.making import pairs_of
from trag.pairs.rules import by_rules
from trag.pairs.support import source
from trag.pairs.written import MOST_EXAMPLES, written

__all__ = ["MOST_EXAMPLES", "Made", "by_rules", "pairs_of", "source", "written"]
