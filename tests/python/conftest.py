"""PyTorch for tests of launches, with or without a GPU."""

from __future__ import annotations

import fake_tensors
import pytest


@pytest.fixture
def torch():
    return pytest.importorskip("torch", reason="torch is not installed")


@pytest.fixture
def cuda_tensor(torch, monkeypatch):
    """A function that makes CUDA tensors at made-up addresses."""
    monkeypatch.setattr(torch.cuda, "_lazy_init", torch.cuda._lazy_init)  # and back afterwards
    try:
        fake_tensors.make(0x1000, (1,))
    except (RuntimeError, AssertionError) as error:
        pytest.skip(f"this PyTorch has no CUDA tensors: {error}")
    return fake_tensors.make
