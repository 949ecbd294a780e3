"""The judge of briefings: organizations -> pairs of evidence and sentence -> training -> its changes to the encoder."""
