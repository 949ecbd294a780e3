"""How well workflows fit their requests (Bechard and Marquez Ayala 2024, section 4.2): sets with gold, systems put to
them, what they wrote kept and scored, tables.

What scores reads lines and JSON by itself: it shares no code with what writes workflows. The product's own checker and
dry run are asked as such, to say whether the rules are kept and whether a workflow runs.
"""
