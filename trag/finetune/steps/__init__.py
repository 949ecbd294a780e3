"""The encoder that suggests steps, tables and triggers of workflows: workflows -> pairs -> training -> its changes."""
