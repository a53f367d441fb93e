"""What the site stores about a person, and how it is erased; it joins the nouns that store it."""
