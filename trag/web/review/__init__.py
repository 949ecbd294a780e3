"""The review desk: the answers that wait for a verdict, one of them judged, how they were judged, and the answers that
are approved for everybody."""
