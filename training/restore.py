"""Restores trainable weights from a joint reader that was exported, to go on from it.

    python restore.py --model ../models/reader/joint.onnx --out build/start.safetensors

Layers that were frozen come from the base; the others are read back from 7 bits with the scale of
their column, the heads from 8 bits. What rounding took does not come back, and further training
makes up for it.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn

from encoder import load_encoder
from joint import JointReader, Recipe, save


def constants_of(path: Path) -> dict[str, np.ndarray]:
    """Returns the constants by name, without the word vectors, which are the base's."""
    model = onnx.load(path, load_external_data=False)
    return {
        t.name: numpy_helper.to_array(t) for t in model.graph.initializer if not t.external_data
    }


def restore(path: Path) -> JointReader:
    stored = constants_of(path)
    model = JointReader(load_encoder(), Recipe.frozen)

    def put(parameter: nn.Parameter | Tensor, value: np.ndarray) -> None:
        parameter.data.copy_(torch.tensor(np.array(value)).reshape(parameter.shape))

    def weight(name: str) -> np.ndarray:
        """[out, in]"""
        whole = stored[f"{name}_weights"].astype(np.float32) * stored[f"{name}_columns"]
        if f"{name}_smooth" in stored:
            whole = whole * stored[f"{name}_smooth"][:, None]
        return whole.T

    for at, layer in enumerate(model.encoder.layers):
        if at < Recipe.frozen:
            continue
        rows = np.split(weight(f"{at}.query"), 3)
        biases = np.split(stored[f"{at}.query_bias"], 3)
        for part, row, bias in zip((layer.query, layer.key, layer.value), rows, biases):
            put(part.weight, row)
            put(part.bias, bias)
        for name in ("attended", "inner", "outer"):
            part = getattr(layer, name)
            put(part.weight, weight(f"{at}.{name}"))
            put(part.bias, stored[f"{at}.{name}_bias"])
        for name in ("attended_norm", "outer_norm"):
            part = getattr(layer, name)
            put(part.weight, stored[f"{at}.{name}_weight"])
            put(part.bias, stored[f"{at}.{name}_bias"])
    heads = model.heads
    for name in ("sentence", "passage", "support", "token"):
        part, key = getattr(heads, name), f"{name}_mlp"
        table = stored[f"{key}_1_table"].astype(np.float32) * stored[f"{key}_1_scales"]
        put(part[0].weight, table.T)
        put(part[0].bias, stored[f"{key}_b1"])
        put(part[2].weight, stored[f"{key}_2"].T)
        put(part[2].bias, stored[f"{key}_b2"])
    put(heads.sentence_scale, stored["sentence_sum_w1"])
    put(heads.sharpness, stored["near_sum_w0"])
    for terms, key in (
        (heads.passage_terms, "passage_sum"),
        (heads.support_terms, "support_sum"),
    ):
        put(terms, np.array([stored[f"{key}_w{at}"] for at in range(1, 5)]))
    sums = ("sentence_sum", "passage_sum", "support_sum")
    put(heads.offsets, np.array([stored[f"{key}_offset"] for key in sums]))
    return model


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", type=Path, required=True, help="joint.onnx")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    save(restore(options.model), options.out)


if __name__ == "__main__":
    main()
