"""Finds the passages that search ranks high for each question of `docs/` and that are not its own.

    python neighbors.py --data DATA --model ../models/reader/model.onnx --out build/neighbors.json

Cosine of the encoder and BM25 within the question's source, fused by rank; the first six are kept.
"""

from __future__ import annotations

import argparse
import json
import math
import re
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from data import read_jsonl
from encoder import load_tokenizer
from joint_data import FREE_SOURCES, headed

KEPT = 6
RANK_OFFSET = 20
TOKENS = 160


def vectors_of(
    session: onnxruntime.InferenceSession, tokenizer: Tokenizer, texts: list[str]
) -> np.ndarray:
    """[texts, 384], of length one."""
    ids = [e.ids[:TOKENS] for e in tokenizer.encode_batch(texts)]
    order = sorted(range(len(ids)), key=lambda at: len(ids[at]))
    found = np.zeros((len(ids), 384), np.float32)
    for start in range(0, len(order), 64):
        rows = order[start : start + 64]
        width = max(len(ids[r]) for r in rows)
        batch = np.zeros((len(rows), width), np.int64)
        mask = np.zeros_like(batch)
        for at, row in enumerate(rows):
            batch[at, : len(ids[row])] = ids[row]
            mask[at, : len(ids[row])] = 1
        found[rows] = session.run(None, {"input_ids": batch, "attention_mask": mask})[0]
    return found


class WordSearch:
    """BM25 (k1 1.2, b .75) over lower-cased words."""

    def __init__(self, texts: list[str]) -> None:
        counts = [Counter(re.findall(r"\w+", t.lower())) for t in texts]
        lengths = np.array([sum(c.values()) for c in counts], np.float32)
        norm = 1.2 * (0.25 + 0.75 * lengths / lengths.mean())
        self.size = len(texts)
        self.weights: dict[str, list[tuple[int, float]]] = defaultdict(list)
        for at, count in enumerate(counts):
            for word, times in count.items():
                self.weights[word].append((at, times * 2.2 / (times + norm[at])))

    def scores(self, question: str) -> np.ndarray:
        total = np.zeros(self.size, np.float32)
        for word in set(re.findall(r"\w+", question.lower())):
            held = self.weights.get(word, [])
            rarity = math.log(1 + (self.size - len(held) + 0.5) / (len(held) + 0.5))
            for at, weight in held:
                total[at] += rarity * weight
        return total


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True, help="the exported encoder")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    session = onnxruntime.InferenceSession(str(options.model))
    tokenizer = load_tokenizer()
    tokenizer.no_padding()
    tokenizer.no_truncation()
    folder = options.data / "docs"
    passages, questions = defaultdict(list), defaultdict(list)
    for passage in read_jsonl(folder / "passages.jsonl"):
        passages[passage["source"]].append(passage)
    for question in read_jsonl(folder / "questions.jsonl"):
        questions[question["source"]].append(question)
    found: dict[str, list[str]] = {}
    for source in FREE_SOURCES:
        texts = [f"{headed(p['title'], p['heading'])}. {p['text']}" for p in passages[source]]
        keys = [p["id"] for p in passages[source]]
        words = WordSearch(texts)
        of_passages = vectors_of(session, tokenizer, texts)
        asked = vectors_of(session, tokenizer, [q["question"] for q in questions[source]])
        for question, vector in zip(questions[source], asked):
            fused = np.zeros(len(keys), np.float32)
            for scores, share in (
                (of_passages @ vector, 2),
                (words.scores(question["question"]), 1),
            ):
                first = np.argsort(-scores)[:60]
                fused[first] += share / (RANK_OFFSET + np.arange(len(first)))
            best = [keys[at] for at in np.argsort(-fused)[: KEPT + 1]]
            found[question["id"]] = [k for k in best if k != question["passage"]][:KEPT]
        print(
            f"{source}: {len(keys)} passages, {len(questions[source])} questions",
            flush=True,
        )
    options.out.write_text(json.dumps(found))


if __name__ == "__main__":
    main()
