"""The tables and figures of papers: of a public release, and of a whole task for its organizers."""
