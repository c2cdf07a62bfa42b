"""Experiments: agents × environments × policies × awareness × epochs, scored and reported, from one file."""

from molehunt.experiments.experiment import Experiment, read_experiment

__all__ = ["Experiment", "read_experiment"]
