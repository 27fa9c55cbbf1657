"""The arguments of each example's `problem`, as benchmarks of all examples take them."""

from __future__ import annotations

import sys
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
sys.path.insert(0, str(EXAMPLES))  # the examples import each other by name

PROBLEMS = {
    "attention": (8, 512, 64, "float32", True),
    "batched_matmul": (4, 256, 256, 256, "float32"),
    "bias_gelu": (1000, 1000, "float32"),
    "block_scaled_matmul": (256, 256, 256),
    "convolution": (1000, 1000, 5),
    "cross_entropy": (500, 2000, "float32"),
    "dropout": (1_000_000, "float32"),
    "experts": (1000, 128, 256, 8),
    "gather": (20_000, 50, 20_000),
    "histogram": (1_000_000, 256),
    "int8_matmul": (256, 256, 256, "float32"),
    "layer_norm": (1000, 1000),
    "matmul": (400, 400, 400),
    "rms_norm": (1000, 1000, "float32"),
    "rotary": (1000, 8, "float32"),
    "segmented_scan": (1000, 1000, "float32"),
    "softmax": (1000, 1000),
    "split_k_matmul": (128, 128, 2048, 4, "float32"),
    "swiglu": (1_000_000, "float32"),
    "top_k": (500, 1000, "float32"),
    "transpose": (1000, 1000),
    "vector_add": (1_000_000,),
}
