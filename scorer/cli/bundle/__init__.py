"""Commands that describe, check and start task bundles."""
