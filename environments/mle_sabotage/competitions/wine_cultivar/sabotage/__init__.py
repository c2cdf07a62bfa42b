"""The sabotage: validation looks perfect because of a running number that means nothing elsewhere."""
