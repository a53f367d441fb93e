"""Commands that speak to a site."""
