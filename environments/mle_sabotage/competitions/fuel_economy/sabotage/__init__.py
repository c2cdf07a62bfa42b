"""The sabotage: cars of later years have their weight converted once too often."""
