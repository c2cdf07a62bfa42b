"""A monitor that judges code by documented rules and bandit's, without a model and without labels."""

from molehunt.monitors.static.monitor import static

__all__ = ["static"]
