"""The host's code in a Python extension's process. Extensions must not import it."""
