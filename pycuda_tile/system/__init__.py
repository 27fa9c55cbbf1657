"""What the package needs of the machine it is on: its own files, the cache on disk, files that commands
write, processes that fork, and the command that installs what is missing."""
