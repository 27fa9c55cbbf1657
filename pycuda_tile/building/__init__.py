"""Turns a source into a module: build() checks its arguments, and Module holds what a target compiled."""
