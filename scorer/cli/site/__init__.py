"""Commands that connect to a site."""
