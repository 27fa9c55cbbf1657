"""The target `cpu`: the host's compiler compiles blocks of one thread, which run on all cores."""

from .target import Target

TARGET = Target("cpu", module="pycuda_tile.targets.host.fused", debug=True, fuses=True, emits={"loops": ""})
