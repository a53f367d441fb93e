"""Descriptive statistics of a task's items, and splits into trial, training and test items."""
