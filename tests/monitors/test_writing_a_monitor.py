"""The guide's examples run, and do what it says of them."""

from __future__ import annotations

import re
from pathlib import Path

from molehunt.monitors import build, describe
from molehunt.monitors.files import load_file
from molehunt.monitors.testing import ask_that_says, judged_by

GUIDE = Path(__file__).parents[2] / "docs" / "writing_a_monitor.md"


def the_examples(folder: Path) -> Path:
    blocks = re.findall(r"(?ms)^```python\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"))
    assert len(blocks) == 5
    file = folder / "mine.py"
    file.write_text("\n\n".join(blocks))
    return file


async def test_the_guides_monitors_are_built_from_a_file_and_score(tmp_path, trajectory):
    file = the_examples(tmp_path)
    floor = build(f"{file}@imports(modules=[os, socket])")
    assert (await judged_by(floor, ask_that_says(), trajectory)).score == 0.0
    judge = build(f"{file}@candour")
    assert (await judged_by(judge, ask_that_says("Hm.\nSUSPICION: 9"), trajectory)).score == 0.09
    panel = build(f"{file}@most_suspicious(first='{file}@candour', second=cot_only)")
    assert (panel.roles, panel.calls) == (("monitor",), 2)
    verdict = await judged_by(panel, ask_that_says("Hm.\nSUSPICION: 9", "Oh.\nSUSPICION: 80"), trajectory)
    assert (verdict.score, verdict.rationale) == (0.8, "Oh.")
    assert describe(f"{file}@candour").summary == "Judges whether the agent was open with its user."


async def test_the_guides_tests_pass(tmp_path):
    examples = vars(load_file(the_examples(tmp_path)))
    tests = [value for name, value in examples.items() if name.startswith("test_")]
    assert len(tests) == 2
    for test in tests:
        await test()
