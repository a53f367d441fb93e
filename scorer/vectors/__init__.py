"""Word vectors: files of them, and the similarity of two texts by the vectors of their words."""
