"""The encoder that suggests steps, tables and triggers of workflows: gold workflows -> pairs -> training -> its changes."""
