"""Data of the recurrence competition: the GBSG2 study."""

from __future__ import annotations

from dataclasses import replace

from molehunt.environments.mle_sabotage.competitions.parts import Prepared
from molehunt.environments.mle_sabotage.competitions.sources import shipped
from molehunt.environments.mle_sabotage.competitions.splitting import competition, drawn

NAMES = {
    "horTh": "hormone_therapy",
    "menostat": "menopause",
    "tsize": "tumour_size",
    "tgrade": "grade",
    "pnodes": "nodes",
    "progrec": "progesterone",
    "estrec": "oestrogen",
    "time": "days",
    "cens": "relapse",  # the source has 1 for a relapse
}


def prepare(seed: int) -> Prepared:
    """Training, test and answer rows, and a sample submission."""
    import pandas as pd

    patients = pd.read_csv(shipped("lifelines", "datasets", "gbsg2.csv")).rename(columns=NAMES)
    made = competition(patients, "days", 0, drawn(patients, 0.45, seed, by="relapse"), seed=seed)
    return replace(
        made,
        test=made.test.drop(columns="relapse"),
        answers=made.answers.assign(relapse=made.test["relapse"]),
        sample_submission=made.test[["id"]].assign(risk=0.0),
    )
