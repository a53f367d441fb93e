"""The annotators' pages, below /a/: they write nothing when they are opened."""
