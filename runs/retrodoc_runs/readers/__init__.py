"""What others wrote, read into the same models: Markdown pages, OpenWiki claims, the original RetroDoc's YAML."""
