"""Pure rules on plain values."""
