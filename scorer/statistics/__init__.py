"""Resampling, permutation tests, tests of correlations, and power, independent of files and boards."""
