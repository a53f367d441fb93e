"""A task's history as bundles carry it: records, and their export, checks and restore."""
