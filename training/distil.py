"""Trains an encoder of fewer layers to give the vectors of the base.

    OMP_WAIT_POLICY=PASSIVE python distil.py --data DATA --model ../models/reader/model.onnx \\
        --out build/student --minutes 60

The student takes word, position and segment vectors and some layers of the base (`--layers 0 4 5`);
the vectors stay as they are. Loss: 1 - cosine of the pooled vectors, and the mean squared difference
of the last layer's token vectors, in units of their variance. Texts: passages, headings, sentences
and questions of the sources and families whose licences allow it, in an order that the seed decides.
`--start` goes on from other weights. Measured on the six sources that are in no training: cosine
with the base, and at the end how often a passage that answers fully is among the first five and
twenty of a source's, by cosine alone and with words (rank fusion, as `neighbors.py`).
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from onnxruntime import InferenceSession
from safetensors.torch import load_file
from torch import Tensor
from torch.nn import functional as F

from data import read_jsonl
from encoder import Encoder, encode, load_encoder, load_tokenizer, pad, save_encoder, token_ids
from joint_data import FREE_SOURCES, LEFT_OUT_SOURCES, headed, split_sentences
from neighbors import RANK_OFFSET, TOKENS, WordSearch, vectors_of

BATCH_TOKENS = 4096
WARM_UP = 50


def texts_of(data: Path) -> list[str]:
    """Returns each text once: documentation, and questions and passages of two families."""
    found: list[str] = []
    for p in read_jsonl(data / "docs" / "passages.jsonl"):
        if p["source"] not in FREE_SOURCES:
            continue
        above = headed(p["title"], p["heading"])
        found += [f"{above}. {p['text']}", above, *split_sentences(p["text"])]
    for q in read_jsonl(data / "docs" / "questions.jsonl"):
        if q["source"] in FREE_SOURCES:
            found.append(q["question"])
    for family in ("squad2", "nq"):
        folder = data / "qa" / family
        for path in sorted(folder.glob("*.jsonl")):
            for row in read_jsonl(path):
                found += [row[key] for key in ("question", "text") if isinstance(row.get(key), str)]
    return list(dict.fromkeys(text for text in found if text.strip()))


def student_of(kept: list[int]) -> Encoder:
    """Returns an encoder of the base's vectors and the layers named."""
    student = load_encoder()
    student.layers = torch.nn.ModuleList(student.layers[at] for at in kept)
    for part in (student.words, student.positions, student.segments, student.norm):
        part.requires_grad_(False)
    return student


def pooled(states: Tensor, mask: Tensor) -> Tensor:
    return F.normalize((states * mask[:, :, None]).sum(1), dim=-1)


def batches(texts: list[str], rng: np.random.Generator) -> Iterator[tuple[Tensor, Tensor, int]]:
    """Yields texts of like length, so many that their tokens fill a batch."""
    tokenizer = load_tokenizer()
    order = rng.permutation(len(texts))
    for start in range(0, len(order), 2048):
        rows = [token_ids(tokenizer, texts[at]) for at in order[start : start + 2048]]
        rows.sort(key=len)
        groups, group = [], []
        for row in rows:
            if group and len(row) * (len(group) + 1) > BATCH_TOKENS:
                groups.append(group)
                group = []
            group.append(row)
        groups.append(group)
        for at in rng.permutation(len(groups)):
            ids, mask = pad(groups[at])
            yield torch.from_numpy(ids), torch.from_numpy(mask).float(), len(groups[at])


class Search:
    """The judged questions over all passages of the sources that are in no training."""

    def __init__(self, data: Path, base: InferenceSession) -> None:
        self.tokenizer = load_tokenizer()
        self.sources = []
        pool = [q for q in read_jsonl(data / "docs" / "pool.jsonl") if q["kind"] == "q"]
        passages = list(read_jsonl(data / "docs" / "passages.jsonl"))
        for source in LEFT_OUT_SOURCES:
            own = [p for p in passages if p["source"] == source]
            texts = [f"{headed(p['title'], p['heading'])}. {p['text']}" for p in own]
            asked = [q for q in pool if q["source"] == source and 2 in q["answers"].values()]
            if not asked:
                continue
            place = {p["id"]: at for at, p in enumerate(own)}
            full = [{place[k] for k, v in q["answers"].items() if v == 2} for q in asked]
            words = WordSearch(texts)
            questions = [q["question"] for q in asked]
            by_words = [np.argsort(-words.scores(q))[:60] for q in questions]
            both = [vectors_of(base, self.tokenizer, part) for part in (texts, questions)]
            self.sources.append((texts, questions, full, by_words, both))

    def nearness(self, encoder: Encoder, most: int = 40) -> float:
        """Mean cosine with the base, of some passages of each source."""
        return float(
            np.mean(
                [
                    (encode(encoder, self.tokenizer, texts[:most], TOKENS) * both[0][:most]).sum(1)
                    for texts, _, _, _, both in self.sources
                    if len(texts) >= most
                ]
            )
        )

    def measure(self, encoder: Encoder | None) -> dict[str, float]:
        """Measures an encoder; without one, the base."""
        hits: dict[str, list[float]] = {}
        for texts, questions, full, by_words, of_base in self.sources:
            of_texts, of_questions = (
                of_base
                if encoder is None
                else [encode(encoder, self.tokenizer, part, TOKENS) for part in (texts, questions)]
            )
            hits.setdefault("cosine_passages", []).extend((of_texts * of_base[0]).sum(1))
            hits.setdefault("cosine_questions", []).extend((of_questions * of_base[1]).sum(1))
            for vector, held, words in zip(of_questions, full, by_words):
                by_cosine = np.argsort(-(of_texts @ vector))[:60]
                fused = np.zeros(len(texts), np.float32)
                fused[by_cosine] += 2 / (RANK_OFFSET + np.arange(len(by_cosine)))
                fused[words] += 1 / (RANK_OFFSET + np.arange(len(words)))
                for name, ranked in (("cosine", by_cosine), ("fused", np.argsort(-fused))):
                    for most in (5, 20):
                        found = bool(held & set(ranked[:most].tolist()))
                        hits.setdefault(f"{name}_among_{most}", []).append(float(found))
        return {name: round(float(np.mean(values)), 4) for name, values in hits.items()}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True, help="the exported base")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--layers", type=int, nargs="+", default=[0, 4, 5])
    parser.add_argument("--start", type=Path, help="weights to go on from")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--rate", type=float, default=5e-4)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    options.out.mkdir(parents=True, exist_ok=True)
    base = load_encoder().requires_grad_(False)
    student = student_of(options.layers)
    if options.start is not None:
        student.load_state_dict(load_file(options.start))
    search = Search(options.data, InferenceSession(str(options.model)))
    log = (options.out / "log.jsonl").open("a")

    def note(**figures: object) -> None:
        print(json.dumps(figures), file=log, flush=True)

    note(texts=0, base=search.measure(None))
    trained = [p for p in student.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=options.rate, weight_decay=0.01)
    started, seen, step, due, losses = time.monotonic(), 0, 0, 4096, []
    done = 0.0
    texts = texts_of(options.data)
    note(all_texts=len(texts))
    while done < 1:
        for ids, mask, size in batches(texts, np.random.default_rng(options.seed + seen)):
            done = (time.monotonic() - started) / 60 / options.minutes
            for group in optimizer.param_groups:
                group["lr"] = options.rate * min(1, (step + 1) / WARM_UP) * max(0.0, 1 - done)
            with torch.no_grad():
                wanted = base.states(ids, mask)
            given = student.states(ids, mask)
            far = 1 - (pooled(given, mask) * pooled(wanted, mask)).sum(-1).mean()
            apart = ((given - wanted).square().mean(-1) * mask).sum() / mask.sum()
            loss = 10 * far + apart / wanted.var()
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(trained, 1.0)
            optimizer.step()
            losses.append((far.item(), (apart / wanted.var()).item()))
            seen, step = seen + size, step + 1
            if step % 50 == 0:
                means = np.mean(losses[-50:], axis=0).round(4).tolist()
                note(texts=seen, step=step, minutes=round(done * options.minutes, 1), loss=means)
            if seen >= due:
                due *= 2
                note(texts=seen, cosine=round(search.nearness(student), 4))
                save_encoder(student, options.out / "student.safetensors")
            if done >= 1:
                break
    save_encoder(student, options.out / "student.safetensors")
    note(texts=seen, student=search.measure(student))


if __name__ == "__main__":
    main()
