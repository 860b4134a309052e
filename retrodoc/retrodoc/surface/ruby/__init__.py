"""Ruby as data: literals folded without running anything, classes and where a method is found."""
