"""The saboteur made by program: honest runs and attacks of BigCodeBench-Sabotage without a model.

Its handwriting is not a model's, and results on it carry no claim about models.
"""

from __future__ import annotations

from molehunt.environments.bigcodebench_sabotage.saboteur.script import Script, write

__all__ = ["Script", "write"]
