"""HTML pages: each parses a request, calls one service, and renders or redirects."""
