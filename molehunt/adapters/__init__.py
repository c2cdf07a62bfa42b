"""Ways in and out: our monitors inside other programs, and other programs' monitors among ours."""
