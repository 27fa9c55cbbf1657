"""From what a compiler printed to errors that name the user's file and line."""
