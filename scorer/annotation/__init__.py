"""Statistics of annotation: agreement, adjudication, rounds, and the effect of context on ratings."""
