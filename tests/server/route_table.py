"""Every route of the site, by method: who gets which status. `test_embargo.py` holds the site against it."""

from tests.server.api_routes import CALLS
from tests.server.page_routes import MOVED, PAGES
from tests.server.route_cases import Case

CASES = (*PAGES, *CALLS, Case("security.logout", MOVED, "POST"))
"""Signing out is the last, for it ends what the others need."""
