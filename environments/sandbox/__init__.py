"""Where model-written code runs: a sandbox of our own, the choice of one, and programs inside it.

``choose_sandbox`` gives a task its sandbox, ``run_program`` runs a Python program in one, and
``molehunt.environments.sandbox.bubblewrap.bubblewrap_environment`` makes one outside an eval.
"""

from molehunt.environments.sandbox.choice import choose_sandbox
from molehunt.environments.sandbox.config import BubblewrapConfig
from molehunt.environments.sandbox.program import Finished, Trap, TrapRequest, run_program

__all__ = ["BubblewrapConfig", "Finished", "Trap", "TrapRequest", "choose_sandbox", "run_program"]
