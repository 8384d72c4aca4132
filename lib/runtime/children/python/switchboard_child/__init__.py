"""The host's side of a Python extension's process. Nothing here is for extensions to import."""
