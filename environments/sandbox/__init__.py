"""Where model-written code runs: a sandbox of our own, the choice of one, and programs inside it."""
