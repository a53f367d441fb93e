"""Best-worst scaling: tuples to annotate, their answers, the scores of items, and how reliable these are."""
