"""The pages of the organization's chart: what is in use, and another one uploaded, reviewed and activated."""
