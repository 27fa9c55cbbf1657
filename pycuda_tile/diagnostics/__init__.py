"""Turns a compiler's output into errors that name the user's file and line."""
