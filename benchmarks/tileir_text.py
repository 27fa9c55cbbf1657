"""The time to parse and print the text of a Tile IR module, by its number of operations.

    python benchmarks/tileir_text.py [most operations]

Both grow with the size: the time (of the processor) for each operation stays the same.
"""

from __future__ import annotations

import sys
import time

from pycuda_tile import tileir

BODY = """  %s{0} = addf %s{1}, %x : tile<16xf32>
  %c{0} = cmpf less_than ordered %s{0}, %x : tile<16xf32> -> tile<16xi1>
  %t{0} = select %c{0}, %s{0}, %x : tile<16xi1>, tile<16xf32>
  if %flag {{
    %y{0} = mulf %t{0}, %t{0} rounding<zero> flush_to_zero : tile<16xf32>
  }}
"""


def text_of(operations: int) -> str:
    """A module of about that many operations, a sixth of them in regions."""
    parts = [BODY.format(i + 1, i) for i in range(operations // 6)]
    return "entry @k(%flag: tile<i1>) {\n  %s0 = constant <f32: 1.0> : tile<16xf32>\n" + (
        "  %x = constant <f32: 2.0> : tile<16xf32>\n" + "".join(parts) + "  return\n}\n"
    )


def main() -> None:
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    print(f"{'operations':>10} {'bytes':>10} {'parse s':>8} {'print s':>8} {'us per operation':>17}")
    count = most // 8
    while count <= most:
        text = text_of(count)
        start = time.process_time()
        module = tileir.parse(text)
        parsed = time.process_time()
        printed_text = str(module)
        printed = time.process_time()
        assert tileir.equal(tileir.parse(printed_text), module)
        parse_s, print_s = parsed - start, printed - parsed
        micro = (parse_s + print_s) / count * 1e6
        print(f"{count:>10} {len(text):>10} {parse_s:>8.2f} {print_s:>8.2f} {micro:>17.1f}")
        count *= 2


if __name__ == "__main__":
    main()
