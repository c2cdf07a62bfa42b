"""The solutions are programs for a sandbox; pytest, which imports what it collects, leaves them alone."""

collect_ignore_glob = ["*/solution/*"]
