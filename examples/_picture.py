"""Pictures as uint8 arrays of height x width x colours.

They are read with Pillow where it is installed; else this module reads plain PNG, PPM and PGM itself.
"""

from __future__ import annotations

import os
import struct
import zlib
from pathlib import Path

import numpy as np

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
CHANNELS = {0: 1, 2: 3, 4: 2, 6: 4}  # of PNG's colour types grey, RGB, grey with alpha, RGB with alpha


class PictureError(Exception):
    """The file is not a picture in a supported format."""


def read_picture(path: Path) -> np.ndarray:
    """The picture as uint8 of height x width x (1 grey or 3 colours); transparency is dropped."""
    try:
        import PIL  # noqa: F401
    except ImportError:
        return read_plain_picture(path)
    return read_with_pillow(path)


def read_with_pillow(path: Path) -> np.ndarray:
    """Any picture that Pillow reads, as RGB."""
    from PIL import Image, UnidentifiedImageError

    with open(path, "rb") as file:  # a missing file is no damaged picture
        try:
            return np.asarray(Image.open(file).convert("RGB"))
        except (UnidentifiedImageError, OSError, SyntaxError) as error:
            raise PictureError(f"{path} is no picture that Pillow reads: {error}") from None


def read_plain_picture(path: Path) -> np.ndarray:
    """A binary PPM or PGM, or a PNG with 8 bits a channel and neither palette nor interlacing."""
    data = path.read_bytes()
    try:
        if data[:8] == PNG_SIGNATURE and is_plain_png(data):
            pixels = decode_png(data)
        elif data[:2] in (b"P5", b"P6"):
            pixels = decode_pnm(data)
        else:
            raise PictureError(f"{path} is no 8-bit PNG, PPM or PGM; others need Pillow: pip install pillow")
    except (struct.error, zlib.error, ValueError, IndexError) as error:
        raise PictureError(f"{path} is damaged: {error}") from None
    return pixels[:, :, : 3 if pixels.shape[2] >= 3 else 1]


def is_plain_png(data: bytes) -> bool:
    """Whether a PNG has 8 bits a channel, no palette and no interlacing."""
    depth, colour_type, _, _, interlaced = struct.unpack_from(">BBBBB", data, 24)
    return depth == 8 and colour_type in CHANNELS and not interlaced


def decode_png(data: bytes) -> np.ndarray:
    """The pixels of a PNG for which `is_plain_png` holds."""
    width, height, _, colour_type = struct.unpack_from(">IIBB", data, 16)
    compressed, position = b"", 8
    while position < len(data):
        length, kind = struct.unpack_from(">I4s", data, position)
        if kind == b"IDAT":
            compressed += data[position + 8 : position + 8 + length]
        position += 12 + length

    channels = CHANNELS[colour_type]
    rows = np.frombuffer(zlib.decompress(compressed), np.uint8).reshape(height, 1 + width * channels)
    pixels = np.zeros((height + 1, width + 1, channels), np.int64)  # a border of zeros above and to the left
    for y in range(height):
        unfilter(rows[y, 0], rows[y, 1:].reshape(width, channels), pixels[y], pixels[y + 1])
    return pixels[1:, 1:].astype(np.uint8)


def unfilter(method: int, line: np.ndarray, above: np.ndarray, out: np.ndarray) -> None:
    """Undo PNG's prediction of one row from its left and upper neighbours, which are in `out` and `above`."""
    if method == 0:
        out[1:] = line
    elif method == 1:
        out[1:] = np.cumsum(line, axis=0) % 256
    elif method == 2:
        out[1:] = (line + above[1:]) % 256
    elif method == 3:
        for x in range(len(line)):
            out[x + 1] = (line[x] + (out[x] + above[x + 1]) // 2) % 256
    elif method == 4:
        for x in range(len(line)):
            out[x + 1] = (line[x] + paeth(out[x], above[x + 1], above[x])) % 256
    else:
        raise ValueError(f"unknown PNG filter {method}")


def paeth(left: np.ndarray, above: np.ndarray, corner: np.ndarray) -> np.ndarray:
    """Which of the three neighbours is nearest to left + above - corner; the first one if several are."""
    to_left, to_above = np.abs(above - corner), np.abs(left - corner)
    to_corner = np.abs(left + above - 2 * corner)
    nearer = np.where(to_above <= to_corner, above, corner)
    return np.where((to_left <= to_above) & (to_left <= to_corner), left, nearer)


def decode_pnm(data: bytes) -> np.ndarray:
    """The pixels of a binary PGM (P5) or PPM (P6) with values up to 255."""
    fields: list[bytes] = []
    position = 0
    while len(fields) < 4:
        end = data.index(b"\n", position)
        line = data[position:end].split(b"#")[0]
        fields += line.split()
        position = end + 1
    width, height, largest = (int(field) for field in fields[1:])
    if largest != 255:
        raise ValueError(f"largest value {largest}, can read 255")
    channels = 3 if fields[0] == b"P6" else 1
    pixels = np.frombuffer(data, np.uint8, width * height * channels, position)
    return pixels.reshape(height, width, channels)


def write_png(path: Path, pixels: np.ndarray) -> None:
    """Write uint8 of height x width x (1 grey or 3 colours); the file appears whole or not at all."""
    height, width, channels = pixels.shape
    rows = np.zeros((height, 1 + width * channels), np.uint8)  # each row starts with its filter method, 0
    rows[:, 1:] = pixels.reshape(height, -1)
    colour_type = {1: 0, 3: 2}[channels]
    content = (
        chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, colour_type, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(rows.tobytes(), 9))
        + chunk(b"IEND", b"")
    )
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        partial.write_bytes(PNG_SIGNATURE + content)
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def chunk(kind: bytes, data: bytes) -> bytes:
    """One piece of a PNG: length, kind, data, checksum."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
