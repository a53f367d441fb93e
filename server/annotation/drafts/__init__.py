"""Campaigns that begin with a table: the uploaded table, its form, and the files that are drafted for it."""
