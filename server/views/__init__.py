"""Pages: parse, call one service, render or redirect."""
