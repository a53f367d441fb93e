"""The JSON API: each endpoint parses a request, calls one service, and answers."""
