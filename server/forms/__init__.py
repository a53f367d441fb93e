"""Shape and normalising of what people fill in. No database."""
