"""A task's history in a bundle: its records, and their export, checks and restore."""
