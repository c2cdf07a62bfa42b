"""The sabotage: telephone numbers are blacked out."""
