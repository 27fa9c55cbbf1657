"""`python -m pycuda_tile` is the command pycuda-tile."""

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main())
