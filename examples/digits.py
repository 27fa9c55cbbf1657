"""Recognise handwritten digits with a small network in which every layer is a tile kernel.

The weights are trained here, in NumPy, on 1297 of the 1797 digits; the kernels and NumPy then classify the
other 500.
"""

from __future__ import annotations

import argparse
import sys
from itertools import pairwise

import numpy as np
from _common import HERE, add_target, build, ceildiv, median_seconds, on_target, progress, to_numpy

import pycuda_tile as pct

TILE = 32  # samples and outputs that one block computes, as in digits.cu
LAYERS = (64, 64, 32, 10)
TEST_SAMPLES = 500

Layer = tuple[np.ndarray, np.ndarray]  # weight, inputs x outputs; bias, one for each output


def load_digits() -> tuple[np.ndarray, np.ndarray]:
    """The pictures as rows of 64 floats from 0 to 1, and their labels; shuffled, always the same way."""
    with np.load(HERE / "data" / "digits.npz") as data:
        images, labels = data["images"], data["labels"]
    order = np.random.default_rng(1).permutation(len(labels))
    return images[order].reshape(-1, 64).astype(np.float32) / 16, labels[order].astype(np.int32)


def relu_layers(x: np.ndarray, network: list[Layer]) -> list[np.ndarray]:
    """The inputs of each layer, and at the end the scores."""
    values = [x]
    for weight, bias in network[:-1]:
        values.append(np.maximum(values[-1] @ weight + bias, 0))
    weight, bias = network[-1]
    return [*values, values[-1] @ weight + bias]


def probabilities(scores: np.ndarray) -> np.ndarray:
    """The softmax of each row."""
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)


def train(x: np.ndarray, labels: np.ndarray, epochs: int = 60) -> list[Layer]:
    """Stochastic gradient descent with momentum on the cross-entropy."""
    rng = np.random.default_rng(0)
    network = [
        (rng.standard_normal((n, m), dtype=np.float32) * np.float32(np.sqrt(2 / n)), np.zeros(m, np.float32))
        for n, m in pairwise(LAYERS)
    ]
    velocity = [(np.zeros_like(weight), np.zeros_like(bias)) for weight, bias in network]
    for _ in range(epochs):
        for batch in np.array_split(rng.permutation(len(x)), len(x) // 32):
            slopes = gradients(x[batch], labels[batch], network)
            for moved, layer, slope in zip(velocity, network, slopes, strict=True):
                for v, parameter, g in zip(moved, layer, slope, strict=True):
                    v *= 0.9
                    v -= 0.03 * g
                    parameter += v
    return network


def gradients(x: np.ndarray, labels: np.ndarray, network: list[Layer]) -> list[Layer]:
    """The gradient of the mean cross-entropy with respect to each weight and bias."""
    *values, scores = relu_layers(x, network)
    slope = probabilities(scores)
    slope[np.arange(len(labels)), labels] -= 1
    slope /= len(labels)
    result = []
    for (weight, _), value in zip(reversed(network), reversed(values), strict=True):
        result.append((value.T @ slope, slope.sum(axis=0)))
        slope = (slope @ weight.T) * (value > 0)
    return result[::-1]


class TileNetwork:
    """The network on a module's target, for batches of `samples`; all arrays are made once."""

    def __init__(self, module: pct.Module, network: list[Layer], samples: int):
        self.module, self.samples = module, samples
        self.network = [(on_target(module, w), on_target(module, b), *w.shape) for w, b in network]
        self.values = [on_target(module, np.empty((samples, n), np.float32)) for n in LAYERS[1:]]
        self.labels = on_target(module, np.empty(samples, np.int32))
        self.confidence = on_target(module, np.empty(samples, np.float32))

    def classify(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The label of each row of x, and its probability."""
        value = on_target(self.module, x)
        for i, (weight, bias, inputs, outputs) in enumerate(self.network):
            kernel = self.module.kernel("dense_relu" if i + 1 < len(self.network) else "dense")
            grid = (ceildiv(outputs, TILE), ceildiv(self.samples, TILE))
            kernel[grid](value, weight, bias, self.values[i], self.samples, inputs, outputs)
            value = self.values[i]
        self.module.kernel("classify")[ceildiv(self.samples, TILE)](
            value, self.labels, self.confidence, self.samples, LAYERS[-1]
        )
        return to_numpy(self.labels), to_numpy(self.confidence)


def drawing(image: np.ndarray) -> str:
    """A picture of 8 x 8 values from 0 to 1 as text."""
    return "\n".join("".join(" .:-=+*#%@"[int(9.99 * v)] * 2 for v in row) for row in image.reshape(8, 8))


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    add_target(parser)
    options = parser.parse_args(argv)

    images, labels = load_digits()
    with progress("training in NumPy"):
        network = train(images[:-TEST_SAMPLES], labels[:-TEST_SAMPLES])
    images, labels = images[-TEST_SAMPLES:], labels[-TEST_SAMPLES:]

    module = build("digits", options.target)
    tiles = TileNetwork(module, network, TEST_SAMPLES)
    predicted, confidence = tiles.classify(images)
    expected = probabilities(relu_layers(images, network)[-1])
    numpy_predicted = expected.argmax(axis=1)
    agreement = int((predicted == numpy_predicted).sum())
    difference = np.abs(confidence - expected.max(axis=1)).max()

    print(f"{drawing(images[0])}\nrecognised as {predicted[0]} with probability {confidence[0]:.4f}\n")
    print(f"accuracy on the {TEST_SAMPLES} digits that were not trained on:")
    print(f"  tile kernels on {module.target}: {(predicted == labels).mean():.1%}")
    print(f"  NumPy: {(numpy_predicted == labels).mean():.1%}")
    print(
        f"same answer from both for {agreement} of them; largest difference in probability {difference:.1e}"
    )
    tile_time = median_seconds(lambda: tiles.classify(images))
    numpy_time = median_seconds(lambda: relu_layers(images, network)[-1].argmax(axis=1))
    print(f"time for all of them: tile kernels {1e3 * tile_time:.2f} ms, NumPy {1e3 * numpy_time:.2f} ms")
    return 0 if agreement == TEST_SAMPLES and difference < 1e-4 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
