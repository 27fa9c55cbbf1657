"""Checks the arguments of a launch against the kernel's parameters and packs them for the launchers.

Both the CPU launcher and cuLaunchKernel take an array with a pointer to the value of each argument.
"""

from __future__ import annotations

import ctypes
import operator
import struct
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from ..errors import ArgumentRangeError, ArgumentTypeError
from .arrays import address_converter
from .parameters import BOOL, FLOAT, FUNCTION, OTHER, SIGNED, UNSIGNED, Parameter

ERROR_SIZE = 1024  # bytes of an error's text


class Frame:
    """Memory of one launch, reused by later ones: pointers to the arguments, the values, an error's text."""

    __slots__ = ("address", "buffer", "error", "error_address")

    def __init__(self, offsets: Sequence[int], size: int):
        self.buffer = (ctypes.c_char * max(size, 32))()  # ctypes aligns buffers above 16 bytes to 16
        self.address = ctypes.addressof(self.buffer)
        self.error = ctypes.create_string_buffer(ERROR_SIZE)
        self.error_address = ctypes.addressof(self.error)
        struct.pack_into(f"{len(offsets)}P", self.buffer, 0, *(self.address + offset for offset in offsets))


class Packer:
    """Checks and packs the arguments of one kernel. It is safe to use from several threads at once."""

    def __init__(self, kernel: str, parameters: Sequence[Parameter], on_device: bool):
        self.kernel = kernel
        self.parameters = parameters
        self._converters = [_converter(parameter, on_device) for parameter in parameters]
        pointers = 8 * len(parameters)
        self._offsets, end = _layout(parameters, pointers)
        self._size = end
        self._free: list[Frame] = []
        self.pack = self._make_pack()

    def _make_pack(self) -> Callable[[Sequence[object], Iterable[str]], Frame]:
        """Generates pack(), which returns a frame that holds the arguments and rejects arguments given by
        name. The caller returns the frame with release() after the launch.

        The code is generated for this number of arguments, as namedtuple does, because a loop over them would
        double the time of packing.
        """
        count = len(self._converters)
        values = "".join(f"v{i}, " for i in range(count))
        lines = [
            "def pack(arguments, named=()):",
            f"    if len(arguments) != {count} or named: refuse_number(arguments, named)",
            f"    {values}= arguments" if count else "",
            *(f"    v{i} = convert{i}(v{i})" for i in range(count)),
            "    try: frame = pop()",
            "    except IndexError: frame = Frame(offsets, size)",
            f"    try: pack_into(frame.buffer, start, {values})",
            f"    except errors as error: refuse_value(({values}), error)",
            "    return frame",
        ]
        names: dict[str, Any] = {
            **{f"convert{i}": convert for i, convert in enumerate(self._converters)},
            "pop": self._free.pop,
            "Frame": Frame,
            "offsets": self._offsets,
            "size": self._size,
            "start": self._offsets[0] if count else 0,
            "pack_into": struct.Struct(_format(self.parameters, self._offsets)).pack_into,
            "errors": (struct.error, OverflowError, TypeError),
            "refuse_number": self._refuse_number,
            "refuse_value": self._refuse_value,
        }
        exec("\n".join(lines), names)  # the only input from the kernel is numbers
        return names["pack"]

    def take_either_sign(self) -> None:
        """From now on an integer is one of so many bits, as those of Tile IR, which have no sign."""
        for number, parameter in enumerate(self.parameters):
            if parameter.kind == SIGNED and not parameter.pointer:
                self._converters[number] = _bits_converter(parameter)
        self.pack = self._make_pack()

    def release(self, frame: Frame) -> None:
        self._free.append(frame)

    def _refuse_number(self, arguments: Sequence[object], named: Iterable[str]) -> None:
        wanted = len(self.parameters)
        signature = ", ".join(
            f"{parameter.cxx_type} {parameter.name}".rstrip() for parameter in self.parameters
        )
        plural = "" if wanted == 1 else "s"
        message = f"{self.kernel} takes {wanted} argument{plural} ({signature}), got {len(arguments)}"
        if named:
            message += f" and by name {', '.join(named)}: pass the arguments of a launch by position"
        if options := [name for name in ("stream", "schedule_seed") if name in named]:
            message += f"; {' and '.join(options)} can be passed to kernel.launch(grid, ...)"
        raise ArgumentTypeError(message) from None

    def _refuse_value(self, values: Sequence[object], error: Exception) -> None:
        """Finds the number that does not fit, since struct.pack does not say which one it was."""
        for parameter, value in zip(self.parameters, values, strict=True):
            try:
                struct.pack(f"={parameter.format}", value)
            except (struct.error, OverflowError, TypeError):
                raise ArgumentRangeError(f"{parameter} expects {_range(parameter)}, got {value}") from None
        raise error


def _layout(parameters: Sequence[Parameter], start: int) -> tuple[list[int], int]:
    """The offset of each argument's value, and the end of the last."""
    offsets, at = [], start
    for parameter in parameters:
        size = struct.calcsize(f"={parameter.format}")
        alignment = 8 if size <= 8 else 16
        at = -(-at // alignment) * alignment
        offsets.append(at)
        at += size
    return offsets, at


def _format(parameters: Sequence[Parameter], offsets: Sequence[int]) -> str:
    """The struct format of all values, with the gaps between them."""
    text, at = "=", offsets[0] if offsets else 0
    for parameter, offset in zip(parameters, offsets, strict=True):
        text += f"{offset - at}x{parameter.format}"
        at = offset + struct.calcsize(f"={parameter.format}")
    return text


def _range(parameter: Parameter) -> str:
    bits = 8 * parameter.size
    if parameter.pointer:
        return "an address from 0 to 2**64 - 1"
    if parameter.kind == SIGNED:
        return f"an integer from {-(2 ** (bits - 1))} to {2 ** (bits - 1) - 1}"
    if parameter.kind == UNSIGNED:
        return f"an integer from 0 to {2**bits - 1}"
    return f"a number in the range of {parameter.cxx_type}"


# --- one converter for each parameter -----------------------------------------------------------------------


def _converter(parameter: Parameter, on_device: bool) -> Callable[[object], object]:
    """A function that converts an argument to a value for struct.pack."""
    if parameter.kind == FUNCTION:
        return _function_converter(parameter)
    if parameter.pointer:
        return address_converter(parameter, on_device)
    if parameter.kind in (SIGNED, UNSIGNED):
        return _integer_converter(parameter)
    if parameter.kind == BOOL:
        return _bool_converter(parameter)
    if parameter.kind == OTHER:
        return _bytes_converter(parameter)
    if parameter.element and parameter.element.has_own_code:
        return _small_float_converter(parameter)
    assert parameter.kind == FLOAT, parameter
    return _float_converter(parameter)


def _wrong_kind(parameter: Parameter, wanted: str, value: object) -> ArgumentTypeError:
    shown = repr(value)
    shown = f" {shown}" if len(shown) <= 40 and "\n" not in shown else ""
    return ArgumentTypeError(f"{parameter} expects {wanted}, got {type(value).__name__}{shown}")


def _integer_converter(parameter: Parameter) -> Callable[[object], int]:
    index = operator.index

    def convert(value: Any) -> int:
        try:
            return index(value)
        except TypeError:
            raise _wrong_kind(parameter, "an integer", value) from None

    return convert


def _bits_converter(parameter: Parameter) -> Callable[[object], int]:
    to_integer = _integer_converter(parameter)
    bits = 8 * parameter.size
    half = 1 << (bits - 1)

    def convert(value: object) -> int:
        number = to_integer(value)
        if not -half <= number < 2 * half:
            raise ArgumentRangeError(f"{parameter} expects an integer of {bits} bits, got {number}")
        return (number + half) % (2 * half) - half

    return convert


def _function_converter(parameter: Parameter) -> Callable[[object], int]:
    def convert(value: object) -> int:
        if value is None:
            return 0
        if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
            return int(value)
        raise _wrong_kind(parameter, "the function's address, an integer", value)

    return convert


def _bool_converter(parameter: Parameter) -> Callable[[object], bool]:
    def convert(value: object) -> bool:
        if isinstance(value, (bool, np.bool_)) or (isinstance(value, (int, np.integer)) and value in (0, 1)):
            return bool(value)
        raise _wrong_kind(parameter, "a bool", value)

    return convert


def _float_converter(parameter: Parameter) -> Callable[[object], float]:
    def convert(value: object) -> float:
        if type(value) is float:
            return value
        # This excludes str, which float() accepts, complex numbers, and arrays that have dimensions.
        if (
            hasattr(value, "__float__")
            and getattr(value, "ndim", 0) == 0
            and not isinstance(value, np.complexfloating)
        ):
            try:
                return float(value)
            except OverflowError:
                raise ArgumentRangeError(
                    f"{parameter} expects {_range(parameter)}, got a larger number"
                ) from None
            except (TypeError, ValueError):
                pass
        raise _wrong_kind(parameter, "a number", value)

    return convert


def _small_float_converter(parameter: Parameter) -> Callable[[object], int]:
    to_float = _float_converter(parameter)
    element = parameter.element
    assert element is not None
    if element.begins_a_float:
        dropped, shift = 23 - element.mantissa, 8 * (4 - element.size)
        return lambda value: _round_float32(_to_float32(parameter, to_float(value)), dropped) >> shift

    def convert(value: object) -> int:
        try:
            import ml_dtypes
        except ImportError:
            raise ArgumentTypeError(
                f"{parameter}: converting a number to {parameter.dtype} needs ml_dtypes: "
                "pip install ml_dtypes"
            ) from None
        number = _to_float32(parameter, to_float(value))
        return int(number.astype(getattr(ml_dtypes, parameter.dtype)).view(f"u{element.size}"))

    return convert


def _to_float32(parameter: Parameter, value: float) -> np.float32:
    try:
        return np.float32(struct.unpack("=f", struct.pack("=f", value))[0])
    except OverflowError:
        raise ArgumentRangeError(f"{parameter} expects {_range(parameter)}, got {value}") from None


def _round_float32(value: np.float32, dropped_bits: int) -> int:
    """The bits of a float32 rounded to nearest even at some bit above the last."""
    bits = int(value.view(np.uint32))
    low = 1 << dropped_bits
    if bits & 0x7F800000 == 0x7F800000:  # infinity stays as it is, NaN must not become infinity
        return bits & -low | (low << 5 if bits & 0x7FFFFF else 0)
    return (bits + (low >> 1) - 1 + (bits >> dropped_bits & 1)) & -low


def _bytes_converter(parameter: Parameter) -> Callable[[object], bytes]:
    def convert(value: Any) -> bytes:
        is_numpys = isinstance(value, (np.generic, np.ndarray))
        data: bytes | None
        try:
            data = bytes(memoryview(value).cast("B"))
        except TypeError:
            data = value.tobytes() if is_numpys else None
        if is_numpys and value.dtype.hasobject:
            data = None
        if data is None or len(data) != parameter.size:
            raise _wrong_kind(
                parameter, f"a struct as {parameter.size} bytes (bytes, ctypes or NumPy)", value
            )
        return data

    return convert
