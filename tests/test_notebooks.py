"""The example notebooks run from top to bottom, and show pictures and tables."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "examples").glob("*.ipynb"))


@pytest.mark.filterwarnings("default")  # Jupyter's own
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_a_notebook_runs_and_shows_what_it_promises(path, tmp_path):
    nbformat = pytest.importorskip("nbformat", reason="nbclient is not installed")
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    stored = nbformat.read(path, as_version=4)
    fresh = nbformat.from_dict(stored)
    for cell in fresh.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        nbclient.NotebookClient(
            fresh, timeout=300, kernel_name="python3", resources={"metadata": {"path": tmp_path}}
        ).execute()
    for before, after in zip(stored.cells, fresh.cells, strict=True):
        if before.cell_type == "code":
            assert kinds(after) == kinds(before), before.source
    shown = [kind for cell in fresh.cells for kind in kinds(cell)]
    assert "image/svg+xml" in shown
    assert "text/html" in shown


def kinds(cell):
    """What a cell shows: the kinds of its outputs."""
    if cell.cell_type != "code":
        return []
    return sorted(
        kind for output in cell.outputs for kind in (output.get("data") or {output.output_type: ""})
    )


def test_there_are_notebooks():
    assert NOTEBOOKS
