"""The chart files of a home: strangers' ones read in a child process, and those that were activated, kept."""
