"""The sabotage: within one group of patients the order is turned round."""
