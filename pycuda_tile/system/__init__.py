"""The package and its machine: its own files, the cache on disk, files that commands write, processes that
fork, and the command that installs missing packages."""
