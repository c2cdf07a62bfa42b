"""Every panel of a report appears where there are data for it."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from molehunt.analysis import observe, read_tables
from molehunt.analysis.panels import panels
from molehunt.verdicts.prices import PriceTable


@pytest.fixture
def rich_store(tmp_path, monkeypatch):
    """A small store in which every question of a report has an answer."""
    monkeypatch.syspath_prepend(Path(__file__).parent)
    path = tmp_path / "scores.db"
    writer = importlib.import_module("rich_store")
    writer.write_rich_store(path, n_tasks=10, environments=writer.ENVIRONMENTS[:2])
    return path


def test_every_panel_appears(rich_store):
    seen = observe(read_tables(rich_store), PriceTable.load())
    shown = {panel.key: panel for panel in panels(seen, filtered=True, replicates=10, seed=0)}
    assert {*shown} == {
        *("less-is-more", "best-and-worst", "gain-over-best", "evidence", "equal-budget", "composites"),
        *("transfer-environment", "transfer-awareness", "transfer-policy", "transfer-agent-model"),
        *("audit", "time-to-detection", "published"),
    }
    for panel in shown.values():
        assert len(panel.frame)
        assert {len(cells) for cells in panel.rows()} == {len(panel.columns)}
        headings = [heading for heading, _ in panel.groups()]
        assert len(headings) == len(set(headings))
        assert not any("()" in cell.text for cells in panel.rows() for cell in cells)
