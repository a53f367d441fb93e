"""Best-worst scaling: tuples to annotate, answers, the scores of items, and their reliability."""
