"""Whole CUDA programs, host and device code in one file, for the CPU: `pycuda-tile nvcc`.

A file goes through these modules: options.py reads nvcc's command line, and driver.py carries it out;
halves.py preprocesses each file twice, rewriting/ changes the text of both halves, and objects.py joins what
the compiler made of them, with the help of elf.py. library.py has what every program is linked with.
"""
