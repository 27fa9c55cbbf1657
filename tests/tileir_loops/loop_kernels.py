"""Modules of Tile IR for the tests of fused code, in text; each entry takes pointers, then numbers."""

from __future__ import annotations

import math

VECTOR = "tensor_view<?xf32, strides=[1]>"
MATRIX = "tensor_view<?x?xf32, strides=[?,1]>"


def row_fold(name: str, function: str, source: str, kind: str, result: str, dim: int) -> str:
    """A reduction of one tile, as lines of text."""
    return f"""  %{name} = reduce %{source} dim={dim} identities=[0.0 : f32] : {kind} -> {result}
    (%e_{name}: tile<f32>, %a_{name}: tile<f32>) {{
      %r_{name} = {function} %e_{name}, %a_{name} : tile<f32>
      yield %r_{name} : tile<f32>
    }}
"""


def saxpy(name: str = "saxpy", shape: str = "8x64") -> str:
    """out = a * x + y, rows x columns; a block takes one tile."""
    view = f"partition_view<tile=({shape}), {MATRIX}>"
    kind = f"tile<{shape}xf32>"
    views = "".join(
        f"  %t_{x} = make_tensor_view %{x}, shape = [%m, %n], strides = [%s, 1] : tile<i32> -> {MATRIX}\n"
        f"  %v_{x} = make_partition_view %t_{x} : {view}\n"
        for x in ("x", "y", "out")
    )
    return f"""entry @{name}(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %out: tile<ptr<f32>>, %a: tile<f32>,
  %m: tile<i32>, %n: tile<i32>, %s: tile<i32>) {{
  %i, %j, %k = get_tile_block_id : tile<i32>
{views}  %p, %t0 = load_view_tko weak %v_x[%j, %i] : {view}, tile<i32> -> {kind}, token
  %q, %t1 = load_view_tko weak %v_y[%j, %i] : {view}, tile<i32> -> {kind}, token
  %b = reshape %a : tile<f32> -> tile<1x1xf32>
  %c = broadcast %b : tile<1x1xf32> -> {kind}
  %d = mulf %c, %p : {kind}
  %e = addf %d, %q : {kind}
  %t2 = store_view_tko weak %e, %v_out[%j, %i] : {kind}, {view}, tile<i32> -> token
  return
}}
"""


def overlapping(name: str = "overlapping") -> str:
    """The squares of tiles of 4 x 32 that begin 3 rows and 20 columns apart, each stored whole; the index of
    the row is `first` and that of the block."""
    view = f"strided_view<tile=(4x32), traversal_strides=[3,20], padding_value = nan, {MATRIX}>"
    parts, kind = f"partition_view<tile=(4x32), {MATRIX}>", "tile<4x32xf32>"
    return f"""entry @{name}(%x: tile<ptr<f32>>, %out: tile<ptr<f32>>, %m: tile<i32>, %n: tile<i32>,
  %first: tile<i64>) {{
  %i, %j, %k = get_tile_block_id : tile<i32>
  %row = exti %j signed : tile<i32> -> tile<i64>
  %from = addi %row, %first : tile<i64>
  %column = exti %i signed : tile<i32> -> tile<i64>
  %t_x = make_tensor_view %x, shape = [%m, %n], strides = [%n, 1] : tile<i32> -> {MATRIX}
  %v_x = make_strided_view %t_x : {view}
  %rows = constant <i32: 8> : tile<i32>
  %columns = constant <i32: 64> : tile<i32>
  %t_o = make_tensor_view %out, shape = [%rows, %columns], strides = [%columns, 1] : tile<i32> -> {MATRIX}
  %v_o = make_partition_view %t_o : {parts}
  %p, %t0 = load_view_tko weak %v_x[%from, %column] : {view}, tile<i64> -> {kind}, token
  %q = mulf %p, %p : {kind}
  %t1 = store_view_tko weak %q, %v_o[%row, %column] : {kind}, {parts}, tile<i64> -> token
  return
}}
"""


def softmax(name: str = "softmax", width: int = 256) -> str:
    """A row for each block; elements beyond the columns are minus infinity."""
    view = f"partition_view<tile=(1x{width}), padding_value = neg_inf, {MATRIX}>"
    wide, one = f"tile<1x{width}xf32>", "tile<1xf32>"
    return f"""entry @{name}(%x: tile<ptr<f32>>, %out: tile<ptr<f32>>, %m: tile<i32>, %n: tile<i32>) {{
  %i, %j, %k = get_tile_block_id : tile<i32>
  %zero = constant <i32: 0> : tile<i32>
  %t_x = make_tensor_view %x, shape = [%m, %n], strides = [%n, 1] : tile<i32> -> {MATRIX}
  %v_x = make_partition_view %t_x : {view}
  %t_o = make_tensor_view %out, shape = [%m, %n], strides = [%n, 1] : tile<i32> -> {MATRIX}
  %v_o = make_partition_view %t_o : {view}
  %p, %t0 = load_view_tko weak %v_x[%i, %zero] : {view}, tile<i32> -> {wide}, token
{row_fold("most", "maxf", "p", wide, one, 1)}  %b = reshape %most : {one} -> tile<1x1xf32>
  %c = broadcast %b : tile<1x1xf32> -> {wide}
  %d = subf %p, %c : {wide}
  %e = exp %d : {wide}
{row_fold("total", "addf", "e", wide, one, 1)}  %f = reshape %total : {one} -> tile<1x1xf32>
  %g = broadcast %f : tile<1x1xf32> -> {wide}
  %h = divf %e, %g : {wide}
  %t1 = store_view_tko weak %h, %v_o[%i, %zero] : {wide}, {view}, tile<i32> -> token
  return
}}
"""


def sums(name: str, shape: str, dim: int, function: str = "addf") -> str:
    """Two results: the reduction of the tile's doubled elements, and these elements, each stored whole."""
    rows, columns = map(int, shape.split("x"))
    left, kind = (columns if dim == 0 else rows), f"tile<{shape}xf32>"
    tensor, folded = (
        f"tensor_view<{shape}xf32, strides=[{columns},1]>",
        f"tensor_view<{left}xf32, strides=[1]>",
    )
    view, small = f"partition_view<tile=({shape}), {tensor}>", f"partition_view<tile=({left}), {folded}>"
    return f"""entry @{name}(%x: tile<ptr<f32>>, %out: tile<ptr<f32>>, %all: tile<ptr<f32>>) {{
  %zero = constant <i32: 0> : tile<i32>
  %t_x = make_tensor_view %x, shape = [{shape.replace("x", ", ")}], strides = [{columns}, 1] : {tensor}
  %v_x = make_partition_view %t_x : {view}
  %t_a = make_tensor_view %all, shape = [{shape.replace("x", ", ")}], strides = [{columns}, 1] : {tensor}
  %v_a = make_partition_view %t_a : {view}
  %t_o = make_tensor_view %out, shape = [{left}], strides = [1] : {folded}
  %v_o = make_partition_view %t_o : {small}
  %p, %t0 = load_view_tko weak %v_x[%zero, %zero] : {view}, tile<i32> -> {kind}, token
  %d = addf %p, %p : {kind}
{row_fold("total", function, "d", kind, f"tile<{left}xf32>", dim)}
  %t1 = store_view_tko weak %d, %v_a[%zero, %zero] : {kind}, {view}, tile<i32> -> token
  %t2 = store_view_tko weak %total, %v_o[%zero] : tile<{left}xf32>, {small}, tile<i32> -> token
  return
}}
"""


def scans(name: str, shape: str, dim: int, function: str = "addf", reverse: str = "false") -> str:
    """The same as `sums`, but the scan of the doubled elements is added to them."""
    kind, fold = f"tile<{shape}xf32>", f"scan %d dim={dim} reverse={reverse}"
    scan = row_fold("c", function, "d", kind, kind, dim).replace(f"reduce %d dim={dim}", fold)
    identity = {"addf": "0.0", "mulf": "1.0", "maxf": "0xFF800000"}[function]
    scan = scan.replace("identities=[0.0", f"identities=[{identity}")
    text = sums(name, shape, dim, "maxf").replace("weak %d, %v_a", "weak %cc, %v_a")
    return text.replace("  %t1 = store", f"{scan}  %cc = addf %c, %d : {kind}\n  %t1 = store")


def places_along(shape: str, dim: int) -> str:
    """Where the elements of a tile are along a dimension, %at."""
    extent, places = int(shape.split("x")[dim]), f"tile<{shape}xi32>"
    line, thin = f"tile<{extent}xi32>", f"tile<{'1x' * dim}{extent}{'x1' * (1 - dim)}xi32>"
    return f"""  %line = iota : {line}
  %thin = reshape %line : {line} -> {thin}
  %at = broadcast %thin : {thin} -> {places}
"""


def segments(name: str, shape: str, dim: int, reverse: str = "false") -> str:
    """The doubled elements, and their sums from each seventh one on: tiles that are scanned together."""
    kind, places = f"tile<{shape}xf32>", f"tile<{shape}xi32>"
    scan = f"""{places_along(shape, dim)}  %seven = constant <i32: 7> : {places}
  %in = remi %at, %seven signed : {places}
  %c, %least = scan %d, %in dim={dim} reverse={reverse} identities=[0.0 : f32, 1 : i32] : {kind}, {places}
    -> {kind}, {places}
    (%e: tile<f32>, %a: tile<f32>, %i_e: tile<i32>, %i_a: tile<i32>) {{
      %none = constant <i32: 0> : tile<i32>
      %begins = cmpi equal %i_e, %none, signed : tile<i32> -> tile<i1>
      %more = addf %a, %e : tile<f32>
      %sum = select %begins, %e, %more : tile<i1>, tile<f32>
      %less = mini %i_a, %i_e signed : tile<i32>
      yield %sum, %less : tile<f32>, tile<i32>
    }}
  %f = itof %least signed : {places} -> {kind}
  %g = subf %c, %f : {kind}
"""
    text = sums(name, shape, dim, "maxf").replace("weak %d, %v_a", "weak %cc, %v_a")
    return text.replace("  %t1 = store", f"{scan}  %cc = addf %g, %d : {kind}\n  %t1 = store")


def butterfly(name: str, shape: str, distance: int) -> str:
    """The doubled elements, and sums and differences of those at a distance in a row: of each second half
    with part %n of its row."""
    rows, columns = map(int, shape.split("x"))
    pairs = f"{rows * columns // (2 * distance)}x2x{distance}"
    kind, parts = f"tile<{shape}xf32>", f"tile<{pairs}xf32>"
    part = parts.replace("x2x", "x1x")
    text = sums(name, shape, 1, "maxf").replace("weak %d, %v_a", "weak %all_parts, %v_a")
    text = text.replace("%all: tile<ptr<f32>>)", "%all: tile<ptr<f32>>, %n: tile<i32>)")
    return text.replace(
        "  %t1 = store",
        f"""  %one = constant <i32: 1> : tile<i32>
  %parts = reshape %d : {kind} -> {parts}
  %left = extract %parts[%zero, %n, %zero] : {parts} -> {part}
  %right = extract %parts[%zero, %one, %zero] : {parts} -> {part}
  %both = addf %left, %right : {part}
  %less = subf %left, %right : {part}
  %joined = cat %both, %less dim = 1 : {part}, {part} -> {parts}
  %all_parts = reshape %joined : {parts} -> {kind}
  %t1 = store""",
    )


def greatest(name: str, shape: str, dim: int) -> str:
    """The greatest element of each row or column, and where it is: tiles that are reduced together."""
    kind, places, left = f"tile<{shape}xf32>", f"tile<{shape}xi32>", int(shape.split("x")[1 - dim])
    tensor = f"tensor_view<{left}xi32, strides=[1]>"
    view = f"partition_view<tile=({left}), {tensor}>"
    fold = f"""  %total, %place = reduce %d, %at dim={dim} identities=[0xFF800000 : f32, 0 : i32]
    : {kind}, {places}
    -> tile<{left}xf32>, tile<{left}xi32>
    (%e: tile<f32>, %f: tile<f32>, %p_e: tile<i32>, %p_f: tile<i32>) {{
      %more = cmpf greater_than ordered %e, %f : tile<f32> -> tile<i1>
      %most = select %more, %e, %f : tile<i1>, tile<f32>
      %where = select %more, %p_e, %p_f : tile<i1>, tile<i32>
      yield %most, %where : tile<f32>, tile<i32>
    }}
  %t_w = make_tensor_view %w, shape = [{left}], strides = [1] : {tensor}
  %v_w = make_partition_view %t_w : {view}
  %t3 = store_view_tko weak %place, %v_w[%zero] : tile<{left}xi32>, {view}, tile<i32> -> token
"""
    text = sums(name, shape, dim).replace(
        "%all: tile<ptr<f32>>)", "%all: tile<ptr<f32>>, %w: tile<ptr<i32>>)"
    )
    return text.replace(
        row_fold("total", "addf", "d", kind, f"tile<{left}xf32>", dim), places_along(shape, dim) + fold
    )


def pointers(
    name: str = "pointers",
    count: int = 128,
    element: str = "f32",
    padded: str = "",
    exist: str = "less_than",
    chosen: bool = False,
) -> str:
    """out[i] = |x[i]| + 1 where i < n, or where another relation holds, by tiles of pointers. If they are
    `chosen`, those elsewhere are the array's. `padded` makes the padding of loads of %count, and the sum of
    all elements is then added."""
    masked = f" : tile<{count}xptr<{element}>>, tile<{count}xi1>"
    padding = f", %given{masked}, tile<{count}x{element}>" if padded else masked
    ptr, kind, ints = f"tile<{count}xptr<{element}>>", f"tile<{count}x{element}>", f"tile<{count}xi32>"

    at, choice = "at", ""
    if chosen:
        at, choice = "to", f"  %zero = constant <i32: 0> : {ints}\n"
        choice += f"  %to = select %mask, %at, %zero : tile<{count}xi1>, {ints}\n"
    total, result = "", "b"
    if padded:
        total = row_fold("total", "addf", "b", kind, f"tile<{element}>", 0)
        total += f"  %z1 = reshape %total : tile<{element}> -> tile<1x{element}>\n"
        total += f"  %z2 = broadcast %z1 : tile<1x{element}> -> {kind}\n  %z = addf %b, %z2 : {kind}\n"
        result = "z"

    def tile_of(x: str) -> str:
        return f"""  %r_{x} = reshape %{x} : tile<ptr<{element}>> -> tile<1xptr<{element}>>
  %w_{x} = broadcast %r_{x} : tile<1xptr<{element}>> -> {ptr}
  %p_{x} = offset %w_{x}, %{at} : {ptr}, {ints} -> {ptr}
"""

    return f"""entry @{name}(%x: tile<ptr<{element}>>, %out: tile<ptr<{element}>>, %n: tile<i32>) {{
  %i, %j, %k = get_tile_block_id : tile<i32>
  %size = constant <i32: {count}> : tile<i32>
  %first = muli %i, %size : tile<i32>
  %f1 = reshape %first : tile<i32> -> tile<1xi32>
  %f2 = broadcast %f1 : tile<1xi32> -> {ints}
  %count = iota : {ints}
  %at = addi %f2, %count : {ints}
  %n1 = reshape %n : tile<i32> -> tile<1xi32>
  %n2 = broadcast %n1 : tile<1xi32> -> {ints}
  %mask = cmpi {exist} %at, %n2, signed : {ints} -> tile<{count}xi1>
{choice}{padded}{tile_of("x")}  %v, %t0 = load_ptr_tko weak %p_x, %mask{padding} -> {kind}, token
  %one = constant <{element}: 1.0> : {kind}
  %a = absf %v : {kind}
  %b = addf %a, %one : {kind}
{total}{tile_of("out")}  %t1 = store_ptr_tko weak %p_out, %{result}, %mask : {ptr}, {kind}, tile<{count}xi1>
    -> token
  return
}}
"""


def in_place(name: str = "in_place", count: int = 64) -> str:
    """x = x * x + x, then y = x of before: the load is needed after the store."""
    view = f"partition_view<tile=({count}), {VECTOR}>"
    kind = f"tile<{count}xf32>"
    return f"""entry @{name}(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>) {{
  %i, %j, %k = get_tile_block_id : tile<i32>
  %t_x = make_tensor_view %x, shape = [%n], strides = [1] : tile<i32> -> {VECTOR}
  %v_x = make_partition_view %t_x : {view}
  %t_y = make_tensor_view %y, shape = [%n], strides = [1] : tile<i32> -> {VECTOR}
  %v_y = make_partition_view %t_y : {view}
  %p, %t0 = load_view_tko weak %v_x[%i] : {view}, tile<i32> -> {kind}, token
  %a = mulf %p, %p : {kind}
  %b = addf %a, %p : {kind}
  %t1 = store_view_tko weak %b, %v_x[%i] : {kind}, {view}, tile<i32> -> token
{row_fold("total", "addf", "p", kind, "tile<f32>", 0)}  %c = reshape %total : tile<f32> -> tile<1xf32>
  %d = broadcast %c : tile<1xf32> -> {kind}
  %e = subf %p, %d : {kind}
  %t2 = store_view_tko weak %e, %v_y[%i] : {kind}, {view}, tile<i32> -> token
  return
}}
"""


def transposed(name: str = "transposed") -> str:
    """out = x plus its transpose, for a tile of 32 x 32: the sum makes both one axis."""
    tensor = "tensor_view<32x32xf32, strides=[32,1]>"
    view, kind = f"partition_view<tile=(32x32), {tensor}>", "tile<32x32xf32>"
    return f"""entry @{name}(%x: tile<ptr<f32>>, %out: tile<ptr<f32>>) {{
  %zero = constant <i32: 0> : tile<i32>
  %t_x = make_tensor_view %x, shape = [32, 32], strides = [32, 1] : {tensor}
  %v_x = make_partition_view %t_x : {view}
  %t_o = make_tensor_view %out, shape = [32, 32], strides = [32, 1] : {tensor}
  %v_o = make_partition_view %t_o : {view}
  %p, %t0 = load_view_tko weak %v_x[%zero, %zero] : {view}, tile<i32> -> {kind}, token
  %q = permute %p [1, 0] : {kind} -> {kind}
  %r = addf %p, %q : {kind}
  %s = mulf %r, %r : {kind}
  %t1 = store_view_tko weak %s, %v_o[%zero, %zero] : {kind}, {view}, tile<i32> -> token
  return
}}
"""


def carried(name: str = "carried", shape: str = "16x32", late: str = "addf %old, %r") -> str:
    """A running sum of the tiles along a row of tiles, doubled, and another one; then their rows' sums.
    With `late`, a sum may still be needed when its next value is known."""
    rows, columns = map(int, shape.split("x"))
    view, kind = f"partition_view<tile=({shape}), {MATRIX}>", f"tile<{shape}xf32>"
    small = f"partition_view<tile=({rows}), {VECTOR}>"
    return f"""entry @{name}(%x: tile<ptr<f32>>, %out: tile<ptr<f32>>, %m: tile<i32>, %n: tile<i32>) {{
  %i, %j, %k = get_tile_block_id : tile<i32>
  %t_x = make_tensor_view %x, shape = [%m, %n], strides = [%n, 1] : tile<i32> -> {MATRIX}
  %v_x = make_partition_view %t_x : {view}
  %t_o = make_tensor_view %out, shape = [%m], strides = [1] : tile<i32> -> {VECTOR}
  %v_o = make_partition_view %t_o : {small}
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %size = constant <i32: {columns}> : tile<i32>
  %steps = divi %n, %size signed rounding<positive_inf> : tile<i32>
  %start = constant <f32: 0.0> : {kind}
  %two = constant <f32: 2.0> : {kind}
  %sum, %before = for %s in (%zero to %steps, step %one) : tile<i32>
      iter_values(%acc = %start, %old = %start) -> ({kind}, {kind}) {{
    %p, %t0 = load_view_tko weak %v_x[%i, %s] : {view}, tile<i32> -> {kind}, token
    %q = mulf %p, %two : {kind}
    %r = addf %acc, %q : {kind}
    %u = {late} : {kind}
    continue %r, %u : {kind}, {kind}
  }}
  %both = addf %sum, %before : {kind}
{row_fold("total", "addf", "both", kind, f"tile<{rows}xf32>", 1)}
  %t1 = store_view_tko weak %total, %v_o[%i] : tile<{rows}xf32>, {small}, tile<i32> -> token
  return
}}
"""


def branching(name: str = "branching", count: int = 64) -> str:
    """Two tiles that a loop of at most n rounds swaps or adds up and hands on, until round 5."""
    kind, view = f"tile<{count}xf32>", f"partition_view<tile=({count}), {VECTOR}>"
    stores = "".join(
        f"""  %t_{x} = make_tensor_view %{x}, shape = [%size], strides = [1] : tile<i32> -> {VECTOR}
  %v_{x} = make_partition_view %t_{x} : {view}
"""
        for x in ("x", "y")
    )
    return f"""entry @{name}(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, %n: tile<i32>) {{
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %five = constant <i32: 5> : tile<i32>
  %size = constant <i32: {count}> : tile<i32>
  %half = constant <f32: 0.5> : {kind}
{stores}  %p, %t0 = load_view_tko weak %v_x[%zero] : {view}, tile<i32> -> {kind}, token
  %q, %t1 = load_view_tko weak %v_y[%zero] : {view}, tile<i32> -> {kind}, token
  %ends:2 = loop iter_values(%a = %p, %b = %q, %i = %zero) : {kind}, {kind}, tile<i32> -> {kind}, {kind} {{
    %goes_on = cmpi less_than %i, %n, signed : tile<i32> -> tile<i1>
    if %goes_on {{
      %bit = andi %i, %one : tile<i32>
      %even = cmpi equal %bit, %zero, signed : tile<i32> -> tile<i1>
      %r:2 = if %even -> ({kind}, {kind}) {{
        %c = mulf %b, %half : {kind}
        %d = subf %c, %a : {kind}
        yield %d, %b : {kind}, {kind}
      }} else {{
        yield %b, %a : {kind}, {kind}
      }}
      %next = addi %i, %one : tile<i32>
      %last = cmpi equal %i, %five, signed : tile<i32> -> tile<i1>
      if %last {{
        break %r#1, %r#0 : {kind}, {kind}
      }}
      continue %r#0, %r#1, %next : {kind}, {kind}, tile<i32>
    }}
    break %a, %b : {kind}, {kind}
  }}
  %t2 = store_view_tko weak %ends#0, %v_x[%zero] : {kind}, {view}, tile<i32> -> token
  %t3 = store_view_tko weak %ends#1, %v_y[%zero] : {kind}, {view}, tile<i32> -> token
  return
}}
"""


def halves(name: str = "halves") -> str:
    """The left and the right half of rows of 32, each doubled, in place of the other: both in one array."""
    kind, view = "tile<16x16xf32>", f"partition_view<tile=(16x16), {MATRIX}>"
    return f"""entry @{name}(%x: tile<ptr<f32>>, %out: tile<ptr<f32>>, %m: tile<i32>) {{
  %zero = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %n = constant <i32: 32> : tile<i32>
  %t_x = make_tensor_view %x, shape = [%m, %n], strides = [%n, 1] : tile<i32> -> {MATRIX}
  %v_x = make_partition_view %t_x : {view}
  %t_o = make_tensor_view %out, shape = [%m, %n], strides = [%n, 1] : tile<i32> -> {MATRIX}
  %v_o = make_partition_view %t_o : {view}
  %p, %t0 = load_view_tko weak %v_x[%zero, %zero] : {view}, tile<i32> -> {kind}, token
  %q, %t1 = load_view_tko weak %v_x[%zero, %one] : {view}, tile<i32> -> {kind}, token
  %d = addf %p, %q : {kind}
  %e = subf %p, %q : {kind}
  %t2 = store_view_tko weak %e, %v_o[%zero, %one] : {kind}, {view}, tile<i32> -> token
  %t3 = store_view_tko weak %d, %v_o[%zero, %zero] : {kind}, {view}, tile<i32> -> token
  return
}}
"""


def inserted(name: str, part: tuple[int, ...], whole: tuple[int, ...]) -> str:
    """Twice an array, of which twice another one replaces a part, at an index."""
    own, all_ = ("x".join(map(str, shape)) for shape in (part, whole))
    indices = [f"%i{d}" for d in range(len(whole))]

    def load(which: str, shape: tuple[int, ...]) -> str:
        sizes, strides = ", ".join(map(str, shape)), [math.prod(shape[d + 1 :]) for d in range(len(shape))]
        size, kind = "x".join(map(str, shape)), f"tile<{'x'.join(map(str, shape))}xf32>"
        tensor = f"tensor_view<{size}xf32, strides={strides}>"
        view, at = f"partition_view<tile=({size}), {tensor}>", ", ".join(["%zero"] * len(shape))
        views.append((view, at))
        return f"""  %t_{which} = make_tensor_view %{which}, shape = [{sizes}], strides = {strides} : {tensor}
  %v_{which} = make_partition_view %t_{which} : {view}
  %l_{which}, %a_{which} = load_view_tko weak %v_{which}[{at}] : {view}, tile<i32> -> {kind}, token
  %d_{which} = addf %l_{which}, %l_{which} : {kind}
"""

    views: list[tuple[str, str]] = []
    loads = load("x", part) + load("y", whole)
    view, at = views[-1]
    given = ", ".join(f"{index}: tile<i32>" for index in indices)
    return f"""entry @{name}(%x: tile<ptr<f32>>, %y: tile<ptr<f32>>, {given}) {{
  %zero = constant <i32: 0> : tile<i32>
{loads}  %both = insert %d_x, %d_y[{", ".join(indices)}] : tile<{own}xf32>, tile<{all_}xf32>
  %s = store_view_tko weak %both, %v_y[{at}] : tile<{all_}xf32>, {view}, tile<i32> -> token
  return
}}
"""
