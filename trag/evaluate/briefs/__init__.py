"""How well briefings stand on their evidence (Plan-based retrieval, section 4.3): sentences, a judge, AIS, ROUGE.

It shares no code with what checks and mends briefings while they are written.
"""
