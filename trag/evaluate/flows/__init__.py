"""How well plans follow procedures (FLAP, sections 2.4 and 5): data with gold, plans read from text, measures, tables.

It shares no code with what plans: its graph, its reading of a plan and its nearest step are its own.
"""
