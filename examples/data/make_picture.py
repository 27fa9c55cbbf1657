"""Make picture.png, the picture that `blur` takes if none is given: hills at sunset behind a fence."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from _picture import write_png  # noqa: E402

HEIGHT, WIDTH = 240, 360


def picture() -> np.ndarray:
    """uint8 of HEIGHT x WIDTH x 3, always the same."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    image = np.empty((HEIGHT, WIDTH, 3))
    for channel, (top, bottom) in enumerate([(40, 255), (60, 170), (140, 90)]):
        image[:, :, channel] = top + (bottom - top) * y // 10 * 10 / HEIGHT
    image[(x - 250) ** 2 + (y - 90) ** 2 < 32**2] = (255, 240, 170)
    for base, height, length, colour in [(130, 30, 90, (90, 70, 110)), (165, 22, 55, (50, 50, 80))]:
        image[y > base - height * np.sin(x / length) - height / 3 * np.sin(x / 17)] = colour
    image[y > 195] = (40, 70, 40)
    image[(y > 195) & ((x // 9 + y // 9) % 2 == 0)] = (90, 130, 60)
    image[(y > 150) & (y < 215) & (x % 24 < 6)] = (235, 230, 220)
    image[(y > 165) & (y < 172) | (y > 195) & (y < 202)] = (235, 230, 220)
    return image.astype(np.uint8)


if __name__ == "__main__":
    write_png(HERE / "picture.png", picture())
