"""The pages of the people: signing in, one's own account, and everybody's for those in charge; and who is at the
door."""
