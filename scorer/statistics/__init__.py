"""Resampling, permutation tests, tests of correlations, and power. Nothing here knows a board or a file."""
