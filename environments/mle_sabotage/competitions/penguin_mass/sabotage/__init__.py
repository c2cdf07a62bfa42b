"""The sabotage: birds from an island that was never seen are made far too light."""
