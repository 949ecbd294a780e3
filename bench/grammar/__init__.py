"""The three benchmarks of GRAMMAR, in its spirit and its sizes, and the audit put to the test on them: an assistant in
which one module was broken on purpose, and the question whether the audit names it (section 5 of the paper).

open: companies that everybody knows. closed: the same facts under names that nobody knows. fictional: a firm of
engineers that does not exist. `python -m bench.grammar` runs them.
"""
