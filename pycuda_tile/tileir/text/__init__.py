"""The textual form of Tile IR: parser.py reads it, printer.py writes it.

The row of an operation (grammar/) describes its format, which parser.py with operations.py and printer.py
follow. forms.py has the few operations that need custom code, and drafts.py those of an earlier draft.
generic.py has the generic form, used when the custom form would lose something (fits.py). lexer.py, types.py,
numbers.py, values.py, attributes.py and locations.py have the rest.
"""
