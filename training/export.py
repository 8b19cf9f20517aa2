"""Exports an encoder as an int8 ONNX file with its tokenizer and description.

    python export.py --data DATA --out build/base
    python export.py --data DATA --weights build/tuned/encoder.safetensors --name NAME --version 1 --out build/final

The graph is written out node by node, with ONNX Runtime's fused operators for attention, GELU, and
residual normalization: in WebAssembly each pass over the activations costs time.

Common dynamic quantization takes the range of each activation tensor while it runs, so a text's vector
depends on its batch-mates and their padding. Here ranges are fixed, taken once from texts of `DATA`:
a vector depends on its text alone. The few channels that are far wider than the others are
narrowed first, and the weights that read them widened (SmoothQuant, Xiao et al. 2023, equation 4).
Weights keep 7 bits: sums of 8-bit ones overflow in kernels for processors without VNNI.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor

from data import TRAINABLE, load_family
from encoder import (
    MAX_TOKENS,
    Encoder,
    Layer,
    base_folder,
    encode,
    load_encoder,
    load_tokenizer,
)

WEIGHT_STEPS = 63
ACTIVATION_STEPS = 255
# How far ranges move from activations (0) to weights (1).
SMOOTHING = 0.75
# Of each family, at most: questions, and as many passages.
CALIBRATION_TEXTS = 20
# Layers whose input comes from the network's own normalization or GELU; attention needs no smoothing.
SMOOTHED = ("query", "inner", "outer")
FUSED = "com.microsoft"


def calibration_texts(data: Path) -> list[str]:
    """Returns questions and passages of each family, the same ones each time."""
    chosen = []
    for family in TRAINABLE:
        groups = load_family(data, family)
        random.Random(family).shuffle(groups)
        chosen += [group.question for group in groups[:CALIBRATION_TEXTS]]
        chosen += [group.passages[0].text for group in groups[:CALIBRATION_TEXTS]]
    return chosen


def inputs_of_layers(encoder: Encoder, texts: list[str]) -> dict[str, np.ndarray]:
    """Returns what each linear layer reads on these texts: rows of tokens, columns of channels."""
    # Sums are rounded in the order of the threads, and the file has to be the same everywhere.
    torch.set_num_threads(2)
    seen: dict[str, list[np.ndarray]] = {}
    for at, layer in enumerate(encoder.layers):
        for part in ("query", "attended", "inner", "outer"):
            rows = seen.setdefault(f"{at}.{part}", [])
            getattr(layer, part).register_forward_pre_hook(
                lambda _, args, rows=rows: rows.append(args[0].flatten(0, -2).numpy())
            )
    # One by one, so that no padding is measured.
    encode(encoder, load_tokenizer(), texts, batch=1)
    return {name: np.concatenate(rows) for name, rows in seen.items()}


def array(tensor: Tensor) -> np.ndarray:
    return tensor.detach().numpy().astype(np.float32)


class GraphWriter:
    """Writes an encoder as a graph. Methods add nodes and return the name of their output."""

    def __init__(self, seen: dict[str, np.ndarray]) -> None:
        self.seen = seen
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, np.ndarray] = {}

    def write(self, encoder: Encoder) -> onnx.ModelProto:
        x = self._embedded(encoder, MAX_TOKENS)
        mask = self._node("Cast", ["attention_mask"], "mask", to=TensorProto.INT32)
        for at, layer in enumerate(encoder.layers):
            x = self._layer(f"{at}", layer, x, mask)
        self._pooled(x)
        inputs = [
            helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
            for name in ("input_ids", "attention_mask")
        ]
        width = encoder.words.embedding_dim
        output = helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["batch", width])
        return self._model("encoder", inputs, [output])

    def _model(
        self,
        name: str,
        inputs: list[onnx.ValueInfoProto],
        outputs: list[onnx.ValueInfoProto],
    ) -> onnx.ModelProto:
        constants = [numpy_helper.from_array(value, key) for key, value in self.constants.items()]
        graph = helper.make_graph(self.nodes, name, inputs, outputs, constants)
        versions = [helper.make_opsetid("", 17), helper.make_opsetid(FUSED, 1)]
        return helper.make_model(graph, opset_imports=versions, ir_version=9)

    def _constant(self, name: str, value: object) -> str:
        self.constants[name] = np.asarray(value)
        return name

    def _node(self, kind: str, inputs: list[str], output: str, **attributes: object) -> str:
        self.nodes.append(helper.make_node(kind, inputs, [output], name=output, **attributes))
        return output

    def _embedded(self, encoder: Encoder, most: int) -> str:
        """Looks up words, as bytes with one scale each, and adds the places."""
        table = array(encoder.words.weight)
        rows = (np.maximum(np.abs(table).max(1, keepdims=True), 1e-12) / 127).astype(np.float32)
        words = self._constant("words", np.round(table / rows).astype(np.int8))
        found = self._node("Gather", [words, "input_ids"], "words_found")
        real = self._node("Cast", [found], "words_real", to=TensorProto.FLOAT)
        scale = self._node("Gather", [self._constant("word_scales", rows), "input_ids"], "scales")
        x = self._node("Mul", [real, scale], "word_vectors")
        places = array(encoder.positions.weight)[:most] + array(encoder.segments.weight[0])
        first = self._constant("first", np.array([0], np.int64))
        length = self._node("Shape", ["input_ids"], "length", start=1, end=2)
        place = self._node("Slice", [self._constant("places", places), first, length], "place")
        x = self._node("Add", [x, place], "placed")
        norm = self._norm("embedded", encoder.norm)
        return self._node(
            "LayerNormalization",
            [x, *norm],
            "embedded",
            axis=-1,
            epsilon=encoder.norm.eps,
        )

    def _layer(self, at: str, layer: Layer, x: str, mask: str) -> str:
        parts = (layer.query, layer.key, layer.value)
        weight = np.concatenate([array(part.weight).T for part in parts], 1)
        bias = np.concatenate([array(part.bias) for part in parts])
        together = self._product(f"{at}.query", x, weight, bias)
        split = [f"{at}.{part}" for part in "qkv"]
        self.nodes.append(helper.make_node("Split", [together], split, name=f"{at}.split", axis=-1))
        mixed = self._node(
            "MultiHeadAttention",
            [*split, "", mask],
            f"{at}.mixed",
            domain=FUSED,
            num_heads=layer.heads,
        )
        attended = self._linear(f"{at}.attended", mixed, layer.attended)
        x = self._added(f"{at}.attended_norm", attended, x, layer.attended_norm)
        inner = self._linear(f"{at}.inner", x, layer.inner)
        inner = self._node("FastGelu", [inner], f"{at}.gelu", domain=FUSED)
        outer = self._linear(f"{at}.outer", inner, layer.outer)
        return self._added(f"{at}.outer_norm", outer, x, layer.outer_norm)

    def _norm(self, name: str, norm: torch.nn.LayerNorm) -> list[str]:
        return [
            self._constant(f"{name}_weight", array(norm.weight)),
            self._constant(f"{name}_bias", array(norm.bias)),
        ]

    def _added(self, name: str, x: str, residual: str, norm: torch.nn.LayerNorm) -> str:
        return self._node(
            "SkipLayerNormalization",
            [x, residual, *self._norm(name, norm)],
            name,
            domain=FUSED,
            epsilon=norm.eps,
        )

    def _linear(self, name: str, x: str, layer: torch.nn.Linear) -> str:
        return self._product(name, x, array(layer.weight).T, array(layer.bias))

    def _product(self, name: str, x: str, weight: np.ndarray, bias: np.ndarray) -> str:
        """Computes x @ weight + bias in int8: one range for x, one scale per column of the weight."""
        seen = self.seen[name]
        if name.split(".")[1] in SMOOTHED:
            wide = np.maximum(np.abs(seen).max(0), 1e-3) ** SMOOTHING
            narrow = np.maximum(np.abs(weight).max(1), 1e-4) ** (1 - SMOOTHING)
            factors = (wide / narrow).astype(np.float32)
            seen, weight = seen / factors, weight * factors[:, None]
            x = self._node("Mul", [x, self._constant(f"{name}_smooth", 1 / factors)], f"{name}_x")
        low, high = min(float(seen.min()), 0.0), max(float(seen.max()), 0.0)
        step = (high - low) / ACTIVATION_STEPS
        scale = self._constant(f"{name}_step", np.float32(step))
        zero = self._constant(f"{name}_zero", np.uint8(round(-low / step)))
        whole = self._node("QuantizeLinear", [x, scale, zero], f"{name}_int8")
        columns = np.maximum(np.abs(weight).max(0) / WEIGHT_STEPS, 1e-12).astype(np.float32)
        table = np.clip(np.round(weight / columns), -WEIGHT_STEPS, WEIGHT_STEPS).astype(np.int8)
        inputs = [
            whole,
            self._constant(f"{name}_weights", table),
            scale,
            self._constant(f"{name}_columns", columns),
            zero,
            "",
            self._constant(f"{name}_bias", bias),
        ]
        return self._node("MatMulIntegerToFloat", inputs, f"{name}_out", domain=FUSED)

    def _pooled(self, x: str) -> None:
        """Adds up the tokens: the length divides out under normalization, so the sum is the mean."""
        one = self._constant("one", np.array([1], np.int64))
        mask = self._node("Cast", ["attention_mask"], "mask_real", to=TensorProto.FLOAT)
        row = self._node("Unsqueeze", [mask, one], "mask_row")
        total = self._node("Squeeze", [self._node("MatMul", [row, x], "added"), one], "sum")
        self._node("LpNormalization", [total], "embedding", axis=-1, p=2)


def write_tokenizer(path: Path) -> None:
    """Writes the tokenizer without its fixed padding and truncation."""
    described = json.loads((base_folder() / "tokenizer.json").read_text(encoding="utf-8"))
    described |= {"padding": None, "truncation": None}
    path.write_text(
        json.dumps(described, ensure_ascii=False, separators=(",", ":")),
        encoding="utf-8",
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="the folder of the labeled sets")
    parser.add_argument(
        "--weights",
        type=Path,
        help="fine-tuned weights; without them the base is exported",
    )
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--name", default="all-MiniLM-L6-v2-int8")
    parser.add_argument("--version", default="2")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    target = options.out / "model.onnx"
    encoder = load_encoder(options.weights)
    seen = inputs_of_layers(encoder, calibration_texts(options.data))
    onnx.save(GraphWriter(seen).write(encoder), target)
    write_tokenizer(options.out / "tokenizer.json")
    described = {
        "name": options.name,
        "version": options.version,
        "language": "en",
        "dimension": 384,
        "maxTokens": MAX_TOKENS,
        "pooling": "mean",
        "normalized": True,
        "inputs": ["input_ids", "attention_mask"],
        "output": "embedding",
        "sha256": hashlib.sha256(target.read_bytes()).hexdigest(),
    }
    (options.out / "config.json").write_text(json.dumps(described, indent=2) + "\n")
    print(f"{target}: {target.stat().st_size / 1e6:.1f} MB, sha256 {described['sha256']}")


if __name__ == "__main__":
    main()
