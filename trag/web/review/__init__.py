"""The pages of the review: answers that wait for a verdict, how they were judged, and those that are approved."""
