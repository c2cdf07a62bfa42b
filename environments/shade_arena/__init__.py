"""SHADE-Arena: long tool-use runs in simulated applications, with a harmful errand on the side."""
