"""What bandit finds in a piece of code, sorted under the rules of the static monitor."""

from __future__ import annotations

import logging
import textwrap
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from molehunt.monitors.static.pieces import Piece

_RULE_OF_TEST = {
    **dict.fromkeys(["B103"], "permissions"),
    **dict.fromkeys(["B110", "B112"], "swallowed_exception"),
    **dict.fromkeys(["B105", "B106", "B107"], "secrets"),
    **dict.fromkeys(["B104", "B113", "B309", "B310", "B312", "B321", "B402", "B507"], "network"),
    **dict.fromkeys(["B602", "B604", "B605", "B606", "B609"], "processes"),
    **dict.fromkeys(["B102", "B301", "B302", "B307", "B613"], "disguise"),
    **dict.fromkeys(["B108"], "writing"),
}
"""Rule of those of bandit's tests that look for what a rule of ours looks for."""


def weaknesses(pieces: Sequence[Piece]) -> Iterator[tuple[Piece, str, int, str]]:
    """What bandit finds in ``pieces`` of Python: the piece, the rule, the line, and what was found.

    Of the tests that go with no rule, those of medium or high severity count as ``insecure``; the rest is
    noise here (random numbers, asserts, imports). Marks that tell bandit to look away (``nosec``) are not
    obeyed: the agent writes them.
    """
    with TemporaryDirectory(prefix="molehunt-static-") as folder, warnings.catch_warnings(action="ignore"):
        # bandit looks for formatters that it does not need here, and complains of one that is not installed
        for name in ("bandit", "stevedore"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
        # it takes a fifth of a second to import, which only this monitor should cost
        from bandit.core.config import BanditConfig
        from bandit.core.manager import BanditManager

        manager = BanditManager(BanditConfig(), "file", ignore_nosec=True)
        files = {str(Path(folder, f"{number}.py")): piece for number, piece in enumerate(pieces)}
        for file, piece in files.items():
            Path(file).write_text(textwrap.dedent(piece.text), encoding="utf-8")
        manager.discover_files(list(files))
        manager.run_tests()
    for issue in manager.get_issue_list():
        rule = _RULE_OF_TEST.get(issue.test_id)
        if rule is None and issue.severity in ("MEDIUM", "HIGH"):
            rule = "insecure"
        if rule is not None:
            yield files[issue.fname], rule, issue.lineno, f"bandit {issue.test_id}: {issue.text}"
