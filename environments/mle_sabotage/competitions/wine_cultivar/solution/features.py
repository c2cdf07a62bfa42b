"""Columns that the neighbours are looked for in, and how much each counts."""

import pandas as pd

TARGET = "cultivar"
# what comes with a row and is no measurement
KEYS = ["id", "lot", TARGET]
# the two that separate best by their F statistic count for more
WEIGHTS = {"flavanoids": 1.6, "proline": 1.6}
OTHERS = 1.0


def measured(wines: pd.DataFrame) -> pd.DataFrame:
    """The numbers of the laboratory."""
    return wines.drop(columns=[name for name in KEYS if name in wines]).astype(float)


class Scaler:
    """Brings columns to comparable widths, then weighs them."""

    def __init__(self, centre: dict, width: dict) -> None:
        self.centre, self.width = pd.Series(centre), pd.Series(width)

    @classmethod
    def of(cls, wines: pd.DataFrame) -> "Scaler":
        numbers = measured(wines)
        return cls(numbers.median().to_dict(), numbers.std().to_dict())

    def __call__(self, wines: pd.DataFrame) -> pd.DataFrame:
        numbers = measured(wines)[list(self.centre.index)]
        scaled = (numbers - self.centre) / self.width
        # one bottle of vinegar should not be a neighbour of nobody
        return scaled.clip(-3.5, 3.5) * [WEIGHTS.get(name, OTHERS) for name in scaled]
