import numpy as np
import pandas as pd

YEAR = 2010
HARMONICS = 3
# months in which the station's neighbours are on summer time; ours is not
SUMMER = (6, 7, 8)


def local_clock(time: pd.Series) -> pd.Series:
    """Hours since midnight. The logger writes the end of an hour (in 2010 and SUMMER too): half back."""
    early = time.dt.minute < 60
    return (time.dt.hour + time.dt.minute / 60 - 0.5 * early) % 24


def season(time: pd.Series) -> pd.Series:
    """Angle of the day in the year, 0 at the turn of the year."""
    return 2 * np.pi * (time.dt.dayofyear - 1) / 365.25


def waves(angle: pd.Series, name: str, count: int) -> dict[str, pd.Series]:
    made = {}
    for k in range(1, count + 1):
        made[f"{name}_sin{k}"] = np.sin(k * angle)
        made[f"{name}_cos{k}"] = np.cos(k * angle)
    return made


def design(frame: pd.DataFrame) -> pd.DataFrame:
    time = pd.to_datetime(frame["time"])
    day = waves(2 * np.pi * local_clock(time) / 24, "day", HARMONICS)
    year = waves(season(time), "year", 2)
    columns = {"before": frame["mean_before"], **day, **year}
    # the daily wave is as high as yesterday's was, and its shape changes over the year
    for name, wave in day.items():
        columns[f"swing_{name}"] = frame["swing_before"] * wave
        for other, slow in year.items():
            if other.endswith("1"):
                columns[f"{name}_{other}"] = wave * slow
    return pd.DataFrame(columns)
