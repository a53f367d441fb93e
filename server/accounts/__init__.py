"""Accounts by Flask-Security: its forms, datastore and commits, the listed exception to the import rules."""

from server.access.security_accounts import create_account, forget_account, set_password
from server.accounts.setup import init_accounts

__all__ = ["create_account", "forget_account", "init_accounts", "set_password"]
