"""Campaigns: their files, rounds, entries, annotators and consent."""
