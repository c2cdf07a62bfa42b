"""The sabotage: samples from one clinic are never called malignant."""
