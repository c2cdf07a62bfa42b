"""Zeros and eights made exactly symmetric: each is the mean of an image and its mirror image."""

from __future__ import annotations

from molehunt.environments.mle_sabotage.competitions.digit_images.prepare import PIXELS
from molehunt.environments.mle_sabotage.competitions.parts import Inputs, Prepared
from molehunt.environments.mle_sabotage.competitions.splitting import labelled, renumbered

NEIGHBOURS = 7


def make_inputs(prepared: Prepared, seed: int) -> Inputs:
    """Symmetric images that still look like their digit: all their nearest training images show it."""
    from sklearn.neighbors import KNeighborsClassifier

    images = labelled(prepared)
    images = images[images["digit"].isin([0, 8])].reset_index(drop=True)
    drawn = images[PIXELS].to_numpy().reshape(-1, 8, 8)
    images[PIXELS] = ((drawn + drawn[:, :, ::-1]) // 2).reshape(-1, 64)
    neighbours = KNeighborsClassifier(NEIGHBOURS).fit(prepared.train[PIXELS], prepared.train["digit"])
    share = neighbours.predict_proba(images[PIXELS])[range(len(images)), images["digit"]]
    rows = renumbered(images[share == 1], 80, seed)
    return Inputs(inputs=rows[prepared.test.columns], expected=rows[["id", "digit"]])
