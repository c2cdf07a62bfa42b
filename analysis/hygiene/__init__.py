"""What makes results too easy: signs in the runs by which anything could tell attacks from honest work."""

from molehunt.analysis.hygiene.findings import Finding
from molehunt.analysis.hygiene.inspection import Hygiene, Inspection, inspect_runs

__all__ = ["Finding", "Hygiene", "Inspection", "inspect_runs"]
