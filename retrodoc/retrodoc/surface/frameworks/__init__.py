"""One module a framework: what it declares as a way in (`entry_points(sources)`)."""
