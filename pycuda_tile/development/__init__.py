"""Tools for those who work on this package; only the command line imports them.

codegen    makes the generated headers, documentation and tables
coverage   says what of the API is documented, implemented and tested
"""
