"""Which files of a repository are read as source, and what else is known about them."""
