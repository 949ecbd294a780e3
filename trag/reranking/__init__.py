"""How likely each of some texts answers a question, read together with it (a cross-encoder)."""
