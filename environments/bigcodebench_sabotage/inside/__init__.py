"""The program that runs in the sandbox and verifies solutions there: standard library only, sent as text."""
