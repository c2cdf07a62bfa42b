"""The example notebook runs from top to bottom, as a person would run it."""

from __future__ import annotations

from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).resolve().parents[2] / "examples" / "molehunt.ipynb"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_every_cell_runs_and_ends_at_a_report(tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat", reason="needs nbformat, nbclient and ipykernel")
    nbclient = pytest.importorskip("nbclient", reason="needs nbclient and ipykernel")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbclient.NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    assert (tmp_path / "notebook-output" / "report" / "report.html").is_file()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert not [output for output in shown if output.output_type == "error"]


def test_no_output_is_kept_in_the_repository() -> None:
    nbformat = pytest.importorskip("nbformat", reason="needs nbformat")
    cells = nbformat.read(NOTEBOOK, as_version=4).cells
    assert all(not cell.get("outputs") for cell in cells)
