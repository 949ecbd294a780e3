"""Briefings: what an organization's documents and chart say of a unit or a topic, every sentence with its source."""
