"""What was said, about which source, and where it is kept."""
