"""One module a surface: what it shows the judge, what it asks, and what follows from the answer."""
