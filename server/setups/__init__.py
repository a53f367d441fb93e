"""Task setups: a bundle in the making, step by step in the browser, private to the person who began it."""
