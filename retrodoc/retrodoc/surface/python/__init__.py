"""Python as data: modules, names followed through imports, and values folded without running anything."""
