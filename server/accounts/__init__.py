"""Accounts by Flask-Security: its forms, datastore and commits, the listed exception to the import rules."""
