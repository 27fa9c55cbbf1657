"""The compilers that targets call: those of the host, among them zig's, and NVRTC."""
