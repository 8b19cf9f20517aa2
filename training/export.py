"""Exports an encoder as an int8 ONNX file with its tokenizer and description.

    python export.py --out build/base
    python export.py --weights build/tuned/encoder.safetensors --name NAME --version 1 --out build/final

Common dynamic quantization takes one scale per activation tensor, so a text's vector depends on
its batch-mates and their padding. Here every token has its own scale: a vector depends on its text
alone. Weights keep 7 bits: sums of 8-bit ones overflow in kernels for processors without VNNI.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import tempfile
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import NodeProto, TensorProto, helper, numpy_helper

from encoder import MAX_TOKENS, Encoder, base_folder, load_encoder

WEIGHT_STEPS = 63


def write_float(encoder: Encoder, path: Path) -> None:
    """Writes the graph in single precision."""
    example = torch.ones(2, 7, dtype=torch.long)
    axes = {0: "batch", 1: "tokens"}
    torch.onnx.export(
        encoder,
        (example, example),
        str(path),
        input_names=["input_ids", "attention_mask"],
        output_names=["embedding"],
        dynamic_axes={"input_ids": axes, "attention_mask": axes, "embedding": {0: "batch"}},
        opset_version=17,
        dynamo=False,
    )


class Quantizer:
    """Rewrites the matrix products and the word table of a graph to int8."""

    def __init__(self, model: onnx.ModelProto) -> None:
        self.graph = model.graph
        self.weights = {tensor.name: tensor for tensor in self.graph.initializer}
        self.made_by = {name: node for node in self.graph.node for name in node.output}
        self.nodes: list[NodeProto] = []
        self.activations: dict[str, tuple[str, str]] = {}
        self.replaced: set[str] = set()
        self.constants: dict[str, np.ndarray] = {}

    def run(self) -> None:
        for node in self.graph.node:
            if node.op_type == "MatMul" and node.input[1] in self.weights:
                self._product(node)
            elif node.op_type == "Gather" and self._is_word_table(node.input[0]):
                self._lookup(node)
            else:
                self.nodes.append(node)
        kept = [t for name, t in self.weights.items() if name not in self.replaced]
        kept += [numpy_helper.from_array(value, name) for name, value in self.constants.items()]
        del self.graph.node[:], self.graph.initializer[:]
        self.graph.node.extend(self.nodes)
        self.graph.initializer.extend(kept)

    def _is_word_table(self, name: str) -> bool:
        return (
            name in self.weights
            and len(self.weights[name].dims) == 2
            and self.weights[name].dims[0] > 1000
        )

    def _constant(self, name: str, value: np.ndarray) -> str:
        self.constants[name] = np.asarray(value)
        return name

    def _node(self, kind: str, inputs: list[str], output: str, **attributes: object) -> str:
        self.nodes.append(helper.make_node(kind, inputs, [output], name=output, **attributes))
        return output

    def _take(self, name: str) -> np.ndarray:
        self.replaced.add(name)
        return numpy_helper.to_array(self.weights[name])

    def _activation(self, name: str) -> tuple[str, str]:
        """Returns the int8 form of an activation and its scale per token."""
        if name in self.activations:
            return self.activations[name]
        size = self._node("Abs", [name], f"{name}_size")
        top = self._node("ReduceMax", [size], f"{name}_top", axes=[-1], keepdims=1)
        top = self._node("Max", [top, self._constant("tiny", np.float32(1e-6))], f"{name}_range")
        unit = self._node("Div", [name, top], f"{name}_unit")
        step = self._constant("step", np.float32(1 / 127))
        zero = self._constant("zero_activation", np.uint8(128))
        whole = self._node("QuantizeLinear", [unit, step, zero], f"{name}_int8")
        scale = self._node("Mul", [top, step], f"{name}_scale")
        self.activations[name] = whole, scale
        return self.activations[name]

    def _product(self, node: NodeProto) -> None:
        """Replaces x @ w by (int8 x @ int8 w) times the token's scale times the column's scale."""
        source, weight = node.input[0], self._take(node.input[1])
        columns = np.maximum(np.abs(weight).max(0) / WEIGHT_STEPS, 1e-12).astype(np.float32)
        table = np.clip(np.round(weight / columns), -WEIGHT_STEPS, WEIGHT_STEPS).astype(np.int8)
        whole, scale = self._activation(source)
        weights = (
            self._constant(f"{node.name}_weights", table),
            self._constant("zero_weight", np.int8(0)),
        )
        inputs = [whole, weights[0], "zero_activation", weights[1]]
        total = self._node("MatMulInteger", inputs, f"{node.name}_sum")
        real = self._node("Cast", [total], f"{node.name}_real", to=TensorProto.FLOAT)
        real = self._node(
            "Mul", [real, self._constant(f"{node.name}_columns", columns)], f"{node.name}_wide"
        )
        self._node("Mul", [real, scale], node.output[0])

    def _lookup(self, node: NodeProto) -> None:
        """Replaces a lookup of vectors by one of bytes and one of their scale."""
        table = self._take(node.input[0])
        rows = (np.maximum(np.abs(table).max(1, keepdims=True), 1e-12) / 127).astype(np.float32)
        whole = np.round(table / rows).astype(np.int8)
        found = self._node(
            "Gather", [self._constant("words_int8", whole), node.input[1]], "words_found"
        )
        real = self._node("Cast", [found], "words_real", to=TensorProto.FLOAT)
        scale = self._node(
            "Gather", [self._constant("words_scale", rows), node.input[1]], "words_scales"
        )
        self._node("Mul", [real, scale], node.output[0])


def write_tokenizer(path: Path) -> None:
    """Writes the tokenizer without its fixed padding and truncation."""
    described = json.loads((base_folder() / "tokenizer.json").read_text(encoding="utf-8"))
    described |= {"padding": None, "truncation": None}
    path.write_text(
        json.dumps(described, ensure_ascii=False, separators=(",", ":")), encoding="utf-8"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--weights", type=Path, help="fine-tuned weights; without them the base is exported"
    )
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--name", default="all-MiniLM-L6-v2-int8")
    parser.add_argument("--version", default="1")
    parser.add_argument("--float", action="store_true", help="leave the graph in single precision")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    target = options.out / "model.onnx"
    with tempfile.TemporaryDirectory() as folder:
        write_float(load_encoder(options.weights), Path(folder) / "float.onnx")
        model = onnx.load(Path(folder) / "float.onnx")
    if not options.float:
        Quantizer(model).run()
    onnx.checker.check_model(model)
    onnx.save(model, target)
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
