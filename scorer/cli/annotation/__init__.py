"""Commands that plan, measure and clean annotation."""
