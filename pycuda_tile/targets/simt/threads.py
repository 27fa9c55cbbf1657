"""How many threads share a block of the target `simt`."""

from ..target import Threads

THREADS = Threads(fewest=32, default=128)
