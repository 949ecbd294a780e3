"""The product's self-audit by GRAMMAR: questions whose truth a database knows, and from the answers the weak module.

organization, templates, sql, questions: from a database to questions with truth (paper, 4.1 and 4.2). diagnosis: from
answers to the weak module (4.3). audit puts them together. Importing the room loads none of it.
"""
