"""``python -m molehunt``."""

from molehunt.cli import main

main()
