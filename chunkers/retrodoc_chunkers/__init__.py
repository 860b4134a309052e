"""What a source file is made of, and where to cut it."""
