"""Exports encoder and joint reader as int8 ONNX files that share one table of word vectors.

    python export_joint.py --data DATA --joint build/joint/joint.safetensors --out build/reader

Writes `model.onnx` (the encoder), `joint.onnx`, `words.bin` (the table, external data of both),
`tokenizer.json` and `config.json`. The layers are written as in `export.py`; the heads keep single
precision while they run, their weights are stored in 8 bits.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from onnx.external_data_helper import set_external_data
from torch import nn

from encoder import MAX_TOKENS, load_encoder, load_tokenizer
from export import (
    FUSED,
    GraphWriter,
    array,
    calibration_texts,
    inputs_of_layers,
    write_tokenizer,
)
from joint import (
    ABOVE_TOKENS,
    QUERY_TOKENS,
    SENTENCE_TOKENS,
    Batch,
    Heads,
    JointReader,
    Layout,
    collate,
    load_joint,
)
from joint_data import FREE_SOURCES, Reading, training_groups

# The reader sees a little more than it was trained on: whole passages of about 180 words.
READ_TOKENS = 272
SHARED = ("words", "word_scales")
WORDS_FILE = "words.bin"


def calibration_readings(data: Path, most: int) -> list[Reading]:
    """Returns readings of all families of the training, the same ones each time."""
    groups = training_groups(data, FREE_SOURCES, {}, seed=3)
    return [g.readings[0] for g in groups[:most]]


@torch.inference_mode()
def inputs_of_joint_layers(model: JointReader, batches: Sequence[Batch]) -> dict[str, np.ndarray]:
    """Returns what each linear layer reads: rows of tokens, columns of channels."""
    seen: dict[str, list[np.ndarray]] = {}
    encoder = model.encoder
    hooks = []
    for at, layer in enumerate(encoder.layers):
        for part in ("query", "attended", "inner", "outer"):
            rows = seen.setdefault(f"{at}.{part}", [])
            hooks.append(
                getattr(layer, part).register_forward_pre_hook(
                    lambda _, args, rows=rows: rows.append(args[0].flatten(0, -2).numpy())
                )
            )
    for batch in batches:
        x = encoder.norm(
            encoder.words(batch.ids)
            + encoder.positions(torch.arange(batch.ids.shape[1]))
            + encoder.segments.weight[0]
        )
        bias = (1 - batch.mask)[:, None, None, :] * -1e4
        for layer in encoder.layers:
            x = layer(x, bias)
    for hook in hooks:
        hook.remove()
    return {name: np.concatenate(rows) for name, rows in seen.items()}


class JointWriter(GraphWriter):
    """Writes the joint reader: the layers of an encoder, then its heads."""

    def write_joint(self, model: JointReader, places: int) -> onnx.ModelProto:
        x = self._embedded(model.encoder, places)
        mask = self._node("Cast", ["attention_mask"], "mask", to=TensorProto.INT32)
        for at, layer in enumerate(model.encoder.layers):
            x = self._layer(f"{at}", layer, x, mask)
        self._heads(model.heads, x)
        ints = ("input_ids", "attention_mask")
        inputs = [
            *(
                helper.make_tensor_value_info(n, TensorProto.INT64, ["batch", "tokens"])
                for n in ints
            ),
            *(
                helper.make_tensor_value_info(n, TensorProto.FLOAT, ["batch", "tokens"])
                for n in ("query", "body")
            ),
            helper.make_tensor_value_info(
                "spans", TensorProto.FLOAT, ["batch", "sentences", "tokens"]
            ),
        ]
        outputs = [
            helper.make_tensor_value_info("passage", TensorProto.FLOAT, ["batch"]),
            helper.make_tensor_value_info("sentence", TensorProto.FLOAT, ["batch", "sentences"]),
            helper.make_tensor_value_info("support", TensorProto.FLOAT, ["batch"]),
        ]
        return self._model("joint", inputs, outputs)

    def _heads(self, heads: Heads, x: str) -> None:
        n, c = self._node, self._constant
        axis1, last = c("axis1", np.array([1])), c("axis_last", np.array([-1]))
        tiny, far = c("tiny", np.float32(1e-12)), c("far", np.float32(-1e4))

        def mean(weights: str, name: str) -> str:
            row = n("Unsqueeze", [weights, axis1], f"{name}_row")
            return n("Squeeze", [n("MatMul", [row, x], f"{name}_added"), axis1], name)

        def unit(value: str, name: str) -> str:
            square = n("Mul", [value, value], f"{name}_square")
            total = n("ReduceSum", [square, last], f"{name}_total", keepdims=1)
            length = n("Sqrt", [n("Add", [total, tiny], f"{name}_safe")], f"{name}_length")
            return n("Div", [value, length], name)

        def absent(inside: str, name: str) -> str:
            """-10,000 where a weight is zero, else 0."""
            empty = n("Equal", [inside, c(f"{name}_zero", np.float32(0))], f"{name}_empty")
            real = n("Cast", [empty], f"{name}_real", to=TensorProto.FLOAT)
            return n("Mul", [real, far], name)

        def compared(a: str, b: str, name: str) -> list[str]:
            gap = n("Abs", [n("Sub", [a, b], f"{name}_gap")], f"{name}_abs")
            return [a, n("Mul", [a, b], f"{name}_product"), gap]

        def mlp(part: nn.Sequential, inputs: list[str], name: str) -> str:
            together = n("Concat", inputs, f"{name}_in", axis=-1)
            first, final = part[0], part[2]
            hidden = n(
                "Add",
                [
                    n(
                        "MatMul",
                        [together, self._stored(f"{name}_1", array(first.weight).T)],
                        f"{name}_h",
                    ),
                    c(f"{name}_b1", array(first.bias)),
                ],
                f"{name}_hb",
            )
            active = n("Gelu", [hidden], f"{name}_a", domain=FUSED)
            out = n("MatMul", [active, c(f"{name}_2", array(final.weight).T)], f"{name}_o")
            out = n("Add", [out, c(f"{name}_b2", array(final.bias))], f"{name}_ob")
            return n("Squeeze", [out, last], f"{name}_logit")

        def dot(a: str, b: str, name: str) -> str:
            return n("ReduceSum", [n("Mul", [a, b], f"{name}_m"), last], name, keepdims=0)

        def weighed(parts: list[tuple[str, float]], offset: float, name: str) -> str:
            total = c(f"{name}_offset", np.float32(offset))
            for at, (value, weight) in enumerate(parts):
                scaled = n(
                    "Mul",
                    [value, c(f"{name}_w{at}", np.float32(weight))],
                    f"{name}_t{at}",
                )
                total = n("Add", [total, scaled], f"{name}_s{at}")
            return total

        q, whole = mean("query", "q"), mean("body", "whole")
        s = n("MatMul", ["spans", x], "s")
        missing = absent(n("ReduceSum", ["spans", last], "span_sum", keepdims=0), "missing")
        q_unit, s_unit = unit(q, "q_unit"), unit(s, "s_unit")
        q_row = n("Unsqueeze", [q_unit, axis1], "q_row_unit")
        cosine = dot(s_unit, q_row, "cosine")
        wide = n(
            "Add",
            [
                n("Mul", [s, c("nothing", np.float32(0))], "s_nothing"),
                n("Unsqueeze", [q, axis1], "q_wide"),
            ],
            "wide",
        )
        offsets = array(heads.offsets)
        sentence = weighed(
            [
                (mlp(heads.sentence, compared(s, wide, "sq"), "sentence_mlp"), 1.0),
                (cosine, float(heads.sentence_scale)),
            ],
            offsets[0],
            "sentence_sum",
        )
        n("Identity", [sentence], "sentence")
        start, end = (
            c("query_start", np.array([0])),
            c("query_end", np.array([QUERY_TOKENS + 1])),
        )
        asked = n("Slice", ["query", start, end, axis1], "asked")
        tokens = n("Slice", [x, start, end, axis1], "query_tokens")
        unit_x = n("Transpose", [unit(x, "x_unit")], "x_unit_t", perm=[0, 2, 1])
        likeness = n("MatMul", [unit(tokens, "t_unit"), unit_x], "likeness")
        sharp = n("Mul", [likeness, c("twenty", np.float32(20))], "sharp")
        outside = n("Unsqueeze", [absent("body", "outside"), axis1], "outside_row")
        attention = n("Softmax", [n("Add", [sharp, outside], "aligned_in")], "aligned", axis=-1)
        found = n("MatMul", [attention, x], "aligned_states")
        token = mlp(heads.token, compared(tokens, found, "tok"), "token_mlp")
        mean_token = dot(token, asked, "token_mean")
        unasked = absent("asked", "unasked")
        worst = n(
            "ReduceMin",
            [n("Sub", [token, unasked], "token_high")],
            "token_worst",
            axes=[-1],
            keepdims=0,
        )

        masked = n("Add", [sentence, missing], "sentence_masked")
        chosen = n(
            "Unsqueeze",
            [n("Softmax", [masked], "chosen", axis=-1), axis1],
            "chosen_row",
        )
        answer = n("Squeeze", [n("MatMul", [chosen, s], "answer_row"), axis1], "answer")
        strongest = n("ReduceLogSumExp", [masked], "strongest", axes=[-1], keepdims=0)
        first = n(
            "Squeeze",
            [
                n("Slice", [x, start, c("first_end", np.array([1])), axis1], "cls_row"),
                axis1,
            ],
            "cls",
        )
        w = array(heads.passage_terms)
        passage = weighed(
            [
                (
                    mlp(
                        heads.passage,
                        [*compared(answer, q, "aq"), *compared(whole, q, "wq"), first],
                        "passage_mlp",
                    ),
                    1.0,
                ),
                (dot(q_unit, unit(whole, "whole_unit"), "whole_cosine"), w[0]),
                (strongest, w[1]),
                (mean_token, w[2]),
                (worst, w[3]),
            ],
            offsets[1],
            "passage_sum",
        )
        n("Identity", [passage], "passage")
        near = weighed([(cosine, float(heads.sharpness)), (missing, 1.0)], 0.0, "near_sum")
        near_row = n("Unsqueeze", [n("Softmax", [near], "near", axis=-1), axis1], "near_row")
        nearest = n("Squeeze", [n("MatMul", [near_row, s], "nearest_row"), axis1], "nearest")
        w = array(heads.support_terms)
        support = weighed(
            [
                (
                    mlp(
                        heads.support,
                        [*compared(nearest, q, "nq"), *compared(whole, q, "wq2")],
                        "support_mlp",
                    ),
                    1.0,
                ),
                (dot(q_unit, unit(nearest, "nearest_unit"), "nearest_cosine"), w[0]),
                (n("ReduceMax", [cosine], "cosine_max", axes=[-1], keepdims=0), w[1]),
                (mean_token, w[2]),
                (worst, w[3]),
            ],
            offsets[2],
            "support_sum",
        )
        n("Identity", [support], "support")

    def _stored(self, name: str, weight: np.ndarray) -> str:
        """Stores a weight in 8 bits with one scale a column; it runs in single precision."""
        scales = np.maximum(np.abs(weight).max(0) / 127, 1e-12).astype(np.float32)
        table = self._constant(f"{name}_table", np.round(weight / scales).astype(np.int8))
        return self._node(
            "DequantizeLinear",
            [
                table,
                self._constant(f"{name}_scales", scales),
                self._constant(f"{name}_zeros", np.zeros(len(scales), np.int8)),
            ],
            f"{name}_weight",
            axis=1,
        )


def share_words(model: onnx.ModelProto, folder: Path) -> None:
    """Moves the table of word vectors out of a model into the file that both refer to."""
    content, at = b"", 0
    for tensor in model.graph.initializer:
        if tensor.name not in SHARED:
            continue
        raw = numpy_helper.to_array(tensor).tobytes()
        set_external_data(tensor, WORDS_FILE, offset=at, length=len(raw))
        tensor.ClearField("raw_data")
        content += raw
        at += len(raw)
    file = folder / WORDS_FILE
    if file.exists() and file.read_bytes() != content:
        raise ValueError("the joint reader's word vectors differ from the encoder's")
    file.write_bytes(content)


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="the folder of the labeled sets")
    parser.add_argument("--joint", type=Path, required=True, help="weights that joint.py made")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--name", default="all-MiniLM-L6-v2-int8")
    parser.add_argument("--version", default="2")
    parser.add_argument("--joint-version", default="1")
    options = parser.parse_args()
    out: Path = options.out
    out.mkdir(parents=True, exist_ok=True)
    (out / WORDS_FILE).unlink(missing_ok=True)
    encoder = load_encoder()
    written = GraphWriter(inputs_of_layers(encoder, calibration_texts(options.data))).write(encoder)
    share_words(written, out)
    onnx.save(written, out / "model.onnx")

    model = load_joint(options.joint)
    layout = Layout(load_tokenizer())
    rows = [
        layout.of(r.query, r.above, r.sentences) for r in calibration_readings(options.data, 120)
    ]
    seen = inputs_of_joint_layers(model, [collate([row]) for row in rows])
    places = QUERY_TOKENS + ABOVE_TOKENS + READ_TOKENS + 8
    joint = JointWriter(seen).write_joint(model, places)
    share_words(joint, out)
    onnx.save(joint, out / "joint.onnx")
    write_tokenizer(out / "tokenizer.json")
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
        "sha256": digest(out / "model.onnx"),
        "words": {"file": WORDS_FILE, "sha256": digest(out / WORDS_FILE)},
        "joint": {
            "version": options.joint_version,
            "sha256": digest(out / "joint.onnx"),
            "queryTokens": QUERY_TOKENS,
            "aboveTokens": ABOVE_TOKENS,
            "passageTokens": READ_TOKENS,
            "sentenceTokens": SENTENCE_TOKENS,
        },
    }
    (out / "config.json").write_text(json.dumps(described, indent=2) + "\n")
    for file in sorted(out.iterdir()):
        print(f"{file.name}: {file.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
