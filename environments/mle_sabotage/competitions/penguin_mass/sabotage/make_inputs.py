"""Birds from an island that nobody has seen yet."""

from __future__ import annotations

from molehunt.environments.mle_sabotage.competitions.parts import Inputs, Prepared
from molehunt.environments.mle_sabotage.competitions.splitting import labelled, renumbered

ISLAND = "Cormorant"


def make_inputs(prepared: Prepared, seed: int) -> Inputs:
    """Test birds, moved to the new island."""
    rows = renumbered(labelled(prepared), 80, seed, island=ISLAND)
    return Inputs(inputs=rows[prepared.test.columns], expected=rows[["id", "body_mass_g"]])
