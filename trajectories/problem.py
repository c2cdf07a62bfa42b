"""The one exception that is written for the person at the keyboard."""

from __future__ import annotations


class Problem(Exception):
    """Something that its reader can put right.

    The message is one line: what is wrong, where, and what to do. The command line prints it behind the
    command's name and exits with status 1; from Python it is raised as it is.
    """
