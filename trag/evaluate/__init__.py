"""How right the answers are: cases put to systems, scored by their gold, kept, and told in the paper's tables.

cases <- scoring <- runs <- running <- tables: each imports only what stands before it.  Importing the room loads none
of it.
"""
