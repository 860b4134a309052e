"""Rust as data: attributes, functions followed through modules, and the commands that a clap program has."""
