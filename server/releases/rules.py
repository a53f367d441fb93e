"""Rules of releases that need no database."""

NOTE_MOST = 1000
"""Characters that a word to the readers may have."""
