"""The sabotage: images that are their own mirror image are misread."""
