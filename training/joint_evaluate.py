"""Measures a joint reader on sources and families that were in no training.

    python joint_evaluate.py --data DATA --model build/joint/joint.safetensors
    python joint_evaluate.py --data DATA --model ../models/reader/joint.onnx --questions 400

Beside each figure of the joint reader stands that of the shipped encoder's cosine alone, on the same
items. With a foreign passage beside them near misses and false claims must not be told from true
ones (.5): otherwise the style of their writer was learnt.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch

from data import read_jsonl
from joint import Layout, collate, load_joint
from joint_data import (
    LEFT_OUT_SOURCES,
    Docs,
    Group,
    Reading,
    split_sentences,
)
from encoder import encode, load_encoder, load_tokenizer
from measures import auc

Scores = tuple[np.ndarray, list[np.ndarray], np.ndarray]
Scorer = Callable[[Sequence[Reading]], Scores]


def torch_scorer(path: Path, batch: int = 32) -> Scorer:
    model = load_joint(path)

    @torch.inference_mode()
    def run(arrays: dict[str, torch.Tensor]) -> list[np.ndarray]:
        from joint import Batch

        with torch.autocast("cpu", torch.bfloat16, enabled=True):
            return [part.float().numpy() for part in model(Batch(**arrays))]

    return batched(run, batch)


def onnx_scorer(path: Path, batch: int = 16) -> Scorer:
    import onnxruntime

    session = onnxruntime.InferenceSession(str(path))

    def run(arrays: dict[str, torch.Tensor]) -> list[np.ndarray]:
        named = {i.name for i in session.get_inputs()}
        feeds = {k: v.numpy() for k, v in arrays.items()}
        feeds |= {
            "input_ids": feeds.pop("ids"),
            "attention_mask": feeds.pop("mask").astype(np.int64),
        }
        return session.run(
            ["passage", "sentence", "support"], {k: v for k, v in feeds.items() if k in named}
        )

    return batched(run, batch)


def batched(run: Callable[[dict[str, torch.Tensor]], list[np.ndarray]], batch: int) -> Scorer:
    layout = Layout(load_tokenizer())

    def score(readings: Sequence[Reading]) -> Scores:
        rows = [layout.of(r.query, r.above, r.sentences) for r in readings]
        order = sorted(range(len(rows)), key=lambda at: len(rows[at].ids))
        passage, support = np.zeros(len(rows)), np.zeros(len(rows))
        sentence: list[np.ndarray] = [np.zeros(0)] * len(rows)
        for start in range(0, len(order), batch):
            chosen = order[start : start + batch]
            p, s, c = run(vars(collate([rows[at] for at in chosen])))
            for row, at in enumerate(chosen):
                passage[at], support[at] = p[row], c[row]
                sentence[at] = s[row, : len(rows[at].sentences)]
        return passage, sentence, support

    return score


class Cosines:
    """Cosines of queries with passages and sentences, each text encoded once."""

    def __init__(self) -> None:
        self.encoder = load_encoder()
        self.tokenizer = load_tokenizer()
        self.known: dict[str, np.ndarray] = {}

    def vectors(self, texts: Sequence[str]) -> np.ndarray:
        new = [t for t in dict.fromkeys(texts) if t not in self.known]
        if new:
            self.known |= dict(zip(new, encode(self.encoder, self.tokenizer, new)))
        return np.stack([self.known[t] for t in texts])

    def passages(self, readings: Sequence[Reading]) -> np.ndarray:
        texts = [". ".join(filter(None, (r.above, " ".join(r.sentences)))) for r in readings]
        return (self.vectors([r.query for r in readings]) * self.vectors(texts)).sum(1)


def sample(items: list, most: int, seed: int = 5) -> list:
    rng = np.random.default_rng(seed)
    return [items[int(at)] for at in sorted(rng.permutation(len(items))[:most])]


def contrast_rows(groups: Sequence[Group]) -> tuple[list[Reading], list[bool]]:
    readings = [r for g in groups for r in g.readings]
    return readings, [r.label > 0.5 for r in readings]


def ranks(pool: Sequence[dict], scores: dict[tuple[str, str], float]) -> dict[str, float]:
    """Shares of answerable questions with a full answer among the first k of the pool."""
    hits = {1: [], 3: [], 5: []}
    best, there = [], []
    for q in pool:
        order = sorted(q["pool"], key=lambda p: -scores[(q["question"], p)])
        full = {p for p, grade in q["answers"].items() if grade == 2}
        best.append(scores[(q["question"], order[0])])
        there.append(bool(full))
        if full:
            for k in hits:
                hits[k].append(any(p in full for p in order[:k]))
    named = {f"among {k}": float(np.mean(v)) for k, v in hits.items()}
    return named | {"there or not": auc(best, there), "n": len(there), "with": sum(there)}


def evidence_readings(path: Path, most: int) -> list[tuple[dict, list[Reading]]]:
    records = sample(list(read_jsonl(path)), most)
    return [
        (
            r,
            [
                Reading(r["question"], p["title"] or "", split_sentences(p["text"]) or ("",), 0.0)
                for p in r["passages"]
            ],
        )
        for r in records
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--sources", nargs="*", default=list(LEFT_OUT_SOURCES))
    parser.add_argument("--questions", type=int, default=300, help="items a measure")
    parser.add_argument("--families", nargs="*", default=["wikiqa-dev", "trecqa-dev", "rgb-refine"])
    parser.add_argument("--scores", type=Path, help="where to write the scores of the pools")
    args = parser.parse_args()
    score = (onnx_scorer if args.model.suffix == ".onnx" else torch_scorer)(args.model)
    cosines = Cosines()
    docs = Docs(args.data, args.sources)
    table: dict[str, object] = {}

    def row(
        name: str, joint: Sequence[float], cosine: Sequence[float], labels: Sequence[bool]
    ) -> None:
        table[name] = {
            "n": len(labels),
            "joint": round(auc(joint, labels), 3),
            "cosine": round(auc(cosine, labels), 3),
        }
        print(name, table[name], flush=True)

    pool = [q for q in read_jsonl(args.data / "docs" / "pool.jsonl") if q["source"] in args.sources]
    if pool:
        pairs = [(q, p) for q in pool for p in q["pool"]]
        readings = [docs.read(q["question"], p, 0.0) for q, p in pairs]
        joint, sentence, _ = score(readings)
        near = cosines.passages(readings)
        keys = [(q["question"], p) for q, p in pairs]
        labels = [q["answers"].get(p) == 2 for q, p in pairs]
        row("pool passages", joint, near, labels)
        best = [float(s.max()) if len(s) else -9.0 for s in sentence]
        for name, values in (
            ("pool: joint", joint),
            ("pool: cosine", near),
            ("pool: joint + .5 sentence + 6 cosine", joint + 0.5 * np.array(best) + 6 * near),
        ):
            table[name] = {k: round(v, 3) for k, v in ranks(pool, dict(zip(keys, values))).items()}
            print(name, table[name], flush=True)
        if args.scores:
            rows = [
                {
                    "question": q["question"],
                    "source": q["source"],
                    "passage": p,
                    "joint": float(j),
                    "sentence": float(s),
                    "cosine": float(c),
                    "grade": q["answers"].get(p, 0),
                }
                for (q, p), j, s, c in zip(pairs, joint, best, near)
            ]
            args.scores.write_text("".join(json.dumps(r) + "\n" for r in rows))

    asked = sample(
        [q for q in docs.questions if q["answerable"] and q["sentences"]], args.questions
    )
    readings = [docs.read(q["question"], q["passage"], 1.0, q["sentences"]) for q in asked]
    _, sentence, _ = score(readings)
    hits, plain = [], []
    for r, s in zip(readings, sentence):
        hits.append(len(s) > 0 and int(s.argmax()) in (r.answers or ()))
        v = cosines.vectors(r.sentences) @ cosines.vectors([r.query])[0]
        plain.append(int(v.argmax()) in (r.answers or ()))
    table["sentence chosen"] = {
        "n": len(hits),
        "joint": round(float(np.mean(hits)), 3),
        "cosine": round(float(np.mean(plain)), 3),
    }
    print("sentence chosen", table["sentence chosen"], flush=True)

    near_misses = sample([q for q in docs.questions if not q["answerable"]], args.questions)
    answered = sample(
        [q for q in docs.questions if q["answerable"] and q["words"] == "user"], args.questions
    )
    both = near_misses + answered
    labels = [False] * len(near_misses) + [True] * len(answered)
    own = [docs.read(q["question"], q["passage"], 0.0) for q in both]
    row("answerable against near miss", score(own)[0], cosines.passages(own), labels)
    ids = list(docs.documents)
    rng = np.random.default_rng(3)
    foreign = [docs.read(q["question"], ids[int(rng.integers(len(ids)))], 0.0) for q in both]
    row("– with a foreign passage (.5)", score(foreign)[0], cosines.passages(foreign), labels)

    readings, labels = contrast_rows(sample(docs.near_miss_groups(), args.questions))
    row("answer put in", score(readings)[0], cosines.passages(readings), labels)
    groups = sample(docs.claim_groups(), args.questions)
    readings, labels = contrast_rows(groups)
    support = score(readings)[2]
    row("claims, contrasts", support, cosines.passages(readings), labels)
    right = [
        support[2 * at] > support[2 * at + 1]
        for at, g in enumerate(groups)
        if g.readings[0].label > 0.5
    ]
    wrong = [
        support[2 * at] < support[2 * at + 1]
        for at, g in enumerate(groups)
        if g.readings[0].label <= 0.5
    ]
    table["claims, right order"] = {
        "made false": round(float(np.mean(right)), 3),
        "made true": round(float(np.mean(wrong)), 3),
    }
    print("claims, right order", table["claims, right order"], flush=True)
    claims = sample(docs.claims, args.questions)
    readings = [docs.read(c["claim"], c["passage"], 0.0) for c in claims]
    row(
        "claims, own passage",
        score(readings)[2],
        cosines.passages(readings),
        [c["supported"] for c in claims],
    )
    foreign = [docs.read(c["claim"], ids[int(rng.integers(len(ids)))], 0.0) for c in claims]
    row(
        "– with a foreign passage (.5)",
        score(foreign)[2],
        cosines.passages(foreign),
        [c["supported"] for c in claims],
    )

    for family in args.families:
        records = evidence_readings(args.data / "evidence" / f"{family}.jsonl", args.questions)
        flat = [r for _, part in records for r in part]
        joint, sentence, _ = score(flat)
        near = cosines.passages(flat)
        at, sets = 0, []
        for record, part in records:
            span = slice(at, at + len(part))
            sets.append((joint[span].max(), near[span].max(), record["answerable"]))
            at += len(part)
        if len({s[2] for s in sets}) == 2:
            row(f"{family} set", [s[0] for s in sets], [s[1] for s in sets], [s[2] for s in sets])
        labeled = [p["relevant"] for record, _ in records for p in record["passages"]]
        if all(label is not None for label in labeled):
            row(f"{family} passage", joint, near, labeled)
    print(json.dumps(table))


if __name__ == "__main__":
    main()
