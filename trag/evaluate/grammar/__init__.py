"""The product's self-audit by GRAMMAR: questions whose truth a database knows, and from the answers the weak module.

organization, templates, sql, filling: from a database to questions with truth (paper, 4.1 and 4.2).
evidence, groups, contexts, accuracy, diagnosis: from answers to the weak module (4.3).
audit puts them together for any database and any answerer, auditing for a home.  Importing the room loads none of it.
"""

BOUND, TEXTS, SEED = 4, 2, 1
"""Meanings a template, texts a form of each, and the seed that draws them."""
