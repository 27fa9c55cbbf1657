"""From a source to a module: build() checks its arguments, and Module holds what the targets made of it."""
