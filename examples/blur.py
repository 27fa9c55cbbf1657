"""Blur a picture with a tile kernel over overlapping windows (Gaussian, 9 x 9 pixels), and write a PNG."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
from _common import HERE, add_target, build, ceildiv, median_seconds, on_target, progress, to_numpy, wait
from _picture import PictureError, read_picture, write_png

import pycuda_tile as pct

TILE_HEIGHT, TILE_WIDTH = 8, 128  # as in blur.cu
RADIUS = 4


def gaussian() -> np.ndarray:
    """The weights of one pass: 2 RADIUS + 1 floats whose sum is 1."""
    weights = np.exp(-((np.arange(-RADIUS, RADIUS + 1) / (RADIUS / 2)) ** 2) / 2)
    return (weights / weights.sum()).astype(np.float32)


def blur_numpy(planes: np.ndarray) -> np.ndarray:
    """Colours x height x width, blurred with NumPy in the type of the input."""
    for axis in (2, 1):
        length = planes.shape[axis]
        border = [(RADIUS, RADIUS) if i == axis else (0, 0) for i in range(3)]
        padded = np.pad(planes, border, mode="edge")
        windows = (padded.take(range(tap, tap + length), axis) for tap in range(2 * RADIUS + 1))
        planes = sum(weight * window for weight, window in zip(gaussian(), windows, strict=True))
    return planes


class TileBlur:
    """The blur of one picture on a module's target."""

    def __init__(self, module: pct.Module, planes: np.ndarray):
        colours, self.height, self.width = planes.shape
        self.kernel = module.kernel("blur_pass")
        self.grid = (ceildiv(self.width, TILE_WIDTH), ceildiv(self.height, TILE_HEIGHT), colours)
        self.weights = on_target(module, gaussian())
        self.input = on_target(module, planes)
        self.between = on_target(module, np.empty_like(planes))
        self.output = on_target(module, np.empty_like(planes))

    def run(self) -> None:
        """Both passes: along the rows, then along the columns."""
        self.blur(self.input, self.between, 0, 1)
        self.blur(self.between, self.output, 1, 0)
        wait(self.output)

    def blur(self, source, target, step_y: int, step_x: int) -> None:
        self.kernel[self.grid](source, target, self.weights, RADIUS, self.height, self.width, step_y, step_x)


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    default = HERE / "data" / "picture.png"
    parser.add_argument(
        "picture", type=Path, nargs="?", default=default, help="PNG, PPM, or what Pillow reads"
    )
    parser.add_argument(
        "out", type=Path, nargs="?", help="the PNG to write (default: NAME_blurred.png, here)"
    )
    add_target(parser)
    options = parser.parse_args(argv)
    out = options.out or Path(f"{options.picture.stem}_blurred.png")

    try:
        with progress(f"reading {options.picture}"):
            pixels = read_picture(options.picture)
    except (OSError, PictureError) as error:
        print(f"blur: {error}", file=sys.stderr)
        return 1
    planes = np.ascontiguousarray(np.moveaxis(pixels, 2, 0), np.float32)

    task = TileBlur(build("blur", options.target), planes)
    task.run()
    blurred = to_numpy(task.output)
    error = np.abs(blurred - blur_numpy(planes.astype(np.float64))).max()
    seconds = median_seconds(task.run)
    numpy_seconds = median_seconds(lambda: blur_numpy(planes))
    try:
        write_png(out, np.moveaxis(np.rint(blurred), 0, 2).astype(np.uint8))
    except OSError as problem:
        print(f"blur: cannot write {out}: {problem.strerror}", file=sys.stderr)
        return 1

    height, width, _ = pixels.shape
    print(f"{options.picture.name}, {width} x {height} pixels: {out} written")
    print(f"tile kernel {1e3 * seconds:.2f} ms, NumPy {1e3 * numpy_seconds:.2f} ms")
    print(f"largest difference from NumPy {error:.1e}, where white is 255")
    return 0 if error < 1e-3 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
