"""Fine-tunes the upper layers of the encoder so that its cosine tells answering passages apart.

    python finetune.py --data DATA --out build/tuned                 # all permitted families
    python finetune.py --data DATA --out build/fold --hold-out popqa squad2 nq

Run it again after an interruption and it goes on from its last checkpoint. Every batch comes from
one family and from the seed and step alone, so a resumed run sees what an unbroken one sees.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from data import TRAINABLE, Group, Passage, load_family, read_jsonl
from encoder import Encoder, load_encoder, load_tokenizer, save_encoder, token_ids

QUESTION_TOKENS = 48
PASSAGE_TOKENS = 128


@dataclass
class Recipe:
    steps: int = 100
    batch: int = 16
    rate: float = 1e-4
    warm_up: float = 0.1
    frozen: int = 4
    questions: int = 400
    passages: int = 3
    temperature: float = 0.05
    contrast: float = 1.0
    ordering: float = 1.0
    distillation: float = 4.0
    seed: int = 7


class LowerLayers:
    """Keeps what the frozen layers make of each text, and the base's vector of it.

    Frozen layers say the same in every step and every run, so they run once; the cache folder
    shares the result between runs.
    """

    def __init__(self, encoder: Encoder, frozen: int, cache: Path) -> None:
        self.encoder = encoder
        self.cache = cache
        self.frozen = frozen
        self.tokenizer = load_tokenizer()
        self.states: dict[str, Tensor] = {}
        self.vectors: dict[str, Tensor] = {}

    def add_family(self, name: str, groups: Sequence[Group]) -> None:
        """Adds all texts of a family, from the cache where it has them."""
        asked = [g.question for g in groups]
        offered = [p.text for g in groups for p in g.passages]
        digest = hashlib.sha256(json.dumps([asked, offered, self.frozen]).encode()).hexdigest()
        file = self.cache / f"{name}-{digest[:12]}.pt"
        if not file.exists():
            fresh = LowerLayers(self.encoder, self.frozen, self.cache)
            fresh.add(asked, QUESTION_TOKENS)
            fresh.add(offered, PASSAGE_TOKENS)
            file.parent.mkdir(parents=True, exist_ok=True)
            torch.save({"states": fresh.states, "vectors": fresh.vectors}, file)
        stored = torch.load(file)
        self.states |= stored["states"]
        self.vectors |= stored["vectors"]

    @torch.inference_mode()
    def add(self, texts: Sequence[str], limit: int) -> None:
        """Runs the texts that are new through the base, in batches of like length."""
        rows = {
            t: token_ids(self.tokenizer, t, limit)
            for t in dict.fromkeys(texts)
            if t not in self.states
        }
        order = sorted(rows, key=lambda text: len(rows[text]))
        for start in range(0, len(order), 16):
            chosen = order[start : start + 16]
            mask = padding([len(rows[text]) for text in chosen])
            ids = torch.zeros(mask.shape, dtype=torch.long)
            for at, text in enumerate(chosen):
                ids[at, : len(rows[text])] = torch.tensor(rows[text])
            states = embed(self.encoder, ids)
            for layer in self.encoder.layers[: self.frozen]:
                states = layer(states, bias_of(mask))
            vectors = finish(self.encoder, states, mask, self.frozen)
            for at, text in enumerate(chosen):
                self.states[text] = states[at, : len(rows[text])].to(torch.bfloat16).clone()
                self.vectors[text] = vectors[at].clone()

    def batch(self, texts: Sequence[str]) -> tuple[Tensor, Tensor]:
        """Returns the padded states of some texts and their mask."""
        found = [self.states[text] for text in texts]
        states = torch.nn.utils.rnn.pad_sequence(found, batch_first=True).float()
        return states, padding([len(state) for state in found])


def padding(lengths: Sequence[int]) -> Tensor:
    """Returns a mask with as many ones in each row as its length."""
    return (torch.arange(max(lengths))[None, :] < torch.tensor(lengths)[:, None]).float()


def bias_of(mask: Tensor) -> Tensor:
    return (1.0 - mask)[:, None, None, :] * -1e4


def embed(encoder: Encoder, ids: Tensor) -> Tensor:
    places = torch.arange(ids.shape[1])
    return encoder.norm(encoder.words(ids) + encoder.positions(places) + encoder.segments.weight[0])


def finish(encoder: Encoder, states: Tensor, mask: Tensor, frozen: int) -> Tensor:
    """Runs states through the layers above the frozen ones; returns unit vectors."""
    for layer in encoder.layers[frozen:]:
        states = layer(states, bias_of(mask))
    return F.normalize((states * mask[:, :, None]).sum(1), dim=-1)


def trim(groups: Sequence[Group], recipe: Recipe) -> list[Group]:
    """Returns a sample of a family with the first passages of each question."""
    rng = np.random.default_rng(recipe.seed)
    chosen = sorted(rng.permutation(len(groups))[: recipe.questions])
    return [replace(groups[at], passages=groups[at].passages[: recipe.passages]) for at in chosen]


def harden(
    groups: Sequence[Group], answers: dict[str, list[str]], lower: LowerLayers
) -> list[Group]:
    """Adds look-alikes to questions with one passage, and labels what cannot answer.

    A look-alike is the passage that the base finds nearest and that holds none of the answers.
    """
    everything = list(dict.fromkeys(p.text for g in groups for p in g.passages))
    matrix = torch.stack([lower.vectors[text] for text in everything])
    hardened = []
    for group in groups:
        passages = group.passages
        if group.answerable is False:
            passages = [replace(p, relevant=False) for p in passages]
        elif group.question in answers:
            spelled = [
                passages[0].text.lower(),
                *(a.lower() for a in answers[group.question]),
            ]
            order = (matrix @ lower.vectors[group.question]).argsort(descending=True)[:12].tolist()
            rivals = [
                t
                for t in (everything[at] for at in order)
                if not any(a in t.lower() for a in spelled)
            ]
            passages = passages + [Passage(text, False) for text in rivals[:1]]
        hardened.append(replace(group, passages=passages))
    return hardened


def loss_of(
    groups: Sequence[Group],
    questions: Tensor,
    passages: Tensor,
    places: dict[str, int],
    recipe: Recipe,
) -> tuple[Tensor, Tensor]:
    """Returns the contrastive loss and the ordering loss of one batch.

    Contrast: a question lies nearer to its passage than to all others of the batch.
    Ordering: answering pairs score above pairs that do not answer, whatever their question,
    for that is what one threshold over all questions needs.
    """
    scores = questions @ passages.T
    allowed = torch.ones_like(scores, dtype=torch.bool)
    answering, wanting, contrasts = [], [], []
    for at, group in enumerate(groups):
        for passage in group.passages:
            if passage.relevant is not False:
                allowed[at, places[passage.text]] = False
    for at, group in enumerate(groups):
        own = [places[p.text] for p in group.passages]
        for passage in group.passages:
            place = places[passage.text]
            if passage.relevant:
                answering.append(scores[at, place])
                others = scores[at][allowed[at]]
                rivals = torch.cat([scores[at, place][None], others]) / recipe.temperature
                contrasts.append(-rivals.log_softmax(0)[0])
            elif passage.relevant is False:
                wanting.append(scores[at, place])
        if group.answerable and all(p.relevant is None for p in group.passages):
            answering.append(scores[at, own].max())
    zero = scores.sum() * 0
    contrast = torch.stack(contrasts).mean() if contrasts else zero
    if not answering or not wanting:
        return contrast, zero
    gaps = torch.stack(wanting)[None, :] - torch.stack(answering)[:, None]
    return contrast, F.softplus(gaps / recipe.temperature).mean()


def draw(families: dict[str, list[Group]], recipe: Recipe, step: int) -> tuple[str, list[Group]]:
    """Returns the batch of a step; large families come more often, by the root of their size."""
    rng = np.random.default_rng([recipe.seed, step])
    names = sorted(families)
    weights = np.sqrt([len(families[name]) for name in names])
    name = names[rng.choice(len(names), p=weights / weights.sum())]
    groups = families[name]
    chosen = rng.choice(len(groups), min(recipe.batch, len(groups)), replace=False)
    return name, [groups[at] for at in chosen]


def train(
    families: dict[str, list[Group]],
    lower: LowerLayers,
    encoder: Encoder,
    recipe: Recipe,
    out: Path,
    every: int,
) -> None:
    """Trains the upper layers, with a checkpoint every few steps and one log line each."""
    upper = [p for layer in encoder.layers[recipe.frozen :] for p in layer.parameters()]
    optimizer = torch.optim.AdamW(upper, lr=recipe.rate, weight_decay=0.01)
    checkpoint, start = out / "checkpoint.pt", 0
    if checkpoint.exists():
        stored = torch.load(checkpoint)
        encoder.load_state_dict(stored["encoder"])
        optimizer.load_state_dict(stored["optimizer"])
        start = stored["step"]
    for step in range(start, recipe.steps):
        began = time.perf_counter()
        warm = recipe.warm_up * recipe.steps
        share = min((step + 1) / warm, (recipe.steps - step) / (recipe.steps - warm))
        for setting in optimizer.param_groups:
            setting["lr"] = recipe.rate * share
        name, groups = draw(families, recipe, step)
        asked = [g.question for g in groups]
        texts = list(dict.fromkeys(p.text for g in groups for p in g.passages))
        questions = finish(encoder, *lower.batch(asked), recipe.frozen)
        passages = finish(encoder, *lower.batch(texts), recipe.frozen)
        contrast, ordering = loss_of(
            groups, questions, passages, {t: i for i, t in enumerate(texts)}, recipe
        )
        base = torch.stack([lower.vectors[text] for text in asked + texts])
        drift = (1 - (torch.cat([questions, passages]) * base).sum(-1)).mean()
        loss = recipe.contrast * contrast + recipe.ordering * ordering + recipe.distillation * drift
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(upper, 1.0)
        optimizer.step()
        line = {
            "step": step,
            "family": name,
            "loss": round(loss.item(), 4),
            "contrast": round(contrast.item(), 4),
            "ordering": round(ordering.item(), 4),
            "drift": round(drift.item(), 4),
            "seconds": round(time.perf_counter() - began, 2),
        }
        with (out / "log.jsonl").open("a") as log:
            log.write(json.dumps(line) + "\n")
        if (step + 1) % every == 0 or step + 1 == recipe.steps:
            state = {
                "encoder": encoder.state_dict(),
                "optimizer": optimizer.state_dict(),
                "step": step + 1,
            }
            torch.save(state, checkpoint.with_suffix(".part"))
            checkpoint.with_suffix(".part").replace(checkpoint)
            save_encoder(encoder, out / "encoder.safetensors")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder of the labeled sets")
    parser.add_argument(
        "--out", type=Path, required=True, help="folder of checkpoints, log and weights"
    )
    parser.add_argument("--hold-out", nargs="*", default=[], choices=TRAINABLE, metavar="FAMILY")
    parser.add_argument("--checkpoint-every", type=int, default=25)
    parser.add_argument(
        "--cache",
        type=Path,
        help="folder that shares the frozen layers' work between runs",
    )
    parser.add_argument("--threads", type=int, default=2)
    for name, value in vars(Recipe()).items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(value), default=value)
    options = parser.parse_args()
    recipe = Recipe(**{name: getattr(options, name) for name in vars(Recipe())})
    torch.manual_seed(recipe.seed)
    torch.set_num_threads(options.threads)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "recipe.json").write_text(
        json.dumps(vars(recipe) | {"held_out": options.hold_out}, indent=1)
    )

    encoder = load_encoder()
    lower = LowerLayers(encoder, recipe.frozen, options.cache or options.out / "cache")
    families = {}
    for name in TRAINABLE:
        if name in options.hold_out:
            continue
        groups = trim(load_family(options.data, name), recipe)
        lower.add_family(name, groups)
        families[name] = harden(groups, short_answers(options.data, name), lower)
        print(name, len(groups), "questions", flush=True)
    for parameter in encoder.parameters():
        parameter.requires_grad_(False)
    for layer in encoder.layers[recipe.frozen :]:
        layer.requires_grad_(True)
    train(families, lower, encoder, recipe, options.out, options.checkpoint_every)


def short_answers(data: Path, family: str) -> dict[str, list[str]]:
    """Returns the short answers by question, for families that passages are mined for."""
    if family not in ("squad2", "nq"):
        return {}
    return {
        q["question"]: q["answers"] or []
        for q in read_jsonl(data / "qa" / family / "questions.jsonl")
    }


if __name__ == "__main__":
    main()
