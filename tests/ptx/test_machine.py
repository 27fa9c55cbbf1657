"""The PTX machine alone: instructions with results from the PTX manual, and faulty programs."""

from __future__ import annotations

import numpy as np
import pytest
from ptx_machine import PtxError, launch, parse
from ptx_machine.memory import Global

HEADER = ".version 8.0\n.target sm_90a\n.address_size 64\n"


def run(body: str, *arrays: np.ndarray, threads: int = 32, blocks: int = 1, seed: int | None = None) -> None:
    """Runs statements in which %rd0, %rd1, ... are the arrays, %r0 is the thread and %rd9 is 4 * %r0."""
    parameters = ", ".join(f".param .u64 p{i}" for i in range(len(arrays)))
    loads = "".join(f"ld.param.u64 %rd{i}, [p{i}];\n" for i in range(len(arrays)))
    text = f"""{HEADER}
.visible .entry kernel({parameters}) {{
  .reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<16>; .reg .f32 %f<8>; .reg .f64 %d<8>; .reg .b64 %rd<16>;
  .shared .align 16 .b8 memory[4096];
  {loads}
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %rd9, %r0, 4;
  {body}
  ret;
}}"""
    globe = Global()
    for array in arrays:
        globe.add(array.ctypes.data, array.nbytes)
    given = [int(array.ctypes.data).to_bytes(8, "little") for array in arrays]
    launch(parse(text), "kernel", (blocks, 1, 1), threads, given, globe, seed=seed)


def each(instruction: str, kind: str, *operands: int, threads: int = 32) -> np.ndarray:
    """The lanes' 32-bit results of an instruction that computes %r4 from %r1, %r2 and %r3."""
    out = np.zeros(threads, np.uint32)
    moves = "".join(f"mov.b32 %r{i}, {value};\n" for i, value in enumerate(operands, 1))
    run(
        f"{moves}{instruction}; add.s64 %rd8, %rd0, %rd9; st.global.{kind} [%rd8], %r4;", out, threads=threads
    )
    return out


def one(instruction: str, *operands: int) -> int:
    return int(each(instruction, "u32", *operands)[0])


@pytest.mark.parametrize(
    ("instruction", "operands", "result"),
    [
        ("prmt.b32 %r4, %r1, %r2, %r3", (0x33221100, 0x77665544, 0x5410), 0x55441100),
        (
            "prmt.b32 %r4, %r1, %r2, %r3",
            (0x33228100, 0x77665544, 0x4449),
            0x444444FF,
        ),  # 9: the sign of byte 1
        ("bfi.b32 %r4, %r1, %r2, 4, 8", (0xAB, 0xFFFFFFFF), 0xFFFFFABF),
        ("bfe.u32 %r4, %r1, 4, 8", (0x12345,), 0x34),
        ("bfe.s32 %r4, %r1, 4, 4", (0xF0,), 0xFFFFFFFF),
        ("shl.b32 %r4, %r1, 32", (1,), 0),
        ("shr.s32 %r4, %r1, 40", (0x80000000,), 0xFFFFFFFF),
        ("shf.l.wrap.b32 %r4, %r1, %r2, 8", (0x11223344, 0x55667788), 0x66778811),
        ("shf.r.clamp.b32 %r4, %r1, %r2, 8", (0x11223344, 0x55667788), 0x88112233),
        ("mul.hi.u32 %r4, %r1, %r2", (0xFFFFFFFF, 0xFFFFFFFF), 0xFFFFFFFE),
        ("mul.hi.s32 %r4, %r1, %r2", (0xFFFFFFFF, 2), 0xFFFFFFFF),
        ("div.s32 %r4, %r1, %r2", (0xFFFFFFF9, 2), 0xFFFFFFFD),  # -7 / 2 = -3
        ("rem.s32 %r4, %r1, %r2", (0xFFFFFFF9, 2), 0xFFFFFFFF),
        ("min.s32 %r4, %r1, %r2", (0xFFFFFFFF, 1), 0xFFFFFFFF),
        ("min.u32 %r4, %r1, %r2", (0xFFFFFFFF, 1), 1),
        ("clz.b32 %r4, %r1", (0x00010000,), 15),
        ("popc.b32 %r4, %r1", (0xF0F0,), 8),
        ("brev.b32 %r4, %r1", (1,), 0x80000000),
        ("lop3.b32 %r4, %r1, %r2, %r3, 0x96", (0b1100, 0b1010, 0b1001), 0b1111),  # exclusive or
        ("dp4a.s32.s32 %r4, %r1, %r2, %r3", (0x01FF0203, 0x01010101, 10), 15),
        ("add.rn.f32 %r4, %r1, %r2", (0x3F800000, 0x33800000), 0x3F800000),  # 1 + 2^-24: a tie, to even
        ("add.rp.f32 %r4, %r1, %r2", (0x3F800000, 0x33800000), 0x3F800001),
        ("add.rz.f32 %r4, %r1, %r2", (0x7F7FFFFF, 0x7F7FFFFF), 0x7F7FFFFF),  # no infinity
        ("mul.ftz.f32 %r4, %r1, %r2", (0x00800000, 0x3F000000), 0),
        ("mul.rn.f32 %r4, %r1, %r2", (0x00800000, 0x3F000000), 0x00400000),
        ("fma.rn.f32 %r4, %r1, %r2, %r3", (0x3F800001, 0x3F800001, 0xBF800002), 0x28800000),  # 2^-46
        ("min.f32 %r4, %r1, %r2", (0x7FC00000, 0x3F800000), 0x3F800000),
        ("min.NaN.f32 %r4, %r1, %r2", (0x7FC00000, 0x3F800000), 0x7FFFFFFF),
        ("max.f32 %r4, %r1, %r2", (0x80000000, 0), 0),
        ("cvt.rzi.s32.f32 %r4, %r1", (0x7F800000,), 0x7FFFFFFF),  # infinity
        ("cvt.rzi.u32.f32 %r4, %r1", (0xBF800000,), 0),  # -1
        ("cvt.rni.s32.f32 %r4, %r1", (0x40200000,), 2),  # 2.5
        ("cvt.rzi.s32.f32 %r4, %r1", (0x7FC00000,), 0),  # NaN
        ("cvt.rn.f16x2.f32 %r4, %r1, %r2", (0x3F800000, 0x477FF000), 0x3C007C00),  # 65520: to infinity
        ("cvt.rna.tf32.f32 %r4, %r1", (0x3F801000,), 0x3F802000),
        ("add.f16x2 %r4, %r1, %r2", (0x3C003C00, 0x40003C00), 0x42004000),
        ("fma.rn.bf16x2 %r4, %r1, %r2, %r3", (0x3F803F80, 0x40004000, 0x3F803F80), 0x40404040),
    ],
)
def test_instructions(instruction, operands, result):
    assert one(instruction, *operands) == result


def test_a_sum_of_two_words_carries():
    instruction = "add.cc.u32 %r5, %r1, %r2; addc.u32 %r4, %r1, 0"
    assert one(instruction, 0xFFFFFFFF, 1) == 0  # 0xFFFFFFFF + 0 + carry
    assert one(instruction, 0xFFFFFFFE, 1) == 0xFFFFFFFE


@pytest.mark.parametrize(
    ("mode", "distance", "limits", "source"),
    [
        ("up", 1, 0, lambda lane: np.maximum(lane - 1, 0)),
        ("down", 2, 31, lambda lane: np.where(lane + 2 < 32, lane + 2, lane)),
        ("bfly", 5, 31, lambda lane: lane ^ 5),
        ("idx", 3, 31, lambda lane: 0 * lane + 3),
        ("idx", 1, 0x1C1F, lambda lane: lane // 4 * 4 + 1),  # in segments of four
        ("down", 1, 0x1C1F, lambda lane: np.where(lane % 4 < 3, lane + 1, lane)),
    ],
)
def test_shuffles(mode, distance, limits, source):
    result = each(f"shfl.sync.{mode}.b32 %r4, %r0, {distance}, {limits}, -1", "u32")
    assert (result == source(np.arange(32))).all()


def test_votes():
    setp = "setp.lt.u32 %p1, %r0, 5; "
    assert one(setp + "vote.sync.ballot.b32 %r4, %p1, -1") == 31
    for mode, expected in (("any", 1), ("all", 0), ("uni", 0)):
        assert one(setp + f"vote.sync.{mode}.pred %p2, %p1, -1; selp.u32 %r4, 1, 0, %p2") == expected


def test_matrices_of_a_warp():
    """A row-major 8x8 matrix of 16-bit numbers, plain and transposed: lane 5 holds row 1, columns 2 and 3."""
    body = """
      mov.u32 %r1, memory; shl.b32 %r2, %r0, 2; add.u32 %r3, %r1, %r2;
      shl.b32 %r5, %r0, 1; shl.b32 %r6, %r5, 16; add.u32 %r5, %r5, %r6; add.u32 %r5, %r5, 0x10000;
      st.shared.u32 [%r3], %r5; bar.warp.sync -1;
      and.b32 %r7, %r0, 7; shl.b32 %r7, %r7, 4; add.u32 %r7, %r1, %r7;
      ldmatrix.sync.aligned.m8n8.x1.{trans}shared.b16 {{%r4}}, [%r7]"""
    row, column = np.arange(32) // 4, np.arange(32) % 4 * 2
    for trans, first, second in (
        ("", 8 * row + column, 8 * row + column + 1),
        ("trans.", 8 * column + row, 8 * (column + 1) + row),
    ):
        result = each(body.format(trans=trans), "u32")
        assert (result & 0xFFFF == first).all() and (result >> 16 == second).all()


def test_a_product_of_a_warp():
    """mma.m8n8k4 of doubles: lane l holds a[l / 4][l % 4], b[l % 4][l / 4] and two of a row of c."""
    rng = np.random.default_rng(1)
    a, b, c = (rng.integers(-9, 9, shape).astype(np.float64) for shape in ((8, 4), (4, 8), (8, 8)))
    columns = np.ascontiguousarray(b.T)
    run(
        """
        mul.wide.u32 %rd4, %r0, 8; mul.wide.u32 %rd5, %r0, 16;
        add.s64 %rd6, %rd0, %rd4; ld.global.f64 %d0, [%rd6];
        add.s64 %rd6, %rd1, %rd4; ld.global.f64 %d1, [%rd6];
        add.s64 %rd6, %rd2, %rd5; ld.global.v2.f64 {%d2, %d3}, [%rd6];
        mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%d4, %d5}, {%d0}, {%d1}, {%d2, %d3};
        st.global.v2.f64 [%rd6], {%d4, %d5};""",
        a,
        columns,
        product := c.copy(),
    )
    assert (product == a @ b + c).all()


def test_lanes_of_a_branch_come_together_again():
    body = """
      setp.lt.u32 %p1, %r0, 7; @%p1 bra LOW;
      mov.u32 %r4, 100; bra.uni END;
    LOW:
      mov.u32 %r4, 5; mov.u32 %r5, 0;
    AGAIN:
      add.u32 %r4, %r4, 1; add.u32 %r5, %r5, 1; setp.lt.u32 %p2, %r5, %r0; @%p2 bra AGAIN;
    END:
      shfl.sync.bfly.b32 %r4, %r4, 0, 31, -1"""
    lane = np.arange(32)
    assert (each(body, "u32") == np.where(lane < 7, 5 + np.maximum(lane, 1), 100)).all()


def test_lanes_come_together_again_where_one_way_is_further_down():
    body = """
      setp.lt.u32 %p1, %r0, 7; @%p1 bra LOW;
      mov.u32 %r4, 100;
    TOGETHER:
      wgmma.wait_group.sync.aligned 0;
      shfl.sync.bfly.b32 %r4, %r4, 0, 31, -1; bra.uni END;
    LOW:
      mov.u32 %r4, 5; bra.uni TOGETHER;
    END:
      mov.u32 %r5, %r4"""
    thread = np.arange(128)
    assert (each(body, "u32", threads=128) == np.where(thread < 7, 5, 100)).all()


@pytest.mark.parametrize("seed", [None, 1])
def test_a_lock_is_passed_on(seed):
    """A thread of each block spins until it gets the lock, then adds one."""
    memory = np.zeros(2, np.int32)
    run(
        """
      setp.ne.u32 %p1, %r0, 0; @%p1 ret;
    AGAIN:
      atom.global.cas.b32 %r1, [%rd0], 0, 1; setp.ne.s32 %p1, %r1, 0; @%p1 bra AGAIN;
      ld.global.u32 %r2, [%rd0+4]; add.u32 %r2, %r2, 1; st.global.u32 [%rd0+4], %r2;
      membar.gl; atom.global.exch.b32 %r1, [%rd0], 0;""",
        memory,
        blocks=5,
        seed=seed,
    )
    assert memory.tolist() == [0, 5]


def test_calls_return_to_where_they_came_from():
    text = f"""{HEADER}
.func (.param .b32 result) double_it(.param .b32 x) {{
  .reg .b32 %r<3>; ld.param.u32 %r1, [x]; add.u32 %r2, %r1, %r1; st.param.b32 [result+0], %r2; ret;
}}
.visible .entry kernel(.param .u64 p) {{
  .reg .b32 %r<5>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [p]; mov.u32 %r0, %tid.x; mul.wide.u32 %rd2, %r0, 4; add.s64 %rd3, %rd1, %rd2;
  {{ .param .b32 param0; st.param.b32 [param0+0], %r0; .param .b32 retval0;
     call.uni (retval0), double_it, (param0); ld.param.b32 %r1, [retval0+0]; }}
  {{ .param .b32 param0; st.param.b32 [param0+0], %r1; .param .b32 retval0;
     call.uni (retval0), double_it, (param0); ld.param.b32 %r2, [retval0+0]; }}
  st.global.u32 [%rd3], %r2; ret;
}}"""
    out, globe = np.zeros(64, np.uint32), Global()
    globe.add(out.ctypes.data, out.nbytes)
    launch(parse(text), "kernel", (1, 1, 1), 64, [int(out.ctypes.data).to_bytes(8, "little")], globe)
    assert (out == 4 * np.arange(64)).all()


# --- programs that are wrong --------------------------------------------------------------------------------

_STORE = "mov.u32 %r1, memory; shl.b32 %r2, %r0, 2; add.u32 %r3, %r1, %r2; st.shared.u32 [%r3], %r0;"
_OTHER = "xor.b32 %r4, %r2, {other}; add.u32 %r4, %r1, %r4; ld.shared.u32 %r5, [%r4];"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (_STORE + _OTHER.format(other=4), "thread .* reads byte .* without a barrier between"),
        (_STORE + "bar.warp.sync -1;" + _OTHER.format(other=128), "without a barrier between"),
        (_STORE + "bar.sync 0;" + _OTHER.format(other=4) + "st.shared.u32 [%r3], 7;", "what was read"),
        ("mov.u32 %r1, memory; st.shared.u32 [%r1], %r0;", "another write at once"),
        ("ld.global.u32 %r1, [%rd0+2];", "is not a multiple of 4"),
        ("ld.global.u32 %r1, [%rd0+4096];", "which no argument holds"),
        ("mov.u32 %r1, memory; ld.shared.u32 %r2, [%r1+65536];", "shared memory of"),
        ("setp.eq.u32 %p1, %r0, 3; @%p1 bra END; bar.sync 0; END: bar.sync 1;", "do not come"),
        ("setp.eq.u32 %p1, %r0, 3; @%p1 ret; shfl.sync.idx.b32 %r4, %r0, 0, 31, -1;", "with the others"),
        (
            "setp.eq.u32 %p1, %r0, 3; @%p1 bra END; movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2; END:",
            "others",
        ),
        ("setp.lt.u32 %p1, %r0, 32; @%p1 bra END; wgmma.wait_group.sync.aligned 0; END:", "not complete"),
        ("AGAIN: bra AGAIN;", "does not seem to end"),
        ("frobnicate.b32 %r1, %r2;", "unknown instruction frobnicate"),
        ("trap;", "stops the program"),
    ],
)
def test_what_is_wrong_is_found(body, message, monkeypatch):
    monkeypatch.setattr("ptx_machine.machine._MOST_ROUNDS", 1000)
    with pytest.raises(PtxError, match=message):
        run(body, np.zeros(64, np.int32), threads=128 if "wgmma" in body else 64)


@pytest.mark.parametrize(
    "body",
    [
        _STORE + "bar.warp.sync -1;" + _OTHER.format(other=4),
        _STORE + "bar.sync 0;" + _OTHER.format(other=128),
        _STORE + "bar.sync 0;" + _OTHER.format(other=4) + "bar.sync 0; st.shared.u32 [%r3], 7;",
        "mov.u32 %r1, memory; st.shared.u32 [%r1], 7;",  # all write the same
        "setp.eq.u32 %p1, %r0, 3; @%p1 ret; bar.sync 0;",  # threads that have ended are not waited for
    ],
)
def test_the_neighbours_are_right(body):
    run(body, np.zeros(64, np.int32), threads=64)
