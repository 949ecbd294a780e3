"""Workflows: what is done by itself when something happens, with only steps and tables that exist."""
