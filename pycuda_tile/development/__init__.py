"""Tools for developers of this package; only the command line imports them.

codegen    generates headers, documentation and tables
coverage   reports which parts of the API are documented, implemented and tested
"""
