"""Models that run on this machine, so that the whole line can be tried without a key."""
