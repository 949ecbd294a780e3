"""Plans that follow a written procedure: what the model reads, and decoding by look-ahead (FLAP)."""
