"""The pages of the people: signing in, one's own account, everybody's for admins; and session authentication."""
