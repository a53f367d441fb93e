"""Accounts by Flask-Security: its forms, datastore and commits, a listed exception to the import rules."""
