"""Trains the joint reader: one pass over question and passage together, with three heads.

    python joint.py --data DATA --out build/joint --minutes 90
    python joint.py --data DATA --out build/joint --start build/start.safetensors
    python joint.py --data DATA --out build/fold --hold-out react rust-book

The heads say whether the passage answers the question, whether a sentence is (part of) the answer,
and whether a claim is supported. Each begins at the cosine of what it compares and only adds to it.
Run it again after an interruption and it goes on from its last checkpoint; the batches depend on the
seed and the step alone. The rate falls to zero at the last step, or when the minutes are over.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional as F

from encoder import Encoder, Layer, load_encoder, load_tokenizer
from joint_data import FREE_SOURCES, Group, training_groups

QUERY_TOKENS = 40
ABOVE_TOKENS = 24
PASSAGE_TOKENS = 224
SENTENCE_TOKENS = 90
HIDDEN = 256


@dataclass
class Recipe:
    rate: float = 2e-4
    head_rate: float = 1e-3
    warm_up: int = 60
    frozen: int = 2
    # Sequences of a batch, in whole groups of like length.
    batch: int = 24
    pairwise: float = 0.5
    # What foreign passages weigh: their logits are drawn to -5, whatever the style of the query.
    alike: float = 0.05
    average: float = 0.998
    seed: int = 11


def mlp(width: int) -> nn.Sequential:
    """Returns one hidden layer whose output begins at zero."""
    last = nn.Linear(HIDDEN, 1)
    nn.init.zeros_(last.weight)
    nn.init.zeros_(last.bias)
    return nn.Sequential(nn.Linear(width, HIDDEN), nn.GELU(), last)


def compared(a: Tensor, b: Tensor) -> Tensor:
    return torch.cat([a, a * b, (a - b).abs()], -1)


class Heads(nn.Module):
    """What is read off the joint states of a question or claim and a passage."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.sentence = mlp(3 * width)
        self.passage = mlp(7 * width)
        self.support = mlp(6 * width)
        self.token = mlp(3 * width)
        # Weights of: the cosine, the strongest sentence, the mean and the worst aligned token.
        self.passage_terms = nn.Parameter(torch.tensor([6.0, 0.0, 0.0, 0.0]))
        self.support_terms = nn.Parameter(torch.tensor([6.0, 0.0, 0.0, 0.0]))
        self.sentence_scale = nn.Parameter(torch.tensor(6.0))
        self.offsets = nn.Parameter(torch.tensor([-3.0, -3.0, -3.0]))
        self.sharpness = nn.Parameter(torch.tensor(12.0))

    def forward(
        self, states: Tensor, query: Tensor, spans: Tensor, body: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Returns logits: passage [b], sentences [b, s], support [b].

        query, body [b, t] and spans [b, s, t] are means: weights that sum to one, or to zero for
        a sentence that is not there; body covers title and sentences.
        """
        missing = (spans.sum(-1) == 0).float() * -1e4
        q = (query[:, None, :] @ states)[:, 0]
        s = spans @ states
        cosine = F.cosine_similarity(q[:, None, :], s, dim=-1, eps=1e-6)
        wide = q[:, None, :].expand_as(s)
        sentence = (
            self.sentence(compared(s, wide))[..., 0]
            + self.sentence_scale * cosine
            + self.offsets[0]
        )
        # Each token of the query beside what it is aligned with in the passage.
        asked = query[:, : QUERY_TOKENS + 1]
        tokens = states[:, : QUERY_TOKENS + 1]
        likeness = F.normalize(tokens, dim=-1) @ F.normalize(states, dim=-1).transpose(1, 2)
        inside = (body > 0).float()
        attention = (20 * likeness + (1 - inside)[:, None, :] * -1e4).softmax(-1)
        token = self.token(compared(tokens, attention @ states))[..., 0]
        mean = (token * asked).sum(-1)
        worst = (token + (asked == 0).float() * 1e4).amin(-1)

        chosen = (sentence + missing).softmax(-1)
        answer = (chosen[:, None, :] @ s)[:, 0]
        whole = (body[:, None, :] @ states)[:, 0]
        terms = torch.stack(
            [
                F.cosine_similarity(q, whole, dim=-1, eps=1e-6),
                (sentence + missing).logsumexp(-1),
                mean,
                worst,
            ],
            -1,
        )
        passage = (
            self.passage(torch.cat([compared(answer, q), compared(whole, q), states[:, 0]], -1))[
                ..., 0
            ]
            + (terms * self.passage_terms).sum(-1)
            + self.offsets[1]
        )
        near = (self.sharpness * cosine + missing).softmax(-1)
        found = (near[:, None, :] @ s)[:, 0]
        claim_terms = torch.stack(
            [
                F.cosine_similarity(q, found, dim=-1, eps=1e-6),
                cosine.amax(-1),
                mean,
                worst,
            ],
            -1,
        )
        support = (
            self.support(torch.cat([compared(found, q), compared(whole, q)], -1))[..., 0]
            + (claim_terms * self.support_terms).sum(-1)
            + self.offsets[2]
        )
        return passage, sentence, support


def run_layer(layer: Layer, x: Tensor, mask: Tensor) -> Tensor:
    """The layer of `encoder.py` without dropout, its three projections in one product."""
    parts = (layer.query, layer.key, layer.value)
    together = F.linear(x, torch.cat([p.weight for p in parts]), torch.cat([p.bias for p in parts]))
    q, k, v = (layer._split(part) for part in together.chunk(3, -1))
    weights = (q * q.shape[-1] ** -0.5) @ k.transpose(-1, -2) + mask.to(q.dtype)
    mixed = weights.softmax(-1).to(v.dtype) @ v
    x = layer.attended_norm(x + layer.attended(mixed.transpose(1, 2).reshape(x.shape)))
    return layer.outer_norm(x + layer.outer(F.gelu(layer.inner(x))))


class JointReader(nn.Module):
    def __init__(self, encoder: Encoder, frozen: int) -> None:
        super().__init__()
        self.encoder = encoder
        self.frozen = frozen
        self.heads = Heads(encoder.words.embedding_dim)

    def forward(self, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
        e = self.encoder
        keep = (1 - batch.mask)[:, None, None, :] * -1e4
        with torch.no_grad():
            places = torch.arange(batch.ids.shape[1], device=batch.ids.device)
            x = e.norm(e.words(batch.ids) + e.positions(places) + e.segments.weight[0])
            for layer in e.layers[: self.frozen]:
                x = run_layer(layer, x, keep)
        for layer in e.layers[self.frozen :]:
            x = run_layer(layer, x, keep)
        with torch.autocast(x.device.type, enabled=False):
            return self.heads(x.float(), batch.query, batch.spans, batch.body)


@dataclass
class Batch:
    ids: Tensor
    mask: Tensor
    query: Tensor
    spans: Tensor
    body: Tensor


@dataclass(frozen=True)
class Laid:
    """Ids of one reading, and where query, body and sentences stand in it."""

    ids: list[int]
    query: tuple[int, int]
    body: tuple[int, int]
    sentences: list[tuple[int, int]]


class Layout:
    """[CLS] query [SEP] title, headings [SEP] sentence [SEP] sentence ... [SEP]"""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self.tokenizer = tokenizer
        self.cls = tokenizer.token_to_id("[CLS]")
        self.sep = tokenizer.token_to_id("[SEP]")
        self.known: dict[str, list[int]] = {}

    def words(self, text: str, limit: int) -> list[int]:
        if text not in self.known:
            ids = self.tokenizer.encode(text, add_special_tokens=False).ids
            self.known[text] = ids[: max(limit, SENTENCE_TOKENS)]
        return self.known[text][:limit]

    def of(self, query: str, above: str, sentences: Sequence[str]) -> Laid:
        ids = [self.cls, *self.words(query, QUERY_TOKENS)]
        asked = (1, len(ids))
        ids.append(self.sep)
        start = len(ids)
        ids += self.words(above, ABOVE_TOKENS)
        ids.append(self.sep)
        first = len(ids)
        places = []
        for sentence in sentences:
            left = PASSAGE_TOKENS - (len(ids) - first)
            if left < 4:
                break
            at = len(ids)
            ids += self.words(sentence, min(SENTENCE_TOKENS, left))
            places.append((at, max(len(ids), at + 1)))
            ids.append(self.sep)
        return Laid(ids, asked, (start, len(ids)), places)


def collate(rows: Sequence[Laid]) -> Batch:
    width = max(len(r.ids) for r in rows)
    most = max(1, max(len(r.sentences) for r in rows))
    ids = torch.zeros(len(rows), width, dtype=torch.long)
    mask, query, body = (torch.zeros(len(rows), width) for _ in range(3))
    spans = torch.zeros(len(rows), most, width)
    for at, row in enumerate(rows):
        ids[at, : len(row.ids)] = torch.tensor(row.ids)
        mask[at, : len(row.ids)] = 1
        query[at, row.query[0] : row.query[1]] = 1 / max(1, row.query[1] - row.query[0])
        body[at, row.body[0] : row.body[1]] = 1 / (row.body[1] - row.body[0])
        for s, (start, end) in enumerate(row.sentences):
            spans[at, s, start:end] = 1 / (end - start)
    return Batch(ids, mask, query, spans, body)


def loss_of(
    groups: Sequence[Group],
    rows: Sequence[Laid],
    logits: tuple[Tensor, Tensor, Tensor],
    recipe: Recipe,
) -> Tensor:
    passage, sentence, support = logits
    total = passage.sum() * 0
    at = 0
    for group in groups:
        scores = (passage if group.kind == "question" else support)[at : at + len(group.readings)]
        if group.alike:
            total = total + recipe.alike * ((scores + 5) ** 2).sum()
            at += len(group.readings)
            continue
        labels = torch.tensor([r.label for r in group.readings], device=scores.device)
        total = total + F.binary_cross_entropy_with_logits(scores, labels, reduction="sum")
        high, low = scores[labels > 0.5], scores[labels <= 0.5]
        if len(high) and len(low):
            total = total + recipe.pairwise * F.softplus(low[None, :] - high[:, None]).sum()
        if group.kind == "question":
            for offset, reading in enumerate(group.readings):
                own = sentence[at + offset, : len(rows[at + offset].sentences)]
                if reading.answers is None or len(own) == 0:
                    continue
                target = torch.zeros_like(own)
                inside = [a for a in reading.answers if a < len(own)]
                target[inside] = 1.0
                total = total + 0.3 * F.binary_cross_entropy_with_logits(own, target)
                if inside:
                    total = total - 0.7 * own.log_softmax(0)[inside].logsumexp(0)
        at += len(group.readings)
    return total / at


def batches(groups: Sequence[Group], layout: Layout, recipe: Recipe, seed: int):
    """Yields batches of whole groups of like length, in an order of their own."""
    rng = np.random.default_rng(seed)
    size = recipe.batch * 40
    pool: list[tuple[Group, list[Laid]]] = []
    count = 0
    for number, group in enumerate(groups):
        rows = [layout.of(r.query, r.above, r.sentences) for r in group.readings]
        pool.append((group, rows))
        count += len(rows)
        if count < size and number + 1 < len(groups):
            continue
        pool.sort(key=lambda item: max(len(r.ids) for r in item[1]))
        cut: list[list[tuple[Group, list[Laid]]]] = [[]]
        held = 0
        for item in pool:
            if held and held + len(item[1]) > recipe.batch:
                cut.append([])
                held = 0
            cut[-1].append(item)
            held += len(item[1])
        for chosen in rng.permutation(len(cut)):
            yield cut[int(chosen)]
        pool, count = [], 0


def save(model: nn.Module, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file({k: v.contiguous() for k, v in model.state_dict().items()}, path)


def load_joint(path: Path) -> JointReader:
    model = JointReader(load_encoder(), frozen=6)
    model.load_state_dict(load_file(path))
    return model.eval()


def train(args: argparse.Namespace) -> None:
    recipe = Recipe(seed=args.seed)
    out: Path = args.out
    out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(recipe.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = JointReader(load_encoder(), recipe.frozen)
    if args.start:
        model.load_state_dict(load_file(args.start))
        recipe = replace(recipe, rate=recipe.rate * 0.75, head_rate=recipe.head_rate * 0.5)
    model.to(device).train()
    sources = [s for s in FREE_SOURCES if s not in args.hold_out]
    neighbors = json.loads(args.neighbors.read_text()) if args.neighbors else {}
    for frozen in (
        model.encoder.words,
        model.encoder.positions,
        model.encoder.segments,
    ):
        frozen.requires_grad_(False)
    model.encoder.norm.requires_grad_(False)
    for layer in model.encoder.layers[: recipe.frozen]:
        layer.requires_grad_(False)
    body = [p for p in model.encoder.parameters() if p.requires_grad]
    heads = list(model.heads.parameters())
    optimizer = torch.optim.AdamW(
        [
            {"params": body, "lr": recipe.rate, "peak": recipe.rate},
            {"params": heads, "lr": recipe.head_rate, "peak": recipe.head_rate},
        ],
        weight_decay=0.01,
    )
    trained = [p for p in model.parameters() if p.requires_grad]
    average = [p.detach().clone() for p in trained]
    start, spent = 0, 0.0
    state = out / "state.pt"
    if state.exists():
        stored = torch.load(state, map_location=device)
        model.load_state_dict(stored["model"])
        optimizer.load_state_dict(stored["optimizer"])
        average, start, spent = stored["average"], stored["step"], stored["spent"]
    (out / "recipe.json").write_text(
        json.dumps({**asdict(recipe), "steps": args.steps, "sources": sources}, indent=1)
    )
    layout = Layout(load_tokenizer())
    log = (out / "log.jsonl").open("a")
    step, seen, began = 0, 0, time.time()
    running = 0.0

    def checkpoint() -> None:
        torch.save(
            {
                "model": model.state_dict(),
                "optimizer": optimizer.state_dict(),
                "average": average,
                "step": step,
                "spent": spent + time.time() - began,
            },
            state.with_suffix(".part"),
        )
        state.with_suffix(".part").replace(state)
        now = [p.detach().clone() for p in trained]
        with torch.no_grad():
            for p, mean in zip(trained, average):
                p.copy_(mean)
            save(model, out / "joint.safetensors")
            for p, value in zip(trained, now):
                p.copy_(value)

    for epoch in range(99):
        groups = training_groups(args.data, sources, neighbors, recipe.seed + epoch)
        for chosen in batches(groups, layout, recipe, recipe.seed + epoch):
            if step < start:
                step += 1
                continue
            done = step / args.steps
            if args.minutes:
                done = max(done, (spent + time.time() - began) / (60 * args.minutes))
            if done >= 1:
                checkpoint()
                return
            share = (1 - done) * min(1.0, (step + 1) / recipe.warm_up)
            for g in optimizer.param_groups:
                g["lr"] = g["peak"] * share
            of = [group for group, _ in chosen]
            rows = [row for _, part in chosen for row in part]
            batch = Batch(*(t.to(device) for t in vars(collate(rows)).values()))
            with torch.autocast(device.type, torch.bfloat16, enabled=args.bfloat16):
                logits = model(batch)
            loss = loss_of(of, rows, logits, recipe)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(trained, 1.0)
            optimizer.step()
            keep = min(recipe.average, (step + 1) / (step + 10))
            with torch.no_grad():
                torch._foreach_lerp_(average, trained, 1 - keep)
            step += 1
            seen += len(rows)
            running += loss.item()
            if step % 50 == 0:
                line = {
                    "step": step,
                    "loss": round(running / 50, 4),
                    "per_second": round(seen / (time.time() - began), 1),
                    "epoch": epoch,
                }
                log.write(json.dumps(line) + "\n")
                log.flush()
                print(line, flush=True)
                running = 0.0
            if step % args.save_every == 0:
                checkpoint()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--minutes", type=float, help="the end, if it comes before the last step")
    parser.add_argument("--start", type=Path, help="weights to go on from, at lower rates")
    parser.add_argument(
        "--neighbors", type=Path, help="question id -> passages that search ranks high"
    )
    parser.add_argument("--save-every", type=int, default=300, help="steps between checkpoints")
    parser.add_argument(
        "--hold-out", nargs="*", default=[], choices=FREE_SOURCES, metavar="SOURCE"
    )
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument(
        "--bfloat16", action="store_true", help="where the processor has avx512_bf16"
    )
    train(parser.parse_args())


if __name__ == "__main__":
    main()
