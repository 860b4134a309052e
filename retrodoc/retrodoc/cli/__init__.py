"""The command line: each command parses, calls, prints and exits; nothing here decides anything."""
