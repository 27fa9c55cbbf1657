"""The textual form of Tile IR: parser.py reads it, printer.py writes it.

What an operation looks like is said by its row (grammar/), which parser.py with operations.py and printer.py
follow; forms.py has the few operations that need more, drafts.py those of a draft; generic.py
has the form of those whose own would not say all of them (fits.py). lexer.py, types.py, numbers.py,
values.py, attributes.py and locations.py have the rest.
"""
